"""Splits a note's body at its headers: headings, and lines that are only a hashtag.

A heading is a line that begins with `#`, or a line with a row of `=` or `-` below it. Headers in
code do not count: fenced code is blanked before, and a line that is indented by four spaces is not
a header.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from msgspec import Struct

from ragd.notes import dates
from ragd.notes.characters import collapse_runs
from ragd.notes.markdown import tags
from ragd.notes.markdown.fences import CODE_LINE

LONGEST_HEADING = 200  # in a path; the chunk's text has the whole line
LONGEST_PATH = 600
LONGEST_INSPECTED = 2_000  # of a heading in a full path, which the guard reads
LONGEST_UNDERLINED = 100  # characters of a heading with `---` below; longer is a paragraph
BETWEEN = " > "
MOST_SECTIONS = 10_000  # of a note; the rest is one long section

_ADDRESS = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")  # [shown](address)
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")
_ROW = re.compile(r"=+|--+")  # below a heading
# A list, a quote or a table: a row of dashes below it is a rule.
_NOT_A_HEADING = re.compile(r"[#>|]|[-+*]\s|\d{1,9}[.)]\s|[-=*_\s]+$")


class Section(Struct, frozen=True):
    """A header and the text up to the next one, without blank lines at the ends."""

    text: str  # line for line as in the note, its header's line included
    line: int  # of the note, where the text begins
    last: int  # line, where it ends
    name: str | None = None
    path: str = ""  # shortened
    hashtags: tuple[str, ...] = ()  # the headers of the path that are hashtags
    date: str | None = None
    level: int = 0
    bare: bool = False  # no words except the header and tags
    full_path: str = ""  # not shortened, because the guard must read all of it


class _Header(Struct, frozen=True):
    """A header with the path, hashtags and date from the headers above it."""

    level: int
    name: str
    path: str
    is_hashtag: bool
    hashtags: tuple[str, ...]
    date: str | None
    full_path: str


class FoundHeading(Struct, frozen=True):
    """A header in a text: its line, from 0, and how many lines it has; level 0 is a hashtag."""

    line: int
    lines: int
    level: int
    name: str


def find_headings(text: str) -> Iterator[FoundHeading]:
    """The headers of a text, in order."""
    raw = text.split("\n")
    return _find_headings(text, raw, list(map(str.strip, raw)))


def _find_headings(text: str, raw: list[str], lines: list[str]) -> Iterator[FoundHeading]:
    for at in _header_places(text, lines):
        if lines[at][0] == "#":
            header_lines = 1
            marks, name = _read_header(raw[at], lines[at])
        else:
            at, header_lines = at - 1, 2
            marks, name = _read_underlined(raw, lines, at)
        if name:
            yield FoundHeading(at, header_lines, marks, name)


def split_sections(text: str, first_line: int) -> list[Section]:
    """The sections of a body that begins on `first_line`, with runs of spaces collapsed."""
    raw = text.split("\n")
    lines = list(map(str.strip, raw))
    found: list[Section] = []
    above: list[_Header] = []
    start = header_lines = 0
    for heading in _find_headings(text, raw, lines):
        _add_section(found, lines[start : heading.line], first_line + start, above, header_lines)
        _update_path(above, heading.level, heading.name)
        start, header_lines = heading.line, heading.lines
        if len(found) >= MOST_SECTIONS - 1:
            break
    _add_section(found, lines[start:], first_line + start, above, header_lines)
    return found


def split_at(text: str, headings: Iterable[FoundHeading], breaks: Iterable[int]) -> list[Section]:
    """The sections of a text whose headings are known. A section begins at each heading, and at
    each of the `breaks`: lines, from 0, where it continues the section above."""
    lines = list(map(str.strip, text.split("\n")))
    known = {one.line: one for one in headings if one.name and 0 <= one.line < len(lines)}
    parts = {at for at in breaks if 0 <= at < len(lines)}
    parts.update(sorted(known)[:MOST_SECTIONS])
    found: list[Section] = []
    above: list[_Header] = []
    for start, end in pairwise([*sorted(parts | {0}), len(lines)]):
        heading = known.get(start)
        if heading is not None:
            _update_path(above, heading.level, heading.name)
        header_lines = heading.lines if heading is not None else 0
        _add_section(found, lines[start:end], start + 1, above, header_lines)
    return found


def _header_places(text: str, lines: list[str]) -> list[int]:
    """The lines where a header may be, or a row below one."""
    if "#" not in text and "\n=" not in text and "--" not in text:
        return []
    return [
        at
        for at, line in enumerate(lines)
        if line and (line[0] == "#" or (line[0] in "=-" and at and _ROW.fullmatch(line)))
    ]


def _read_underlined(raw: list[str], lines: list[str], at: int) -> tuple[int, str]:
    """The level and name of a heading with a row below it; no name if the row is a rule.

    A row of dashes below a paragraph of several lines, or below a sentence, counts as a rule,
    unlike in Markdown.
    """
    name, row = lines[at], lines[at + 1]
    if not name or _is_code(raw[at]) or _is_code(raw[at + 1]) or CODE_LINE in name:
        return 0, ""
    if _NOT_A_HEADING.match(name) or "|" in name:
        return 0, ""
    if row[0] == "=":
        return 1, _name(name)
    before = lines[at - 1] if at else ""
    alone = not before or before[0] == "#" or _ROW.fullmatch(before)
    if not alone or len(name) > LONGEST_UNDERLINED or name[-1] in ".!?;,。！？；，":
        return 0, ""
    return 2, _name(name)


def _is_code(raw: str) -> bool:
    """Whether a line is indented far enough to be code."""
    lead = len(raw) - len(raw.lstrip())
    return lead > 3 or "\t" in raw[:lead]


def _read_header(raw: str, line: str) -> tuple[int, str]:
    """A heading's level and name, or 0 and a hashtag; no name if the line is neither.

    `raw` has the spaces before the line: with too many, the line is code.
    """
    lead = raw.index("#")
    if lead > 3 or "\t" in raw[:lead]:
        return 0, ""
    name = line.lstrip("#")
    marks = len(line) - len(name)
    if name[:1].isspace():
        return marks, _name(name) if marks <= 6 else ""
    return 0, (tags.lone_tag(line) if marks == 1 else None) or ""


def _name(heading: str) -> str:
    """The name of a heading, on one line."""
    name = heading.strip()
    if name.endswith("#"):
        name = _CLOSING_HASHES.sub("", name)
    if "](" in name:
        name = _ADDRESS.sub(r"\1", name)
    return " ".join(name[:LONGEST_INSPECTED].split())


def shown_heading(name: str) -> str:
    """A heading, shortened for results."""
    return name if len(name) <= LONGEST_HEADING else name[:LONGEST_HEADING].rstrip() + "…"


def shown_path(path: str) -> str:
    """A heading path, shortened for results."""
    if len(path) > LONGEST_HEADING:
        path = BETWEEN.join(map(shown_heading, path.split(BETWEEN)))
    return path if len(path) <= LONGEST_PATH else "…" + path[-LONGEST_PATH:]


def _update_path(above: list[_Header], level: int, whole: str) -> None:
    """Change `above`, the headers above a section, to those of the section of this header."""
    name = shown_heading(whole)
    is_hashtag = not level
    if is_hashtag:
        # It is one level below the heading above it, or replaces an earlier hashtag.
        level = above[-1].level + 1 if above else 1
        for place, header in enumerate(above):
            if header.is_hashtag:
                level = header.level
                del above[place:]
                break
    else:
        while above and above[-1].level >= level:
            above.pop()
    date = dates.date_in_text(name)
    path, full_path, hashtags = name, whole, (name,) if is_hashtag else ()
    if above:
        parent = above[-1]
        path = f"{parent.path}{BETWEEN}{name}"
        if len(path) > LONGEST_PATH:
            path = "…" + path[-LONGEST_PATH:]
        full_path = f"{parent.full_path}{BETWEEN}{whole}"
        hashtags = (*parent.hashtags, *hashtags)
        date = date or parent.date
    above.append(_Header(level, name, path, is_hashtag, hashtags, date, full_path))


def _add_section(
    found: list[Section], lines: list[str], line: int, above: list[_Header], header_lines: int
) -> None:
    """Add the section of these lines, if they have any text. The first `header_lines` of them are
    its header."""
    whole = collapse_runs("\n".join(lines))
    text = whole.rstrip("\n")
    last = line + len(lines) - 1 - (len(whole) - len(text))
    kept = text.lstrip("\n")  # a header's line is never blank, but others may be
    if not kept:
        return
    bare = not _has_words(lines[header_lines:])
    line += len(text) - len(kept)
    if not above:
        found.append(Section(kept, line, last, bare=bare))
        return
    top = above[-1]
    found.append(
        Section(
            kept,
            line,
            last,
            top.name,
            top.path,
            top.hashtags,
            top.date,
            top.level,
            bare,
            top.full_path,
        )
    )


def _has_words(lines: list[str]) -> bool:
    """Whether there is more on these lines than tags, rules and marks."""
    for line in lines:
        rest = tags.without_tags(line) if "#" in line else line
        if CODE_LINE in rest or any(map(str.isalnum, rest)):
            return True
    return False
