"""What an answer says about time: which phrase was understood, and why a date filter left nothing.

Pure.
"""

from typing import Any

from ragd.search.dates import NamedTime, Phrase, Span
from ragd.search.dates.day_spans import FIRST

MOST_SPANS = 5


def time_shown(when: NamedTime) -> dict[str, Any]:
    """The words that were understood as a time, and the days that they mean.

    `listed`: nothing else was asked for, so the notes of that time are listed.
    """
    phrases = [_phrase(phrase) for phrase in when.phrases]
    return {"phrases": phrases, "listed": when.lists_everything}


def _phrase(phrase: Phrase) -> dict[str, Any]:
    days = [_days(span) for span in phrase.spans[-MOST_SPANS:]]
    if phrase.every_year:
        first, last = phrase.spans[-1].iso_days()
        days = [{"from": first[len("2025-") :], "to": last[len("2025-") :]}]
    return {"words": phrase.words, "days": days, "every_year": phrase.every_year}


def _days(span: Span) -> dict[str, str | None]:
    """Both ends; a span that is open at its beginning has none."""
    first, last = span.iso_days()
    return {"from": None if span.start == FIRST else first, "to": last}


def nothing_dated(undated: int, by_file_time: bool) -> str:
    """Why nothing was found between the days that were asked for, and what to do about it."""
    if not undated:
        return "No note of these days matches. Every note has a date of its own."
    many = "1 note has" if undated == 1 else f"{undated:,} notes have"
    said = (
        f"No note of these days matches. {many} no date: dates come from the file's name, the "
        "folders above it, the properties `date` and `created`, and headings."
    )
    if by_file_time:
        return said
    return f"{said} With `by_file_time` (`--by-file-time`) the file's time counts for them."
