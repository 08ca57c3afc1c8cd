"""Rows and their printing. It measures nothing."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple


class Row(NamedTuple):
    """A figure of ragd, the figure it is compared with, and the goal for their ratio."""

    what: str
    ours: str
    beside: str
    ratio: float | None = None
    goal: str = ""


HEADINGS = ("", "ragd", "compared with", "ratio", "goal")


def render(rows: Iterable[Row]) -> str:
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
    """The median of the ratios of the rounds: load on the machine affects both sides of a round."""
    return median(one / other for one, other in zip(ours, beside, strict=True))


def per_second(rate: float) -> str:
    return f"{rate:,.0f}/s"


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"
