"""The dates of candidates, and how near they are to the time that a question names. Pure.

A note without a date of its own has the time of its file as a weak date: it counts less, and never
decides a filter unless that is asked for.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from ragd.search.dates import WEAK, Span, closeness
from ragd.search.ranking.fusion import Candidate

Local = Callable[[datetime], datetime]  # the same moment by the user's clock
ABOUT = 0.7  # how close a note is whose name names the year that is asked for
RECENT_DAYS = 365.0  # a passage this much older than the newest one counts as half as new


class Dated(Protocol):
    """A passage with its own date, if it has one, and its file's time."""

    @property
    def chunk_id(self) -> str: ...
    @property
    def date(self) -> str | None: ...
    @property
    def modified_at(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...


def mark_dates(
    found: Mapping[str, Candidate],
    hits: Iterable[Dated],
    spans: Sequence[Span],
    local: Local,
    weak: float = WEAK,
) -> None:
    """Note each candidate's date and text, and how close its date is to these spans.

    `weak`: what a file's time counts, of what a date of the note's own counts.
    """
    for hit in hits:
        one = found.get(hit.chunk_id)
        if one is None:
            continue
        one.date, one.text, one.title = hit.date, hit.text, hit.title
        if spans and hit.date:
            one.closeness = closeness(date.fromisoformat(hit.date), spans)
        elif spans and (day := file_day(hit.modified_at, local)):
            one.closeness = weak * closeness(day, spans)
        if spans and any(_is_about(span, hit.names) for span in spans):
            one.closeness = max(one.closeness, ABOUT)


def _is_about(span: Span, names: Iterable[str]) -> bool:
    """Whether a note's name has the year that is asked for and no other number: "2024 in review" is
    about the year, "9 March 2024" is a day."""
    first, last = span
    if (first.month, first.day, last.month, last.day) != (1, 1, 12, 31) or first.year != last.year:
        return False
    return any(re.findall(r"\d+", name) == [str(first.year)] for name in names)


def mark_recency(found: Mapping[str, Candidate]) -> None:
    """Note how new each candidate is, from the newest one on. One without a date is in the middle:
    it may be old, or kept up to date."""
    dated = [date.fromisoformat(one.date) for one in found.values() if one.date]
    newest = max(dated, default=None)
    for one in found.values():
        one.recency = 0.5
        if one.date and newest:
            age = (newest - date.fromisoformat(one.date)).days
            one.recency = 0.5 ** (age / RECENT_DAYS)


def file_day(modified_at: str, local: Local) -> date | None:
    """The day of a file's time, where the user is; None for a time that no calendar has."""
    try:
        return local(datetime.fromisoformat(modified_at)).date()
    except (ValueError, OverflowError):
        return None
