"""Reads a reStructuredText file (`.rst`): headings by the row below them. Pure.

Line 12 of the text is line 12 of the file. It never raises, whatever the bytes are.
"""

import re

from ragd.notes import decoding
from ragd.notes.characters import one_line, visible
from ragd.notes.documents.model import Document, Heading, Unreadable
from ragd.notes.markdown.links import find_links

LONGEST_TITLE = 300
LONGEST_HEADING = 500  # characters; a longer line is a paragraph
SHORTEST_ROW = 3

_ROW = re.compile(r"([!-/:-@\[-`{-~])\1*")
_COMMENT = re.compile(r"\.\.(?:$|[ \t](?![^\n]*::|[ \t]*[_|\[]))")


def read_rst(path: str, data: bytes) -> Document | Unreadable:
    """The text of a file, line for line."""
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return Unreadable(decoded.reason)
    text = visible(decoded.text)
    lines = text.split("\n")
    headings = _headings(lines)
    begins = next((at for at, line in enumerate(lines) if line.strip()), 0)
    title = headings[0].text if headings and headings[0].line <= begins + 2 else ""
    return Document(
        "\n".join("" if _COMMENT.match(line) else line for line in lines),
        title[:LONGEST_TITLE],
        headings=tuple(headings),
        links=tuple(find_links(text, 1, path)),
        warnings=(decoded.warning,) if decoded.warning else (),
    )


def _headings(lines: list[str]) -> list[Heading]:
    """The lines with a row of one character below them, and perhaps the same above.

    The first kind of row in a file is the highest level, the next new one the level below.
    """
    found: list[Heading] = []
    levels: dict[tuple[str, bool], int] = {}
    for at in range(1, len(lines)):
        row, name = lines[at].rstrip(), lines[at - 1].strip()
        if not _is_row(row) or not name or len(name) > LONGEST_HEADING:
            continue
        if _is_row(name) or len(row) < len(name):
            continue
        above = lines[at - 2].rstrip() if at > 1 else ""
        has_overline = above == row
        if not has_overline and (above.strip() or lines[at - 1][:1].isspace()):
            continue  # the last line of a paragraph, or of a table
        level = levels.setdefault((row[0], has_overline), len(levels) + 1)
        found.append(Heading(at, min(6, level), one_line(name, LONGEST_HEADING)))
    return found


def _is_row(line: str) -> bool:
    return len(line) >= SHORTEST_ROW and _ROW.fullmatch(line) is not None
