"""Spans of days: a year, a month, a season, Easter, three weeks ago. Pure.

A day that the calendar does not have is None, never an error. Seasons are those of the northern
hemisphere; the winter of 2023 ends in February 2024.
"""

import calendar
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

FIRST, LAST = date(1, 1, 1), date(9999, 12, 31)


class Span(NamedTuple):
    """A first and a last day, both included."""

    start: date
    end: date

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1

    def iso_days(self) -> tuple[str, str]:
        """Both days in ISO format."""
        return self.start.isoformat(), self.end.isoformat()


class MonthDay(NamedTuple):
    """A day of every year, or of one year if that is known."""

    month: int
    day: int
    year: int | None = None


OfYear = Callable[[int], Span | None]  # the span in a given year


def add_days(day: date, days: int) -> date:
    """That many days later, limited to the ends of the calendar."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return LAST if days > 0 else FIRST


def one_day(year: int, month: int, day: int) -> Span | None:
    try:
        found = date(year, month, day)
    except ValueError:
        return None
    return Span(found, found)


def month_span(year: int, month: int) -> Span | None:
    if not (1 <= year <= 9999 and 1 <= month <= 12):
        return None
    return Span(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def year_span(year: int) -> Span | None:
    return Span(date(year, 1, 1), date(year, 12, 31)) if 1 <= year <= 9999 else None


def week_of(day: date) -> Span:
    """Monday to Sunday."""
    monday = add_days(day, -day.weekday())
    return Span(monday, add_days(monday, 6))


def season_span(year: int, season: int) -> Span | None:
    """A season of a year; 0 is spring."""
    month = 3 + 3 * season
    last = month_span(year + (season == 3), (month + 1) % 12 + 1)
    return Span(date(year, month, 1), last.end) if last and 1 <= year <= 9999 else None


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar."""
    century, golden = year // 100, year % 19
    moon = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    moon -= (moon // 28) * (1 - (29 // (moon + 1)) * ((21 - golden) // 11))
    weekday = (year + year // 4 + moon + 2 - century + century // 4) % 7
    ahead = moon - weekday
    month = 3 + (ahead + 40) // 44
    return date(year, month, ahead + 28 - 31 * (month // 4))


def weekday_before(today: date, weekday: int) -> date:
    """The latest day before today with this weekday."""
    return add_days(today, -((today.weekday() - weekday - 1) % 7 + 1))


def shift(today: date, unit: str, count: int) -> Span | None:
    """The day, week, month or year that is `count` units from today; a negative count is earlier.

    For weeks: the seven days around that day.
    """
    if unit == "day":
        day = add_days(today, count)
        return Span(day, day)
    if unit == "week":
        day = add_days(today, 7 * count)
        return Span(add_days(day, -3), add_days(day, 3))
    if unit == "month":
        months = today.year * 12 + today.month - 1 + count
        return month_span(months // 12, months % 12 + 1)
    return year_span(today.year + count)


def calendar_unit(today: date, unit: str, step: int) -> Span | None:
    """This (0), last (-1) or next (1) week, weekend, month, quarter or year of the calendar."""
    if unit == "week":
        return week_of(add_days(today, 7 * step))
    if unit == "weekend":
        saturday = add_days(week_of(add_days(today, 7 * step)).start, 5)
        return Span(saturday, add_days(saturday, 1))
    if unit == "quarter":
        return quarter(today.year, (today.month - 1) // 3 + step)
    return shift(today, unit, step)


def quarter(year: int, number: int) -> Span | None:
    """A quarter of a year, from 0; -1 is the last quarter of the year before."""
    first = month_span(year + number // 4, number % 4 * 3 + 1)
    last = month_span(year + number // 4, number % 4 * 3 + 3)
    return Span(first.start, last.end) if first and last else None


def recent(today: date, unit: str, count: int) -> Span:
    """The last `count` days, weeks, months or years, including today."""
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[unit] * count
    return Span(add_days(today, -min(days, 4_000_000)), today)


def seven_days_of(span: Span, number: int) -> Span:
    """The first (0), second (1) and so on, or last (-1) seven days of a span; fewer at its end."""
    if number < 0:
        return Span(max(span.start, add_days(span.end, -6)), span.end)
    start = min(add_days(span.start, 7 * number), span.end)
    return Span(start, min(add_days(start, 6), span.end))


def first_day_of(span: Span) -> Span:
    """The first day of a span."""
    return Span(span.start, span.start)


def last_day_of(span: Span) -> Span:
    """The last day of a span."""
    return Span(span.end, span.end)


def third_of(span: Span, third: int) -> Span:
    """The first (0), middle (1) or last (2) third of a span."""
    size = max(1, span.days // 3)
    start = min(add_days(span.start, third * size), span.end)
    return Span(start, span.end if third == 2 else min(add_days(start, size - 1), span.end))
