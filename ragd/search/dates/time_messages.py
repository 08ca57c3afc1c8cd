"""Describes the time that a question names, and explains an empty date range. Pure."""

import calendar
from collections.abc import Sequence
from typing import Any

from ragd.search.dates import NamedTime, Phrase, Span
from ragd.search.dates.day_spans import FIRST, month_span

MOST_SPANS = 5


def describe_time(when: NamedTime) -> dict[str, Any]:
    """The words that were understood as a time, and their days.

    `listed`: the question has no other words, so the notes of that time are listed.
    """
    phrases = [_describe_phrase(phrase) for phrase in when.phrases]
    return {"phrases": phrases, "listed": when.lists_everything}


def _describe_phrase(phrase: Phrase) -> dict[str, Any]:
    days = [_describe_days(span) for span in phrase.spans[-MOST_SPANS:]]
    if phrase.every_year:
        first, last = phrase.spans[-1].iso_days()
        days = [{"from": first[len("2025-") :], "to": last[len("2025-") :]}]
    return {"words": phrase.words, "days": days, "every_year": phrase.every_year}


def _describe_days(span: Span) -> dict[str, str | None]:
    """Both ends; `from` is None for a span without a beginning."""
    first, last = span.iso_days()
    return {"from": None if span.start == FIRST else first, "to": last}


def explain_no_note_of_time(spans: Sequence[Span]) -> str:
    """That no note has a date in the named time."""
    if len(spans) != 1:
        return "No note is dated in that time."
    return f"No note is dated {_span_in_words(spans[0])}."


def explain_unknown_event(event: str) -> str:
    """That a time that is counted from an event was searched as words."""
    return (
        f'No note states the day of "{event}", so the time counted from it is not known; '
        "its words were searched."
    )


def _span_in_words(span: Span) -> str:
    start, end = span
    if start == end:
        return start.isoformat()
    if start == FIRST:
        return f"{end.isoformat()} or earlier"
    if span == month_span(start.year, start.month):
        return f"in {calendar.month_name[start.month]} {start.year}"
    if start.year == end.year and span.days == 365 + calendar.isleap(start.year):
        return f"in {start.year}"
    return f"between {start.isoformat()} and {end.isoformat()}"


def explain_no_dated_results(undated: int, by_file_time: bool) -> str:
    """Why nothing was found between the requested days, and what to do about it."""
    if not undated:
        return "No note from these days matches. Every note has a date of its own."
    many = "1 note has" if undated == 1 else f"{undated:,} notes have"
    message = (
        f"No note from these days matches. {many} no date: dates come from the file's name, the "
        "folders above it, the properties `date` and `created`, and headings."
    )
    if by_file_time:
        return message
    return f"{message} With `by_file_time` (`--by-file-time`) their file's time is used."
