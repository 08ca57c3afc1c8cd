"""A note's body cut at its headers: headings, and lines that are nothing but a hashtag.

A heading is a line that begins with `#`, or a line with a row of `=` or `-` below it. It never
looks for a header in code: fenced code is blanked before, and a line that stands four spaces in is
no header.
"""

import re

from msgspec import Struct

from ragd.notes import dates
from ragd.notes.characters import collapse_runs
from ragd.notes.markdown import tags
from ragd.notes.markdown.fences import CODE_LINE

LONGEST_HEADING = 200  # in a path; the text of the chunk has the whole line
LONGEST_PATH = 600
LONGEST_JUDGED = 2_000  # of a heading in a full path, which the guard reads
LONGEST_UNDERLINED = 100  # characters of a heading with `---` below; longer is a paragraph
BETWEEN = " > "
MOST_SECTIONS = 10_000  # of a note; what follows is one long section

_ADDRESS = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")  # [shown](address)
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")
_ROW = re.compile(r"=+|--+")  # below a heading
# Not a paragraph, so a row of dashes below it is a rule: a list, a quote, a table.
_NO_HEADING = re.compile(r"[#>|]|[-+*]\s|\d{1,9}[.)]\s|[-=*_\s]+$")


class Section(Struct, frozen=True):
    """A header and the text from there to the next one; blank lines at its ends are gone."""

    text: str  # line for line as in the note, its header's line included
    line: int  # of the note, on which the text begins
    last: int  # line, on which it ends
    name: str | None = None
    path: str = ""  # shortened
    hashtags: tuple[str, ...] = ()  # the headers of the path that are hashtags
    date: str | None = None
    level: int = 0
    bare: bool = False  # no words beside the header and tags
    full_path: str = ""  # what a heading says at its end may matter most


class _Header(Struct, frozen=True):
    """A header with what it has from those above it."""

    level: int
    name: str
    path: str
    is_hashtag: bool
    hashtags: tuple[str, ...]
    date: str | None
    full_path: str
    lines: int  # of the note, that it takes


def split_sections(text: str, first_line: int) -> list[Section]:
    """The sections of a body that begins on `first_line`; folds its spaces on the way."""
    raw = text.split("\n")
    lines = list(map(str.strip, raw))
    found: list[Section] = []
    above: list[_Header] = []
    start = 0
    for at in _places(text, lines):
        if lines[at][0] == "#":
            taken = 1
            marks, name = _header(raw[at], lines[at])
        else:
            at, taken = at - 1, 2
            marks, name = _underlined(raw, lines, at)
        if not name:
            continue
        _add(found, lines[start:at], first_line + start, above)
        _descend(above, marks, name, taken)
        start = at
        if len(found) >= MOST_SECTIONS - 1:
            break
    _add(found, lines[start:], first_line + start, above)
    return found


def _places(text: str, lines: list[str]) -> list[int]:
    """The lines where a header may be, or a row below one."""
    if "#" not in text and "\n=" not in text and "--" not in text:
        return []
    return [
        at
        for at, line in enumerate(lines)
        if line and (line[0] == "#" or (line[0] in "=-" and at and _ROW.fullmatch(line)))
    ]


def _underlined(raw: list[str], lines: list[str], at: int) -> tuple[int, str]:
    """The level and name of a heading with a row below it; no name if the row is a rule.

    A row of dashes below a paragraph of several lines, or below a sentence, was meant as a rule,
    whatever Markdown makes of it.
    """
    name, row = lines[at], lines[at + 1]
    if not name or _is_code(raw[at]) or _is_code(raw[at + 1]) or CODE_LINE in name:
        return 0, ""
    if _NO_HEADING.match(name) or "|" in name:
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
    return 0, (tags.lone_tag(line) if marks == 1 else None) or ""


def _name(heading: str) -> str:
    """A heading on one line."""
    name = heading.strip()
    if name.endswith("#"):
        name = _CLOSING_HASHES.sub("", name)
    if "](" in name:
        name = _ADDRESS.sub(r"\1", name)
    return " ".join(name[:LONGEST_JUDGED].split())


def shown_heading(name: str) -> str:
    """A heading of the length that is shown."""
    return name if len(name) <= LONGEST_HEADING else name[:LONGEST_HEADING].rstrip() + "…"


def shown_path(path: str) -> str:
    """A heading path of the length that is shown."""
    if len(path) > LONGEST_HEADING:
        path = BETWEEN.join(map(shown_heading, path.split(BETWEEN)))
    return path if len(path) <= LONGEST_PATH else "…" + path[-LONGEST_PATH:]


def _descend(above: list[_Header], level: int, whole: str, taken: int) -> None:
    """`above`, the path to a section, becomes the path to the one below this header."""
    name = shown_heading(whole)
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
    above.append(_Header(level, name, path, is_hashtag, hashtags, date, full_path, taken))


def _add(found: list[Section], lines: list[str], line: int, above: list[_Header]) -> None:
    """The section that these lines are, if they say anything."""
    whole = collapse_runs("\n".join(lines))
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
                last - line < top.lines or not _has_words(lines[top.lines :]),
                top.full_path,
            )
        )
        return
    kept = text.lstrip("\n")  # a header's line is never blank, but the note's first may be
    if kept:
        bare = not _has_words(lines)
        found.append(Section(kept, line + len(text) - len(kept), last, bare=bare))


def _has_words(lines: list[str]) -> bool:
    """Whether there is more on these lines than tags, rules and marks."""
    for line in lines:
        rest = tags.without_tags(line) if "#" in line else line
        if CODE_LINE in rest or any(map(str.isalnum, rest)):
            return True
    return False
