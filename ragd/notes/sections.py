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
    level: int  # of a hashtag: 0 until it is placed
    name: str
    hashtag: bool
    date: str | None


def split(text: str, first_line: int) -> list[Section]:
    """The sections of a body that begins on `first_line`; folds its spaces on the way."""
    raw = text.split("\n")
    lines = list(map(str.strip, raw))
    if "  " in text or "\t" in text:
        lines = [fold(line) if "  " in line or "\t" in line else line for line in lines]
    hashes = [at for at, line in enumerate(lines) if line[:1] == "#"] if "#" in text else []
    found: list[Section] = []
    above: list[_Header] = []
    start = 0
    for at in hashes:
        header = _header(raw[at], lines[at])
        if header is None:
            continue
        _add(found, lines[start:at], first_line + start, above)
        _descend(above, header)
        start = at
        if len(found) >= MOST_SECTIONS - 1:
            break
    _add(found, lines[start:], first_line + start, above)
    return found


def _header(raw: str, line: str) -> _Header | None:
    """The header that a line is, if it is one; `raw` still has the spaces before it."""
    lead = raw[: raw.index("#")]
    if len(lead) > 3 or "\t" in lead:
        return None
    name = line.lstrip("#")
    marks = len(line) - len(name)
    if name[:1] == " ":
        shown = _name(name) if marks <= 6 else ""
        return _Header(marks, shown, False, dates.in_text(shown)) if shown else None
    hashtag = tags.lone(line) if marks == 1 else None
    return _Header(0, hashtag, True, dates.in_text(hashtag)) if hashtag else None


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


def _descend(above: list[_Header], header: _Header) -> None:
    """`above`, the path to a section, becomes the path to the one below this header."""
    if header.hashtag:
        # It stands one below the heading above it, or takes the place of an earlier hashtag.
        level = above[-1].level + 1 if above else 1
        for place, former in enumerate(above):
            if former.hashtag:
                level = former.level
                del above[place:]
                break
        header = _Header(level, header.name, True, header.date)
    else:
        while above and above[-1].level >= header.level:
            above.pop()
    above.append(header)


def _add(found: list[Section], lines: list[str], line: int, above: list[_Header]) -> None:
    """The section that these lines are, if they say anything."""
    whole = "\n".join(lines)
    text = whole.strip("\n")
    if not text:
        return
    line += len(whole) - len(whole.lstrip("\n"))
    last = line + text.count("\n")
    if not above:
        found.append(Section(text, line, last))
        return
    header = above[-1]
    path = " > ".join([step.name for step in above])
    found.append(
        Section(
            text,
            line,
            last,
            header.name,
            path if len(path) <= LONGEST_PATH else "…" + path[-LONGEST_PATH:],
            tuple([step.name for step in above if step.hashtag]),
            header.date or next((step.date for step in reversed(above) if step.date), None),
            header.level,
            line == last,
        )
    )
