"""A note's body cut at its headers: ATX headings, and lines that are nothing but a hashtag.

It never looks for a header in code: fenced code is blanked before, and a line that stands four
spaces in is no header.
"""

import re

from msgspec import Struct

from ragd.notes import dates, tags
from ragd.notes.characters import fold_runs

LONGEST_HEADING = 200  # in a path; the text of the chunk has the whole line
LONGEST_PATH = 600
MOST_SECTIONS = 10_000  # of a note; what follows is one long section

_ADDRESS = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")  # [shown](address)
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")


class Section(Struct, frozen=True):
    """A header and the text from there to the next one; blank lines at its ends are gone."""

    text: str  # line for line as in the note, its header's line included
    line: int  # of the note, on which the text begins
    last: int  # line, on which it ends
    name: str | None = None
    path: str = ""
    hashtags: tuple[str, ...] = ()  # the headers of the path that are hashtags
    date: str | None = None
    level: int = 0
    bare: bool = False  # nothing but the header's own line


class _Header(Struct, frozen=True):
    """A header with what it has from those above it."""

    level: int
    name: str
    path: str
    is_hashtag: bool
    hashtags: tuple[str, ...]
    date: str | None


def split(text: str, first_line: int) -> list[Section]:
    """The sections of a body that begins on `first_line`; folds its spaces on the way."""
    raw = text.split("\n")
    lines = list(map(str.strip, raw))
    hashes = [at for at, line in enumerate(lines) if line and line[0] == "#"] if "#" in text else []
    found: list[Section] = []
    above: list[_Header] = []
    start = 0
    for at in hashes:
        marks, name = _header(raw[at], lines[at])
        if not name:
            continue
        _add(found, lines[start:at], first_line + start, above)
        _descend(above, marks, name)
        start = at
        if len(found) >= MOST_SECTIONS - 1:
            break
    _add(found, lines[start:], first_line + start, above)
    return found


def _header(raw: str, line: str) -> tuple[int, str]:
    """A heading's level and name, or 0 and a hashtag; no name if the line is neither.

    `raw` still has the spaces before it: too many, and the line is code.
    """
    lead = raw.index("#")
    if lead > 3 or "\t" in raw[:lead]:
        return 0, ""
    name = line.lstrip("#")
    marks = len(line) - len(name)
    if name[:1].isspace():
        return marks, _name(name) if marks <= 6 else ""
    return 0, (tags.lone(line) if marks == 1 else None) or ""


def _name(heading: str) -> str:
    """A heading as it is shown, on one line of bounded length."""
    name = heading.strip()
    if name.endswith("#"):
        name = _CLOSING_HASHES.sub("", name)
    if "](" in name:
        name = _ADDRESS.sub(r"\1", name)
    if len(name) > LONGEST_HEADING:
        name = name[:LONGEST_HEADING] + "…"
    return " ".join(name.split())


def _descend(above: list[_Header], level: int, name: str) -> None:
    """`above`, the path to a section, becomes the path to the one below this header."""
    is_hashtag = not level
    if is_hashtag:
        # It stands one below the heading above it, or takes the place of an earlier hashtag.
        level = above[-1].level + 1 if above else 1
        for place, former in enumerate(above):
            if former.is_hashtag:
                level = former.level
                del above[place:]
                break
    else:
        while above and above[-1].level >= level:
            above.pop()
    date = dates.in_text(name)
    if not above:
        above.append(_Header(level, name, name, is_hashtag, (name,) if is_hashtag else (), date))
        return
    parent = above[-1]
    path = f"{parent.path} > {name}"
    if len(path) > LONGEST_PATH:
        path = "…" + path[-LONGEST_PATH:]
    hashtags = (*parent.hashtags, name) if is_hashtag else parent.hashtags
    above.append(_Header(level, name, path, is_hashtag, hashtags, date or parent.date))


def _add(found: list[Section], lines: list[str], line: int, above: list[_Header]) -> None:
    """The section that these lines are, if they say anything."""
    whole = fold_runs("\n".join(lines))
    text = whole.rstrip("\n")
    last = line + len(lines) - 1 - (len(whole) - len(text))
    if above:
        top = above[-1]
        found.append(
            Section(
                text,
                line,
                last,
                top.name,
                top.path,
                top.hashtags,
                top.date,
                top.level,
                line == last,
            )
        )
        return
    kept = text.lstrip("\n")  # a header's line is never blank, but the note's first may be
    if kept:
        found.append(Section(kept, line + len(text) - len(kept), last))
