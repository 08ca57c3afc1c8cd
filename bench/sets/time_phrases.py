"""Words for times, with the days that they mean, seen from a given today. Pure."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 10: "ten"}


class Phrase(NamedTuple):
    """Words as at the end of a question, and the first and last day they mean."""

    words: str
    first: date
    last: date
    kind: str = "relative"


def phrases(today: date, oldest: date) -> Iterator[Phrase]:
    """All phrases for days between the oldest day and today."""
    for phrase in (
        *_days(today),
        *_weeks(today),
        *_months(today),
        *_named(today, oldest),
        *_german(today),
    ):
        if oldest <= phrase.first <= phrase.last <= today:
            yield phrase


def _days(today: date) -> Iterator[Phrase]:
    yield Phrase("yesterday", _ago(today, 1), _ago(today, 1))
    yield Phrase("the day before yesterday", _ago(today, 2), _ago(today, 2))
    for days, number in NUMBERS.items():
        yield Phrase(f"{number} days ago", _ago(today, days), _ago(today, days))
    yield Phrase("a week ago", _ago(today, 8), _ago(today, 6))
    for at, name in enumerate(WEEKDAYS):
        back = (today.weekday() - at) % 7 or 7
        yield Phrase(f"last {name}", _ago(today, back), _ago(today, back))
    yield Phrase("in the last three days", _ago(today, 3), today)


def _weeks(today: date) -> Iterator[Phrase]:
    monday = _ago(today, today.weekday())
    yield Phrase("last week", _ago(monday, 7), _ago(monday, 1))
    yield Phrase("this week", monday, today)
    yield Phrase("in the past two weeks", _ago(today, 14), today)
    yield Phrase("two weeks ago", _ago(monday, 14), _ago(monday, 8))
    yield Phrase("three weeks ago", _ago(monday, 21), _ago(monday, 15))


def _months(today: date) -> Iterator[Phrase]:
    this = today.replace(day=1)
    last = _ago(this, 1).replace(day=1)
    yield Phrase("last month", last, _ago(this, 1))
    before = _ago(last, 1).replace(day=1)
    yield Phrase("two months ago", before, _ago(last, 1))
    yield Phrase("last year", date(today.year - 1, 1, 1), date(today.year - 1, 12, 31))
    for month in range(1, 13):
        if month != today.month:
            year = today.year if month < today.month else today.year - 1
            first = date(year, month, 1)
            yield Phrase(f"since {MONTHS[month - 1]}", first, today)
            yield Phrase(f"last {MONTHS[month - 1]}", first, _end(first))
    season, year = "summer", today.year if today.month > 8 else today.year - 1
    yield Phrase(f"last {season}", date(year, 6, 1), date(year, 8, 31))


def _named(today: date, oldest: date) -> Iterator[Phrase]:
    for year in range(oldest.year, today.year + 1):
        for season, month in (("spring", 3), ("summer", 6), ("autumn", 9)):
            span = date(year, month, 1), _end(date(year, month + 2, 1))
            yield Phrase(f"in the {season} of {year}", *span, "named")
            yield Phrase(f"in {season} {year}", *span, "named")
        yield Phrase(f"at Christmas {year}", date(year, 12, 24), date(year, 12, 26), "named")
        yield Phrase(f"in {year}", date(year, 1, 1), date(year, 12, 31), "named")
        for month in range(1, 13):
            first = date(year, month, 1)
            name = MONTHS[month - 1]
            yield Phrase(f"in {name} {year}", first, _end(first), "named")
            if month % 3 == 1:
                day = date(year, month, 3 + (year + month) % 20)
                yield Phrase(f"on {day.day} {name} {year}", day, day, "named")
                yield Phrase(f"on {name} {day.day}, {year}", day, day, "named")
            if month < 11:
                after = date(year, month + 2, 1)
                words = f"between {name} and {MONTHS[month + 1]} {year}"
                yield Phrase(words, first, _end(after), "named")


def _german(today: date) -> Iterator[Phrase]:
    monday, this = _ago(today, today.weekday()), today.replace(day=1)
    yield Phrase("gestern", _ago(today, 1), _ago(today, 1), "german")
    yield Phrase("vorgestern", _ago(today, 2), _ago(today, 2), "german")
    yield Phrase("letzte Woche", _ago(monday, 7), _ago(monday, 1), "german")
    yield Phrase("letzten Monat", _ago(this, 1).replace(day=1), _ago(this, 1), "german")
    yield Phrase("vor drei Tagen", _ago(today, 3), _ago(today, 3), "german")


def _ago(day: date, days: int) -> date:
    return day - timedelta(days=days)


def _end(month: date) -> date:
    """The month's last day."""
    return (month.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
