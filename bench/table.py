"""Rows and their printing. It measures nothing."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple


class Row(NamedTuple):
    """A figure of ours, the same work without us, and what the ratio of the two should be."""

    what: str
    ours: str
    beside: str
    ratio: float | None = None
    goal: str = ""


HEADINGS = ("", "ragd", "beside it", "ratio", "goal")


def show(rows: Iterable[Row]) -> str:
    """The table as text."""
    cells = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEADINGS))]
    return "\n".join(_line(line, widths) for line in cells)


def _cells(row: Row) -> tuple[str, ...]:
    ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
    return row.what, row.ours, row.beside, ratio, row.goal


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def ratio(ours: Sequence[float], beside: Sequence[float]) -> float:
    """The median of the rounds' own ratios: what disturbed a round disturbed both sides of it."""
    return median(one / other for one, other in zip(ours, beside, strict=True))


def per_second(rate: float) -> str:
    return f"{rate:,.0f}/s"


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"
