"""Reads an Org file: headings, tags and links; drawers and comments are left out. Pure.

Line 12 of the text is line 12 of the file. It never raises, whatever the bytes are.
"""

import re

from ragd.notes import dates, decoding
from ragd.notes.characters import one_line, visible
from ragd.notes.documents.model import Document, Heading, Unreadable
from ragd.notes.markdown.links import Link, find_links

LONGEST_TITLE = 300
LONGEST_HEADING = 2_000

_STARS = re.compile(r"(\*{1,30})[ \t]+(?=\S)")
_STATE = re.compile(r"(?:TODO|DONE|NEXT|WAITING|HOLD|CANCELLED|CANCELED)(?=[ \t]|$)[ \t]*")
_PRIORITY = re.compile(r"\[#[A-Za-z0-9]\][ \t]*")
_TAGS = re.compile(r"(?:^|[ \t]):([^\s:]+(?::[^\s:]+)*):$")
_KEYWORD = re.compile(r"#\+([A-Za-z_-]{1,40}):[ \t]*(.*)")
_DRAWER = re.compile(r"[ \t]*:(PROPERTIES|LOGBOOK|CLOCK):[ \t]*$", re.I)
_DRAWER_END = re.compile(r"[ \t]*:END:[ \t]*$", re.I)
_LINK = re.compile(r"\[\[([^\[\]\n]+)\](?:\[([^\[\]\n]+)\])?\]")
_SCHEME = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]*:")
LONGEST_DRAWER = 500  # lines; without an end by then, it is text


def read_org(path: str, data: bytes) -> Document | Unreadable:
    """The text of an Org file, line for line."""
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return Unreadable(decoded.reason)
    lines = visible(decoded.text).split("\n")
    found = _OrgLines(path, lines)
    return Document(
        "\n".join(found.shown),
        found.title,
        found.date,
        tuple(found.headings),
        links=tuple(found.links),
        warnings=(decoded.warning,) if decoded.warning else (),
    )


class _OrgLines:
    """What each line of the file shows."""

    def __init__(self, path: str, lines: list[str]) -> None:
        self.title = ""
        self.date: str | None = None
        self.headings: list[Heading] = []
        self.links: list[Link] = []
        self.shown: list[str] = []
        self._path = path
        self._drawer_ends = _drawer_ends(lines)
        at = 0
        while at < len(lines):
            end = self._drawer_ends.get(at)
            if end is None:
                self.shown.append(self._show(lines[at], at + 1))
                at += 1
            else:
                self.shown += [""] * (end + 1 - at)
                at = end + 1

    def _show(self, line: str, number: int) -> str:
        if line.startswith("#"):
            return self._keyword(line)
        stars = _STARS.match(line)
        if stars is None:
            return self._with_links(line, number)
        rest = _PRIORITY.sub("", _STATE.sub("", line[stars.end() :], count=1), count=1)
        marks = _TAGS.search(rest.rstrip())
        name = rest[: marks.start()] if marks else rest
        name = one_line(self._with_links(name, number), LONGEST_HEADING)
        tags = "".join(f" #{tag}" for tag in marks.group(1).split(":")) if marks else ""
        if name:
            self.headings.append(Heading(number, min(6, len(stars.group(1))), name))
        return f"{name}{tags}"

    def _keyword(self, line: str) -> str:
        """What a line that begins with `#` shows: tags of the file, or the rest of a caption."""
        keyword = _KEYWORD.match(line)
        if keyword is None:
            return "" if line[1:2] in ("", " ", "+") else line
        name, value = keyword.group(1).lower(), keyword.group(2).strip()
        if name == "title":
            self.title = self.title or one_line(value, LONGEST_TITLE)
        elif name == "date":
            self.date = self.date or dates.date_in_text(value)
        elif name == "filetags":
            return " ".join(f"#{tag}" for tag in value.replace(":", " ").split())
        return value if name in ("title", "subtitle", "description", "caption") else ""

    def _with_links(self, line: str, number: int) -> str:
        """The line with its links as readable text."""
        if "[[" not in line:
            return line
        for match in _LINK.finditer(line):
            target = match.group(1)
            if not _SCHEME.match(target):
                target = target.removeprefix("file:").partition("::")[0].removesuffix(".org")
                self.links += find_links(f"[[{target}]]", number, self._path)
        return _LINK.sub(lambda link: link.group(2) or link.group(1), line)


def _drawer_ends(lines: list[str]) -> dict[int, int]:
    """The first and last line of each drawer, counted from 0."""
    found: dict[int, int] = {}
    start: int | None = None
    for at, line in enumerate(lines):
        if start is not None and (at - start > LONGEST_DRAWER or line.startswith("*")):
            start = None
        if ":" not in line:
            continue
        if start is None:
            start = at if _DRAWER.match(line) else None
        elif _DRAWER_END.match(line):
            found[start] = at
            start = None
    return found
