"""Secrets in tables of Markdown: the cells below a heading such as `Password`. Pure.

It takes linear time, and never raises.
"""

from collections.abc import Iterator

from ragd.notes.late_pattern import LatePattern

COLUMNS_MAX = 30  # further cells of a row are not looked at

_RULE = LatePattern(r"[ \t\r>|:-]++")


def find_cells(text: str) -> Iterator[tuple[str, int, int]]:
    """Each cell with the heading of its column: the heading, where the cell begins and ends."""
    headings: list[str] = []
    before, start = "", 0
    for line in text.split("\n"):
        if "|" not in line:
            headings = []
        elif headings:
            cells = _cells(line)
            for heading, (first, last) in zip(headings, cells, strict=False):
                if first < last:
                    yield heading, start + first, start + last
        elif "|" in before and "-" in line and _RULE.fullmatch(line):
            headings = [before[first:last] for first, last in _cells(before)]
        before, start = line, start + len(line) + 1


def _cells(row: str) -> list[tuple[int, int]]:
    """Where the cells of a row begin and end, without the spaces around them."""
    found: list[tuple[int, int]] = []
    start = len(row) - len(row.lstrip(" \t>|")) if row.lstrip(" \t>").startswith("|") else 0
    for part in row[start:].split("|", COLUMNS_MAX)[:COLUMNS_MAX]:
        first = start + len(part) - len(part.lstrip())
        found.append((first, max(first, start + len(part.rstrip()))))
        start += len(part) + 1
    return found
