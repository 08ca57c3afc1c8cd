"""Single points of time in a text: a day, a week, a month, a season, a holiday, a birthday. Pure.

English, German and Chinese. A word with other meanings ("may", "spring", "Monday", "Christmas") is
a point only after certain words: `time_phrases` decides that.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache

from msgspec import Struct

from ragd.search.dates import day_spans, point_meanings, time_names
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
    meaning: Callable[[re.Match[str], date], point_meanings.Meaning]
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


def _any_of(words: Mapping[str, object]) -> str:
    longest = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s+").replace("'", "['’]") for word in longest)


_AMOUNT = (  # after a number that is no year
    r"\s?(?:[€$£%₽¥]|(?:euros?|eur|dollars?|usd|gbp|chf|pounds?|pesos|reais|reales|francs?|franken"
    r"|roubles?|rubles?|руб\w*|steps|schritten?|schritte|passos|pasos|passi|stappen|шаг\w*"
    r"|kcal|calories|kalorien|calorías|calorias|km|kg|ml|mg|metres|meters?|metros|words|wörter"
    r"|people|personen|персон|円|元)(?!\w))"
)
YEAR = rf"(?:19|20)\d\d(?!\d|{_AMOUNT})"
_YEAR = rf"(?P<year>{YEAR})"
_THEN_YEAR = rf"(?:,?\s+(?:of\s+|in\s+|im\s+jahr\s+|des\s+jahres\s+)?{_YEAR})?"
# Not "in 2024": "Jan in 2024" and "prices fall in 2024" name no month and no season.
_YEAR_OF_NAME = rf"(?:,?\s+(?:of\s+)?{_YEAR})?"
_NAME_MONTHS = {name: time_names.MONTHS[name] for name in ("march", "april", "may", "august")}
_NAME_SEASONS = {name: time_names.LATIN_SEASONS[name] for name in ("spring", "fall")}
_DAY = r"(?P<day>[0-3]?\d)"
_MONTH = f"(?P<month>{_any_of(time_names.MONTHS)})"
_SHORT_MONTH = f"(?P<month>{_any_of(time_names.SHORT_MONTHS)})"
_FULL_MONTH = f"(?P<month>{_any_of(time_names.FULL_MONTHS)})"
_SEASON = f"(?P<season>{_any_of(time_names.LATIN_SEASONS)})"
_STEP = f"(?P<step>{_any_of(time_names.LATIN_STEPS)})"
_COUNT = f"(?P<count>{_any_of(time_names.LATIN_NUMBERS)}|\\d{{1,4}})"
# "Two days ago" is not a part of "a hundred and two days ago".
_NO_NUMBER = r"(?<!hundred[ ])(?<!hundred[ ]and[ ])(?<!thousand[ ])(?<!ty[ ])"
_UNIT = f"(?P<unit>{_any_of(time_names.LATIN_UNITS)})"
_ZH_YEAR = r"(?:(?P<year>\d{4})\s*年\s*)?"
_ZH_NUMBER = r"(?P<number>1?\d|[一二三四五六七八九]|十[一二]?)"
_ZH_DIGITS = "一二两三四五六七八九十百千万几"
_ZH_COUNT = rf"(?<![{_ZH_DIGITS}\d])(?P<count>\d{{1,4}}|[一二两三四五六七八九十几]{{1,3}})"
_ZH_DAY_NUMBER = r"(?P<day>[0-3]?\d|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_ZH_UNIT = f"个?(?P<unit>{_any_of(time_names.CHINESE_UNITS)})"
_ZH_STEP = f"(?P<step>{_any_of(time_names.CHINESE_STEPS)})"
_ZH_DAY = f"(?:周|星期|礼拜)(?P<weekday>{_any_of(time_names.CHINESE_WEEKDAYS)})"

# Words before a day that is the name of a street or square: "via 25 aprile".
STREETS = (
    "calle|avenida|avda|plaza|paseo|pasaje|rua|travessa|praça|praca|alameda|via|viale|corso|piazza"
    "|piazzale|rue|avenue|boulevard|place d[eu]|quai|straat|laan|plein"
)
_STREET = (
    rf"(?:(?:{STREETS})(?:\s+(?:del?|du))?|(?:\w*straße|\w*strasse|platz|allee|ufer|brücke)\s+des)\s+"
    rf"\d\d?\.?\s+(?:de\s+)?[^\W\d_]+(?:\s+{YEAR})?"
)

# The order matters: what one form has read, the next forms do not read again.
_FORMS = (
    _Form(_whole_word(_STREET), point_meanings.no_time),
    _Form(_whole_word(rf"{_YEAR}[-/.](?P<number>[01]?\d)[-/.]{_DAY}"), point_meanings.calendar_day),
    _Form(_whole_word(rf"{_DAY}\.\s?(?P<number>[01]?\d)\.\s?{_YEAR}"), point_meanings.calendar_day),
    _Form(_whole_word(rf"{_YEAR}-(?P<number>[01]\d)"), point_meanings.calendar_month),
    _Form(
        rf"{_ZH_YEAR}{_ZH_NUMBER}\s*月\s*{_ZH_DAY_NUMBER}\s*[日号號]", point_meanings.calendar_day
    ),
    _Form(
        rf"(?P<step>去|今|前|明)年的?(?:(?P<season>[春夏秋冬])[天季]|{_ZH_NUMBER}月)",
        point_meanings.relative_year_season,
    ),
    _Form(rf"{_ZH_YEAR}的?(?P<season>[春夏秋冬])[天季]", point_meanings.season, is_sure=False),
    _Form(rf"{_ZH_COUNT}\s*{_ZH_UNIT}(?:之|以)?前", point_meanings.ago),
    _Form(rf"(?:最近|过去|近)的?\s*{_ZH_COUNT}\s*{_ZH_UNIT}", point_meanings.recent),
    _Form(rf"{_ZH_STEP}个?{_ZH_DAY}", point_meanings.weekday_of_week),
    _Form(rf"(?<![上下])(?P<step>){_ZH_DAY}", point_meanings.weekday),
    _Form(r"(?P<step>去|今|前|明)(?P<unit>年)", point_meanings.relative),
    _Form(rf"{_ZH_STEP}个?(?P<unit>月|周末|周|星期|礼拜)", point_meanings.relative),
    _Form(
        f"(?:{_any_of(time_names.CHINESE_DAY_WORDS)})(?!子)", point_meanings.day_word
    ),  # 今日子 is a name
    _Form(
        rf"{_ZH_YEAR}(?P<feast>{_any_of(time_names.CHINESE_FEASTS)})",
        point_meanings.feast,
        is_sure=False,
    ),
    _Form(
        rf"{_ZH_YEAR}{_ZH_NUMBER}\s*月(?:份)?(?!\s*\d|雨|うさぎ|人形)",
        point_meanings.calendar_month,
    ),
    _Form(r"(?P<year>\d{4})\s*年", point_meanings.year),
    _Form("最近|近来", point_meanings.lately),
    _Form(
        _whole_word(rf"{_MONTH}\.?\s+{_DAY}(?:st|nd|rd|th)?{_THEN_YEAR}"),
        point_meanings.calendar_day,
    ),
    _Form(
        _whole_word(rf"{_DAY}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH}\.?{_THEN_YEAR}"),
        point_meanings.calendar_day,
    ),
    _Form(_whole_word(rf"q(?P<number>[1-4])\s+(?:of\s+)?{_YEAR}"), point_meanings.quarter),
    _Form(
        _whole_word(rf"(?:week|kw)\s+(?P<number>\d\d?)(?:,|\s+of|\s+in)?\s+{_YEAR}"),
        point_meanings.week,
    ),
    _Form(
        _whole_word(
            rf"{_STEP}\s+year['’]s\s+"
            f"(?P<named>{_any_of({**time_names.FULL_MONTHS, **time_names.LATIN_SEASONS})})"
        ),
        point_meanings.named_of_year,
    ),
    _Form(_whole_word(rf"(?:the\s+)?{_UNIT}\s+before\s+last"), point_meanings.before_last),
    _Form(_whole_word(rf"(?:the\s+)?{_SEASON}\s+before\s+last"), point_meanings.before_last),
    _Form(
        _whole_word(
            f"{_STEP}\\s+(?P<named>{_any_of({**time_names.MONTHS, **time_names.LATIN_SEASONS})})"
        ),
        point_meanings.relative_month,
    ),
    *(
        _Form(_whole_word(f"{names}{then_year}"), meaning, is_sure=False)
        for names, then_year, meaning in (
            (rf"{_SHORT_MONTH}\.?", _YEAR_OF_NAME, point_meanings.calendar_month),
            (f"(?P<month>{_any_of(_NAME_MONTHS)})", _YEAR_OF_NAME, point_meanings.calendar_month),
            (f"(?P<season>{_any_of(_NAME_SEASONS)})", _YEAR_OF_NAME, point_meanings.season),
            (_FULL_MONTH, _THEN_YEAR, point_meanings.calendar_month),
            (_SEASON, _THEN_YEAR, point_meanings.season),
        )
    ),
    _Form(
        _whole_word(rf"(?P<feast>{_any_of(time_names.LATIN_FEASTS)}){_THEN_YEAR}"),
        point_meanings.feast,
        is_sure=False,
    ),
    _Form(_whole_word(rf"{_NO_NUMBER}{_COUNT}\s+{_UNIT}\s+ago"), point_meanings.ago),
    _Form(_whole_word(rf"vor\s+{_COUNT}\s+{_UNIT}"), point_meanings.ago),
    _Form(
        _whole_word(
            rf"(?:(?:the|die|den)\s+)?(?:last|past|letzten?|vergangenen?)\s+{_COUNT}\s+{_UNIT}"
        ),
        point_meanings.recent,
    ),
    _Form(
        _whole_word(
            rf"(?P<weekday>{_any_of(time_names.LATIN_WEEKDAYS)})\s+(?:of\s+|(?:in\s+)?der\s+)?"
            rf"{_STEP}\s+(?:week|woche)"
        ),
        point_meanings.weekday_of_week,
    ),
    _Form(_whole_word("vorjahre?s?"), point_meanings.last_year),
    # "The last day" of the holidays is not yesterday.
    _Form(
        _whole_word(rf"(?!(?:last\s+day|letzte[nr]?\s+tag)(?!\w)){_STEP}\s+{_UNIT}"),
        point_meanings.relative,
    ),
    _Form(
        _whole_word(f"{_STEP}\\s+(?P<weekday>{_any_of(time_names.LATIN_WEEKDAYS)})"),
        point_meanings.weekday,
    ),
    _Form(
        _whole_word(f"(?P<step>)(?P<weekday>{_any_of(time_names.LATIN_WEEKDAYS)})"),
        point_meanings.weekday,
        is_sure=False,
        is_weekday=True,
    ),
    _Form(_whole_word(f"(?:{_any_of(time_names.LATIN_DAY_WORDS)})"), point_meanings.day_word),
    _Form(_whole_word("recently|lately|in letzter zeit|kürzlich|neulich"), point_meanings.lately),
    _Form(_whole_word(rf"(?<![€$£¥]){_YEAR}"), point_meanings.year, is_name=True),
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
        if form.meaning is point_meanings.calendar_day:
            for match in form.find_in(text):
                fixed, of_year = point_meanings.calendar_day(match, date.min)
                span = fixed or (of_year(2024) if of_year else None)
                if span is not None:
                    year = span.start.year if fixed else None
                    found.append((match.start(), MonthDay(span.start.month, span.start.day, year)))
    return [day for _, day in sorted(found)]


def _find_birthdays(text: str, known: Birthdays) -> Iterator[Point]:
    for match in _birthday_matches(text):
        if day := known.get(_owner(match)):
            fixed, of_year = point_meanings.in_year(match["year"], _of_each_year(day))
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
