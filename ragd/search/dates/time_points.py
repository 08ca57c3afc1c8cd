"""Single points of time in a text: a day, a week, a month, a season, a holiday, a birthday. Pure.

English, German and Chinese. A word with other meanings ("may", "spring", "Monday", "Christmas") is
a point only after certain words: `time_phrases` decides that.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache

from msgspec import Struct

from ragd.search.dates import day_spans, time_names
from ragd.search.dates.day_spans import MonthDay, OfYear, Span


class Point(Struct, frozen=True):
    """The position of a point in the text, and its days: one span, or one of every year."""

    start: int
    end: int
    fixed: Span | None = None
    of_year: OfYear | None = None
    is_sure: bool = True  # False: a point only after a word such as "in" or "since"
    is_name: bool = False  # a year alone: it may be part of a name, so it is also searched
    is_weekday: bool = False


Part = Callable[[Span], Span]  # a part of a span: its beginning, its last week
Meaning = tuple[Span | None, OfYear | None]
Birthdays = Mapping[str, MonthDay]  # by owner, in lower case; the user's own is "my"


def find_points(text: str, today: date, birthdays: Birthdays) -> list[Point]:
    """All points of a text, in order, without overlaps. `birthdays` may also have the days of
    events, with their years, by the words that name them."""
    found = [*_find_birthdays(text, birthdays), *_find_events(text, birthdays)]
    text = _blanked(text, [(point.start, point.end) for point in found])
    for form in _FORMS:
        read = []
        for match in form.find_in(text):
            fixed, of_year = form.meaning(match, today)
            if fixed is not None or of_year is not None:
                found.append(_make_point(match, form, fixed, of_year))
            read.append(match.span())
        text = _blanked(text, read)
    return sorted(found, key=lambda point: point.start)


class _Form(Struct, frozen=True):
    """A way of writing a point."""

    pattern: str
    meaning: Callable[[re.Match[str], date], Meaning]
    is_sure: bool = True
    is_name: bool = False
    is_weekday: bool = False

    def find_in(self, text: str) -> Iterator[re.Match[str]]:
        return _compiled(self.pattern).finditer(text)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first used: a daemon that starts has no question yet."""
    return re.compile(pattern, re.I)


def _make_point(
    match: re.Match[str], form: _Form, fixed: Span | None, of_year: OfYear | None
) -> Point:
    # The name of a month, season or feast with a year has no other meaning.
    is_sure = form.is_sure or (fixed is not None and not form.is_weekday)
    where = match.span()
    return Point(*where, fixed, of_year, is_sure, form.is_name, form.is_weekday)


def _blanked(text: str, ranges: Sequence[tuple[int, int]]) -> str:
    """The text without what one form has read, so that no other form reads it again."""
    if not ranges:
        return text
    pieces, at = [], 0
    for start, end in sorted(ranges):
        pieces += [text[at:start], "\0" * (end - max(at, start))]
        at = max(at, end)
    return "".join([*pieces, text[at:]])


def _whole_word(text: str) -> str:
    return rf"(?<![\w-]){text}(?![\w-])"


def _in_year(year: str | None, of_year: OfYear) -> Meaning:
    """The span in this year, or in each year if none is named."""
    return (of_year(int(year)), None) if year else (None, of_year)


def _calendar_day(match: re.Match[str], today: date) -> Meaning:
    parts = match.groupdict()
    name = parts.get("month")
    month = time_names.MONTHS[name.lower()] if name else int(parts["number"])
    day = int(parts["day"])
    if day_spans.one_day(2024, month, day) is None:  # a leap year has every day that there is
        return None, None
    return _in_year(parts["year"], lambda year: day_spans.one_day(year, month, day))


def _calendar_month(match: re.Match[str], today: date) -> Meaning:
    parts = match.groupdict()
    name = parts.get("month")
    month = time_names.MONTHS[name.lower()] if name else time_names.number(parts["number"])
    if month is None or not 1 <= month <= 12:
        return None, None
    return _in_year(parts["year"], lambda year: day_spans.month_span(year, month))


def _year(match: re.Match[str], today: date) -> Meaning:
    return day_spans.year_span(int(match["year"])), None


def _quarter(match: re.Match[str], today: date) -> Meaning:
    return day_spans.quarter(int(match["year"]), int(match["number"]) - 1), None


def _week(match: re.Match[str], today: date) -> Meaning:
    try:
        return day_spans.week_of(
            date.fromisocalendar(int(match["year"]), int(match["number"]), 1)
        ), None
    except ValueError:
        return None, None


def _day_word(match: re.Match[str], today: date) -> Meaning:
    return day_spans.shift(today, "day", time_names.DAY_WORDS[_normalised(match.group())]), None


def _relative(match: re.Match[str], today: date) -> Meaning:
    """Last week, this month, 上个月."""
    step = time_names.STEPS[_normalised(match["step"])]
    return day_spans.calendar_unit(today, time_names.UNITS[match["unit"].lower()], step), None


def _relative_month(match: re.Match[str], today: date) -> Meaning:
    """Last March, this summer: the one of this year, or the latest that has begun."""
    step, word = time_names.STEPS[_normalised(match["step"])], match["named"].lower()
    of_year = _month_or_season(word)
    ours = of_year(today.year)
    if ours is None:
        return None, None
    if step < 0:
        return of_year(today.year - (ours.end >= today)), None
    return of_year(today.year + (step > 0 and ours.start <= today)), None


def _month_or_season(word: str) -> OfYear:
    """The month or season of this name."""
    if word in time_names.MONTHS:
        return lambda year: day_spans.month_span(year, time_names.MONTHS[word])
    return lambda year: day_spans.season_span(year, time_names.SEASONS[word])


def _season(match: re.Match[str], today: date) -> Meaning:
    season = time_names.SEASONS[match["season"].lower()]
    return _in_year(match["year"], lambda year: day_spans.season_span(year, season))


def _relative_year_season(match: re.Match[str], today: date) -> Meaning:
    """去年夏天: the season or month of last year."""
    year = today.year + time_names.STEPS[match["step"]]
    if match["season"]:
        return day_spans.season_span(year, time_names.SEASONS[match["season"]]), None
    month = time_names.number(match["number"])
    return (day_spans.month_span(year, month) if month else None), None


def _feast(match: re.Match[str], today: date) -> Meaning:
    feast = time_names.FEASTS[_normalised(match["feast"])]
    return _in_year(match["year"], lambda year: _feast_of(feast, year))


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


def _ago(match: re.Match[str], today: date) -> Meaning:
    count, unit = time_names.number(match["count"]), time_names.UNITS[match["unit"].lower()]
    if count is None:
        return None, None
    if _normalised(match["count"]) in time_names.VAGUE:
        first, last = day_spans.shift(today, unit, -2 * count), day_spans.shift(today, unit, -1)
        return (Span(first.start, last.end) if first and last else None), None
    return day_spans.shift(today, unit, -count), None


def _recent(match: re.Match[str], today: date) -> Meaning:
    count = time_names.number(match["count"])
    if count is None:
        return None, None
    return day_spans.recent(today, time_names.UNITS[match["unit"].lower()], count), None


def _lately(match: re.Match[str], today: date) -> Meaning:
    return day_spans.recent(today, "day", 30), None


def _weekday(match: re.Match[str], today: date) -> Meaning:
    weekday = time_names.WEEKDAYS[match["weekday"].lower()]
    step = time_names.STEPS[_normalised(match["step"])] if match["step"] else -1
    day = day_spans.weekday_before(today, weekday)
    if step >= 0:
        day = day_spans.add_days(day_spans.week_of(today).start, weekday + 7 * step)
    return Span(day, day), None


def _weekday_of_week(match: re.Match[str], today: date) -> Meaning:
    """上周二: the day of the calendar's week."""
    step = time_names.STEPS[match["step"]]
    day = day_spans.add_days(
        day_spans.week_of(today).start, time_names.WEEKDAYS[match["weekday"]] + 7 * step
    )
    return Span(day, day), None


def _normalised(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _any_of(words: Mapping[str, object]) -> str:
    longest = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]") for word in longest)


_YEAR = r"(?P<year>(?:19|20)\d\d)"
_THEN_YEAR = rf"(?:,?\s+(?:of\s+|in\s+|im\s+jahr\s+|des\s+jahres\s+)?{_YEAR})?"
_DAY = r"(?P<day>[0-3]?\d)"
_MONTH = f"(?P<month>{_any_of(time_names.MONTHS)})"
_SEASON = f"(?P<season>{_any_of(time_names.LATIN_SEASONS)})"
_STEP = f"(?P<step>{_any_of(time_names.LATIN_STEPS)})"
_COUNT = f"(?P<count>{_any_of(time_names.LATIN_NUMBERS)}|\\d{{1,4}})"
_UNIT = f"(?P<unit>{_any_of(time_names.LATIN_UNITS)})"
_ZH_YEAR = r"(?:(?P<year>\d{4})\s*年\s*)?"
_ZH_NUMBER = r"(?P<number>1?\d|[一二三四五六七八九]|十[一二]?)"
_ZH_COUNT = r"(?P<count>\d{1,4}|[一二两三四五六七八九十几]{1,3})"
_ZH_UNIT = f"个?(?P<unit>{_any_of(time_names.CHINESE_UNITS)})"
_ZH_STEP = f"(?P<step>{_any_of(time_names.CHINESE_STEPS)})"
_ZH_DAY = f"(?:周|星期|礼拜)(?P<weekday>{_any_of(time_names.CHINESE_WEEKDAYS)})"

# The order matters: what one form has read, the next forms do not read again.
_FORMS = (
    _Form(_whole_word(rf"{_YEAR}[-/.](?P<number>[01]?\d)[-/.]{_DAY}"), _calendar_day),
    _Form(_whole_word(rf"{_DAY}\.\s?(?P<number>[01]?\d)\.\s?{_YEAR}"), _calendar_day),
    _Form(_whole_word(rf"{_YEAR}-(?P<number>[01]\d)"), _calendar_month),
    _Form(rf"{_ZH_YEAR}{_ZH_NUMBER}\s*月\s*(?P<day>[0-3]?\d)\s*[日号號]", _calendar_day),
    _Form(
        rf"(?P<step>去|今|前|明)年的?(?:(?P<season>[春夏秋冬])[天季]|{_ZH_NUMBER}月)",
        _relative_year_season,
    ),
    _Form(rf"{_ZH_YEAR}的?(?P<season>[春夏秋冬])[天季]", _season, is_sure=False),
    _Form(rf"{_ZH_COUNT}\s*{_ZH_UNIT}(?:之|以)?前", _ago),
    _Form(rf"(?:最近|过去|近)的?\s*{_ZH_COUNT}\s*{_ZH_UNIT}", _recent),
    _Form(rf"{_ZH_STEP}个?{_ZH_DAY}", _weekday_of_week),
    _Form(rf"(?<![上下])(?P<step>){_ZH_DAY}", _weekday),
    _Form(r"(?P<step>去|今|前|明)(?P<unit>年)", _relative),
    _Form(rf"{_ZH_STEP}个?(?P<unit>月|周末|周|星期|礼拜)", _relative),
    _Form(_any_of(time_names.CHINESE_DAY_WORDS), _day_word),
    _Form(
        rf"{_ZH_YEAR}(?P<feast>{_any_of(time_names.CHINESE_FEASTS)})",
        _feast,
        is_sure=False,
    ),
    _Form(rf"{_ZH_YEAR}{_ZH_NUMBER}\s*月(?:份)?(?!\s*\d)", _calendar_month),
    _Form(r"(?P<year>\d{4})\s*年", _year),
    _Form("最近|近来", _lately),
    _Form(_whole_word(rf"{_MONTH}\.?\s+{_DAY}(?:st|nd|rd|th)?{_THEN_YEAR}"), _calendar_day),
    _Form(
        _whole_word(rf"{_DAY}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH}\.?{_THEN_YEAR}"),
        _calendar_day,
    ),
    _Form(_whole_word(rf"q(?P<number>[1-4])\s+(?:of\s+)?{_YEAR}"), _quarter),
    _Form(_whole_word(rf"(?:week|kw)\s+(?P<number>\d\d?)(?:,|\s+of|\s+in)?\s+{_YEAR}"), _week),
    _Form(
        _whole_word(
            f"{_STEP}\\s+(?P<named>{_any_of({**time_names.MONTHS, **time_names.LATIN_SEASONS})})"
        ),
        _relative_month,
    ),
    _Form(_whole_word(rf"{_MONTH}\.?{_THEN_YEAR}"), _calendar_month, is_sure=False),
    _Form(_whole_word(rf"{_SEASON}{_THEN_YEAR}"), _season, is_sure=False),
    _Form(
        _whole_word(rf"(?P<feast>{_any_of(time_names.LATIN_FEASTS)}){_THEN_YEAR}"),
        _feast,
        is_sure=False,
    ),
    _Form(_whole_word(rf"{_COUNT}\s+{_UNIT}\s+ago"), _ago),
    _Form(_whole_word(rf"vor\s+{_COUNT}\s+{_UNIT}"), _ago),
    _Form(
        _whole_word(
            rf"(?:(?:the|die|den)\s+)?(?:last|past|letzten?|vergangenen?)\s+{_COUNT}\s+{_UNIT}"
        ),
        _recent,
    ),
    _Form(_whole_word(rf"{_STEP}\s+{_UNIT}"), _relative),
    _Form(_whole_word(f"{_STEP}\\s+(?P<weekday>{_any_of(time_names.LATIN_WEEKDAYS)})"), _weekday),
    _Form(
        _whole_word(f"(?P<step>)(?P<weekday>{_any_of(time_names.LATIN_WEEKDAYS)})"),
        _weekday,
        is_sure=False,
        is_weekday=True,
    ),
    _Form(_whole_word(f"(?:{_any_of(time_names.LATIN_DAY_WORDS)})"), _day_word),
    _Form(_whole_word("recently|lately|in letzter zeit|kürzlich|neulich"), _lately),
    _Form(_whole_word(_YEAR), _year, is_name=True),
)

_BIRTHDAY = re.compile(
    r"(?<![\w-])(?:(?P<mine>my|mein(?:em|en|es)?)|(?P<owner>[^\W\d_][\w-]*)['’]s?)\s+"
    rf"(?:last\s+|letzten\s+)?(?:birthday|geburtstag(?:es|s)?)(?![\w-]){_THEN_YEAR}",
    re.I,
)
_BIRTHDAY_ZH = re.compile(rf"{_ZH_YEAR}(?P<mine>我)的?(?P<owner>)生日")


def birthday_owners(text: str) -> list[str]:
    """Whose birthdays a text names: "my" for the user's own."""
    return list(dict.fromkeys(_owner(match) for match in _birthday_matches(text)))


def _birthday_matches(text: str) -> Iterator[re.Match[str]]:
    yield from _BIRTHDAY.finditer(text)
    yield from _BIRTHDAY_ZH.finditer(text)


def _owner(match: re.Match[str]) -> str:
    return "my" if match["mine"] else match["owner"].lower()


def calendar_days(text: str) -> list[MonthDay]:
    """The days of the calendar that a text names, with their years if it names them."""
    found = []
    for form in _FORMS:
        if form.meaning is _calendar_day:
            for match in form.find_in(text):
                fixed, of_year = _calendar_day(match, date.min)
                span = fixed or (of_year(2024) if of_year else None)
                if span is not None:
                    year = span.start.year if fixed else None
                    found.append((match.start(), MonthDay(span.start.month, span.start.day, year)))
    return [day for _, day in sorted(found)]


def _find_birthdays(text: str, known: Birthdays) -> Iterator[Point]:
    for match in _birthday_matches(text):
        if day := known.get(_owner(match)):
            fixed, of_year = _in_year(match["year"], _of_each_year(day))
            yield Point(match.start(), match.end(), fixed, of_year, is_sure=False)


def _find_events(text: str, known: Birthdays) -> Iterator[Point]:
    """Events whose day and year are known, at their words in the text."""
    for words, day in known.items():
        at = text.lower().find(words.lower()) if day.year is not None else -1
        if at >= 0 and day.year is not None:
            fixed = day_spans.one_day(day.year, day.month, day.day)
            yield Point(at, at + len(words), fixed, is_sure=False)


def _of_each_year(day: MonthDay) -> OfYear:
    return lambda year: day_spans.one_day(year, day.month, day.day)
