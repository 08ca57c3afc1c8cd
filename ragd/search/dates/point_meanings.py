"""What the words of a point of time mean: the days of a match, from today's date. Pure.

Each function takes a match of a form of `time_points` and returns one span, or a span of each year,
or nothing if there are no such days.
"""

import re
from datetime import date

from ragd.search.dates import day_spans, time_names
from ragd.search.dates.day_spans import OfYear, Span

Meaning = tuple[Span | None, OfYear | None]


def in_year(year: str | None, of_year: OfYear) -> Meaning:
    """The span in this year, or in each year if none is named."""
    return (of_year(int(year)), None) if year else (None, of_year)


def no_time(match: re.Match[str], today: date) -> Meaning:
    """A name that looks like a time."""
    return None, None


def calendar_day(match: re.Match[str], today: date) -> Meaning:
    parts = match.groupdict()
    name = parts.get("month")
    month = time_names.MONTHS[name.lower()] if name else time_names.number(parts["number"])
    day = time_names.number(parts["day"])
    if (
        month is None or day is None or day_spans.one_day(2024, month, day) is None
    ):  # a leap year has every day that there is
        return None, None
    return in_year(parts["year"], lambda year: day_spans.one_day(year, month, day))


def calendar_month(match: re.Match[str], today: date) -> Meaning:
    parts = match.groupdict()
    name = parts.get("month")
    month = time_names.MONTHS[name.lower()] if name else time_names.number(parts["number"])
    if month is None or not 1 <= month <= 12:
        return None, None
    return in_year(parts["year"], lambda year: day_spans.month_span(year, month))


def year(match: re.Match[str], today: date) -> Meaning:
    return day_spans.year_span(int(match["year"])), None


def quarter(match: re.Match[str], today: date) -> Meaning:
    return day_spans.quarter(int(match["year"]), int(match["number"]) - 1), None


def week(match: re.Match[str], today: date) -> Meaning:
    try:
        return day_spans.week_of(
            date.fromisocalendar(int(match["year"]), int(match["number"]), 1)
        ), None
    except ValueError:
        return None, None


def day_word(match: re.Match[str], today: date) -> Meaning:
    return day_spans.shift(today, "day", time_names.DAY_WORDS[_normalised(match.group())]), None


def relative(match: re.Match[str], today: date) -> Meaning:
    """Last week, this month, 上个月."""
    step = time_names.STEPS[_normalised(match["step"])]
    return day_spans.calendar_unit(today, time_names.UNITS[match["unit"].lower()], step), None


def relative_month(match: re.Match[str], today: date) -> Meaning:
    """Last March, this summer: the one of this year, or the latest that has begun."""
    step, word = time_names.STEPS[_normalised(match["step"])], match["named"].lower()
    of_year = _month_or_season(word)
    ours = of_year(today.year)
    if ours is None:
        return None, None
    if step < 0:
        return of_year(today.year - (ours.end >= today) + step + 1), None
    return of_year(today.year + (step > 0 and ours.start <= today)), None


def named_of_year(match: re.Match[str], today: date) -> Meaning:
    """Last year's summer."""
    step = time_names.STEPS[_normalised(match["step"])]
    return _month_or_season(match["named"].lower())(today.year + step), None


def before_last(match: re.Match[str], today: date) -> Meaning:
    """The week before last, the summer before last."""
    parts = match.groupdict()
    if unit := parts.get("unit"):
        return day_spans.calendar_unit(today, time_names.UNITS[unit.lower()], -2), None
    season = time_names.SEASONS[parts["season"].lower()]
    ours = day_spans.season_span(today.year, season)
    year = today.year - (ours is None or ours.end >= today) - 1
    return day_spans.season_span(year, season), None


def last_year(match: re.Match[str], today: date) -> Meaning:
    return day_spans.year_span(today.year - 1), None


def _month_or_season(word: str) -> OfYear:
    """The month or season of this name."""
    if word in time_names.MONTHS:
        return lambda year: day_spans.month_span(year, time_names.MONTHS[word])
    return lambda year: day_spans.season_span(year, time_names.SEASONS[word])


def season(match: re.Match[str], today: date) -> Meaning:
    season = time_names.SEASONS[match["season"].lower()]
    return in_year(match["year"], lambda year: day_spans.season_span(year, season))


def relative_year_season(match: re.Match[str], today: date) -> Meaning:
    """去年夏天: the season or month of last year."""
    year = today.year + time_names.STEPS[match["step"]]
    if match["season"]:
        return day_spans.season_span(year, time_names.SEASONS[match["season"]]), None
    month = time_names.number(match["number"])
    return (day_spans.month_span(year, month) if month else None), None


def feast(match: re.Match[str], today: date) -> Meaning:
    feast = time_names.FEASTS[_normalised(match["feast"])]
    return in_year(match["year"], lambda year: _feast_of(feast, year))


def _feast_of(feast: str, year: int) -> Span | None:
    if feast == "easter":
        sunday = day_spans.easter(year) if 1 <= year <= 9999 else None
        return (
            Span(day_spans.add_days(sunday, -2), day_spans.add_days(sunday, 1)) if sunday else None
        )
    if feast == "thanksgiving":
        first = day_spans.one_day(year, 11, 1)
        thursday = (
            day_spans.add_days(first.start, (3 - first.start.weekday()) % 7 + 21) if first else None
        )
        return Span(thursday, thursday) if thursday else None
    month, first_day, last_day = time_names.FIXED_FEASTS[feast]
    start, end = day_spans.one_day(year, month, first_day), day_spans.one_day(year, month, last_day)
    return Span(start.start, end.end) if start and end else None


def ago(match: re.Match[str], today: date) -> Meaning:
    count, unit = time_names.number(match["count"]), time_names.UNITS[match["unit"].lower()]
    if count is None:
        return None, None
    if _normalised(match["count"]) in time_names.VAGUE:
        first, last = day_spans.shift(today, unit, -2 * count), day_spans.shift(today, unit, -1)
        return (Span(first.start, last.end) if first and last else None), None
    return day_spans.shift(today, unit, -count), None


def recent(match: re.Match[str], today: date) -> Meaning:
    count = time_names.number(match["count"])
    if count is None:
        return None, None
    return day_spans.recent(today, time_names.UNITS[match["unit"].lower()], count), None


def lately(match: re.Match[str], today: date) -> Meaning:
    return day_spans.recent(today, "day", 30), None


def weekday(match: re.Match[str], today: date) -> Meaning:
    weekday = time_names.WEEKDAYS[match["weekday"].lower()]
    step = time_names.STEPS[_normalised(match["step"])] if match["step"] else -1
    day = day_spans.add_days(day_spans.weekday_before(today, weekday), 7 * min(step + 1, 0))
    if step >= 0:
        day = day_spans.add_days(day_spans.week_of(today).start, weekday + 7 * step)
    return Span(day, day), None


def weekday_of_week(match: re.Match[str], today: date) -> Meaning:
    """上周二: the day of the calendar's week."""
    step = time_names.STEPS[_normalised(match["step"])]
    weekday = time_names.WEEKDAYS[match["weekday"].lower()]
    day = day_spans.add_days(day_spans.week_of(today).start, weekday + 7 * step)
    return Span(day, day), None


def _normalised(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())
