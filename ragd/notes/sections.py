"""A note's body cut at its headers: ATX headings, and lines that are nothing but a hashtag.

It never looks for a header in code: fenced code is blanked before, and a line that stands four
spaces in is no header.
"""

import re

from msgspec import Struct

from ragd.notes import dates, tags
from ragd.notes.characters import fold

LONGEST_HEADING = 200  # in a path; the text of the chunk has the whole line
LONGEST_PATH = 600
MOST_SECTIONS = 10_000  # of a note; what follows is one long section

_HEADER_MARK = "\x01"  # before a header's line; no note has one after `characters.visible`
_HASH_LINE = re.compile(r"\n {0,3}(#[^\n]*)")
_ATX = re.compile(r"(#{1,6})[ \t]+([^\n]*)")
_ADDRESS = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")  # [shown](address)
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")


class Section(Struct, frozen=True):
    """A header and the text from there to the next one; blank lines at its ends are gone."""

    text: str  # line for line as in the note, its header's line included
    line: int  # of the note, on which the text begins
    name: str | None = None
    path: str = ""
    hashtags: tuple[str, ...] = ()  # the headers of the path that are hashtags
    date: str | None = None
    level: int = 0
    bare: bool = False  # nothing but the header's own line


class _Header(Struct, frozen=True):
    level: int  # of a hashtag: 0 until it is placed
    name: str
    hashtag: bool
    date: str | None


def split(text: str, first_line: int) -> list[Section]:
    """The sections of a body that begins on `first_line`; folds its spaces on the way."""
    headers: list[_Header] = []
    marked = "\n" + text
    if "#" in text:
        marked = _HASH_LINE.sub(lambda match: _marked(match, headers), marked)
    parts = fold(marked).split("\n" + _HEADER_MARK, MOST_SECTIONS)
    if len(parts) > MOST_SECTIONS:
        parts[-1] = parts[-1].replace(_HEADER_MARK, "")
    found: list[Section] = []
    first = parts[0].lstrip("\n")
    line = first_line - 1
    if first:
        found.append(Section(first.rstrip("\n"), line + len(parts[0]) - len(first)))
    line += parts[0].count("\n") + 1
    above: list[_Header] = []
    for part, header in zip(parts[1:], headers, strict=False):
        found.append(_section(part.rstrip("\n"), line, header, above))
        line += part.count("\n") + 1
    return found


def _marked(match: re.Match[str], headers: list[_Header]) -> str:
    line = match.group(1)
    header = _header(line)
    if header is None:
        return match.group()
    headers.append(header)
    return f"\n{_HEADER_MARK}{line}"


def _header(line: str) -> _Header | None:
    """The header that a line is, if it is one."""
    atx = _ATX.match(line)
    if atx:
        marks, name = atx.groups()
        name = name.strip()
        if name.endswith("#"):
            name = _CLOSING_HASHES.sub("", name).strip()
        if "](" in name:
            name = _ADDRESS.sub(r"\1", name)
        if len(name) > LONGEST_HEADING:
            name = name[:LONGEST_HEADING].rstrip() + "…"
        if "  " in name or "\t" in name:
            name = " ".join(name.split())
        return _Header(len(marks), name, False, dates.in_text(name)) if name else None
    hashtag = tags.lone(line)
    return _Header(0, hashtag, True, dates.in_text(hashtag)) if hashtag else None


def _section(text: str, line: int, header: _Header, above: list[_Header]) -> Section:
    """The section below a header; `above` becomes the path to it."""
    if header.hashtag:
        header = _placed(header, above)
    else:
        while above and above[-1].level >= header.level:
            above.pop()
    above.append(header)
    path = " > ".join([step.name for step in above])
    return Section(
        text,
        line,
        header.name,
        path if len(path) <= LONGEST_PATH else "…" + path[-LONGEST_PATH:],
        tuple([step.name for step in above if step.hashtag]),
        header.date or next((step.date for step in reversed(above) if step.date), None),
        header.level,
        "\n" not in text,
    )


def _placed(header: _Header, above: list[_Header]) -> _Header:
    """A hashtag stands one below the heading above it, and takes the place of an earlier one."""
    for place, former in enumerate(above):
        if former.hashtag:
            del above[place:]
            return _Header(former.level, header.name, True, header.date)
    return _Header(above[-1].level + 1 if above else 1, header.name, True, header.date)
