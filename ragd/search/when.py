"""The time that a question names: "in 2024", "last March", "on 15 January", `5月2日`. Pure.

It never guesses from half a sign: "may" is a month only where a day, a year or an "in" goes with
it. Without a year, the day or month of every year is meant, unless it is the last one or this one.
"""

import calendar
import re
from collections.abc import Iterator
from datetime import date, timedelta

Span = tuple[str, str]  # first and last day, as ISO writes them

OLDEST_YEAR = 1990  # of those that are meant where none is named
MOST_CHARACTERS = 2_000

_NAMES = (
    "january jan januar jänner|february feb februar|march mar märz|april apr|may mai|"
    "june jun juni|july jul juli|august aug|september sept sep|october oct oktober okt|"
    "november nov|december dec dezember dez"
)
_MONTHS = {
    name: number for number, names in enumerate(_NAMES.split("|"), 1) for name in names.split()
}
_MONTH = f"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>[0-3]?\d)"
_LAST = "(?P<last>last|past|previous|letzten|letzte|letztes|vorigen|vergangenen)"
_THIS = "(?P<this>this|diesen|dieses|diese)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){text}(?![\w-])", re.I)


# In this order: what one has read, the next does not read again.
_FORMS = (
    _pattern(rf"{_YEAR}[-/.](?P<number>[01]?\d)[-/.]{_DAY}"),
    _pattern(rf"{_YEAR}-(?P<number>[01]\d)"),
    re.compile(r"(?:(?P<year>\d{4})\s*年\s*)?(?P<number>1?\d)\s*月\s*(?P<day>[0-3]?\d)\s*[日号號]"),
    re.compile(r"(?:(?P<year>\d{4})\s*年\s*)?(?P<number>1?\d)\s*月(?!\s*\d)"),
    re.compile(r"(?P<year>\d{4})\s*年"),
    _pattern(rf"{_MONTH}\.?\s+{_DAY}(?:st|nd|rd|th)?(?:,?\s+{_YEAR})?"),
    _pattern(rf"{_DAY}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH}\.?(?:,?\s+{_YEAR})?"),
    _pattern(rf"{_MONTH}\.?,?\s+(?:of\s+)?{_YEAR}"),
    _pattern(rf"(?:in|im|during|since|seit|{_LAST}|{_THIS})\s+{_MONTH}"),
    _pattern(rf"(?:{_LAST}|{_THIS})\s+(?P<unit>week|month|year|woche|monat|jahr)"),
    _pattern(r"(?P<word>today|yesterday|heute|gestern|今天|昨天)"),
    _pattern(_YEAR),
)
_UNITS = {"woche": "week", "monat": "month", "jahr": "year"}
_DAYS_AGO = {"today": 0, "heute": 0, "今天": 0, "yesterday": 1, "gestern": 1, "昨天": 1}


def named(question: str, today: date) -> list[Span]:
    """The spans of time that a question names; none if it names none."""
    text = question[:MOST_CHARACTERS]
    found: list[Span] = []
    for form in _FORMS:
        for match in form.finditer(text):
            found += _spans(match.groupdict(), today)
        text = form.sub(lambda match: " " * len(match.group()), text)
    return list(dict.fromkeys(found))


def _spans(parts: dict[str, str | None], today: date) -> Iterator[Span]:
    last = parts.get("last") is not None
    if unit := parts.get("unit"):
        yield _relative(_UNITS.get(unit.lower(), unit.lower()), last, today)
    elif word := parts.get("word"):
        day = today - timedelta(days=_DAYS_AGO[word.lower()])
        yield day.isoformat(), day.isoformat()
    else:
        year, month, day_of_month = (_number(parts.get(n)) for n in ("year", "number", "day"))
        if name := parts.get("month"):
            month = _MONTHS[name.lower()]
        for one in _years(year, month, last, parts.get("this") is not None, today):
            if span := _calendar(one, month, day_of_month):
                yield span


def _years(year: int | None, month: int | None, last: bool, this: bool, today: date) -> list[int]:
    if year is not None:
        return [year]
    if last and month is not None:
        return [today.year if month < today.month else today.year - 1]
    return [today.year] if this else list(range(OLDEST_YEAR, today.year + 1))


def _calendar(year: int, month: int | None, day: int | None) -> Span | None:
    """A year, a month of it, or a day of that; None for what no calendar has."""
    try:
        if month is None:
            return date(year, 1, 1).isoformat(), date(year, 12, 31).isoformat()
        if day is None:
            end = calendar.monthrange(year, month)[1]
            return date(year, month, 1).isoformat(), date(year, month, end).isoformat()
        return date(year, month, day).isoformat(), date(year, month, day).isoformat()
    except (ValueError, calendar.IllegalMonthError):
        return None


def _relative(unit: str, last: bool, today: date) -> Span:
    if unit == "year":
        year = today.year - last
        return f"{year}-01-01", f"{year}-12-31"
    if unit == "month":
        first = today.replace(day=1)
        if last:
            first = (first - timedelta(days=1)).replace(day=1)
        end = first.replace(day=calendar.monthrange(first.year, first.month)[1])
        return first.isoformat(), end.isoformat()
    monday = today - timedelta(days=today.weekday() + 7 * last)
    return monday.isoformat(), (monday + timedelta(days=6)).isoformat()


def _number(text: str | None) -> int | None:
    return int(text) if text is not None else None
