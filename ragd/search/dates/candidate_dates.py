"""The dates of candidates, and how near they are to the time that a question names. Pure.

A note without a date of its own has the time of its file as a weak date. It counts less, and date
filters use it only on request.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from ragd.search.dates import WEAK, Span, closeness
from ragd.search.ranking.fusion import Candidate

Local = Callable[[datetime], datetime]  # the same moment in the user's time zone
YEAR_IN_NAME = 0.7  # closeness of a note whose name has the year that the question names
RECENT_DAYS = 365.0  # a passage this much older than the newest counts as half as recent


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
    *,
    needs_file_days: bool = True,
) -> None:
    """Set each candidate's date, or the day of its file, its text, and how close its date is to
    these spans.

    `weak`: the factor for a file's time, compared with a date of the note itself.
    `needs_file_days`: the day of a file counts for this question. Finding it takes a moment.
    """
    for hit in hits:
        one = found.get(hit.chunk_id)
        if one is None:
            continue
        one.date, one.text, one.title = hit.date, hit.text, hit.title
        day = file_day(hit.modified_at, local) if needs_file_days and not hit.date else None
        one.file_day = day.isoformat() if day else None
        if spans and hit.date:
            one.closeness = closeness(date.fromisoformat(hit.date), spans)
        elif spans and day:
            one.closeness = weak * closeness(day, spans)
        if spans and any(_names_year(span, hit.names) for span in spans):
            one.closeness = max(one.closeness, YEAR_IN_NAME)


def _names_year(span: Span, names: Iterable[str]) -> bool:
    """Whether the span is a year, and a note's name has that year and no other number: "2024 in
    review" is about the year, "9 March 2024" is a day."""
    first, last = span
    if (first.month, first.day, last.month, last.day) != (1, 1, 12, 31) or first.year != last.year:
        return False
    return any(re.findall(r"\d+", name) == [str(first.year)] for name in names)


def mark_recency(found: Mapping[str, Candidate]) -> None:
    """Set how recent each candidate is, compared with the newest. One without a date gets 0.5: it
    may be old, or kept up to date."""
    dated = [date.fromisoformat(one.date) for one in found.values() if one.date]
    newest = max(dated, default=None)
    for one in found.values():
        one.recency = 0.5
        if one.date and newest:
            age = (newest - date.fromisoformat(one.date)).days
            one.recency = 0.5 ** (age / RECENT_DAYS)


def latest_day(own: str | None, modified_at: str, local: Local) -> str:
    """The last day on which a passage can have been written: its own date, or else the day of its
    file; empty if neither is known."""
    if own:
        return own
    day = file_day(modified_at, local)
    return day.isoformat() if day else ""


def file_day(modified_at: str, local: Local) -> date | None:
    """The day of a file's time in the user's time zone; None for a time outside the calendar."""
    try:
        return local(datetime.fromisoformat(modified_at)).date()
    except (ValueError, OverflowError):
        return None
