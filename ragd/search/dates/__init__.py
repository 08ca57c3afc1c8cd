"""Finds the time that a question names, from today's date and from days in the notes. Pure.

    find_time("What did I cook two days before my birthday?", today, {"my": MonthDay(5, 14)})

`time_points` reads single days, weeks, months, seasons and feasts; `time_phrases` reads the words
around them ("since", "between … and", "two days before"); `closeness` computes how near a date is
to a span; `event_days` finds a birthday or an event in the text of notes. It reads neither clock
nor index.
"""

from ragd.search.dates.closeness import WEAK, closeness, widen
from ragd.search.dates.day_spans import MonthDay, Span
from ragd.search.dates.event_days import (
    BIRTHDAY_PROPERTIES,
    birth_owner,
    find_birth,
    find_birthday,
    find_event_day,
    has_content,
)
from ragd.search.dates.time_phrases import NamedTime, Phrase, find_time, named_events
from ragd.search.dates.time_points import birthday_owners

__all__ = [
    "BIRTHDAY_PROPERTIES",
    "WEAK",
    "MonthDay",
    "NamedTime",
    "Phrase",
    "Span",
    "birth_owner",
    "birthday_owners",
    "closeness",
    "find_birth",
    "find_birthday",
    "find_event_day",
    "find_time",
    "has_content",
    "named_events",
    "widen",
]
