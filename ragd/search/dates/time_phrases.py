"""The time phrases of a question: points of time with the words around them. Pure.

"since March", "between March and June 2024", "two days before my birthday", "at the end of May".
Words in double quotes are never a time. A day or month without a year means every year. If a phrase
needs one year ("since March"), it is the latest March that has begun.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial

from msgspec import Struct, structs

from ragd.notes.late_pattern import LatePattern
from ragd.search.dates import day_spans, time_names
from ragd.search.dates.day_spans import FIRST, Span, add_days
from ragd.search.dates.foreign_times import rewrite_times
from ragd.search.dates.listing import asks_for_all
from ragd.search.dates.time_points import Birthdays, Point, find_points

OLDEST_YEAR = 1990  # for phrases without a year

_Part = Callable[[Span], Span]  # a part of a span: its beginning, its last week


class Phrase(Struct, frozen=True):
    """The words of one time phrase, and its days."""

    words: str
    spans: tuple[Span, ...]
    every_year: bool = False  # one span for each year


class NamedTime(Struct, frozen=True):
    """The time phrases of a question.

    `rest`: the question without its time phrases. `lists_everything`: `rest` has no words that
    narrow down the search, so the question asks for everything of that time.
    """

    phrases: tuple[Phrase, ...]
    rest: str
    lists_everything: bool = False

    @property
    def is_written(self) -> bool:
        """Whether a note may contain the phrases as written: each has a number."""
        return all(any(map(str.isdecimal, phrase.words)) for phrase in self.phrases)

    @property
    def spans(self) -> tuple[Span, ...]:
        return tuple(dict.fromkeys(span for phrase in self.phrases for span in phrase.spans))


def find_time(question: str, today: date, birthdays: Birthdays | None = None) -> NamedTime:
    """The time that a question names; no phrases if it names none."""
    rewritten = rewrite_times(question)
    found = _find_in_english(rewritten.text, today, birthdays)
    if not rewritten.replaced:
        return found
    phrases = tuple(
        structs.replace(phrase, words=rewritten.as_written(phrase.words))
        for phrase in found.phrases
    )
    rest = found.rest if phrases else question
    return NamedTime(phrases, rest, found.lists_everything)


def _find_in_english(question: str, today: date, birthdays: Birthdays | None) -> NamedTime:
    """The same for a question whose times are in English, German or Chinese."""
    text = question
    if not _QUOTED.fullmatch(text.strip()):  # the whole question is in quotation marks
        text = _QUOTED.sub(lambda match: "\0" * len(match.group()), text)
    found = _join_years(text, find_points(text, today, birthdays or {}))
    reader = _PhraseReader(text, today)
    at = 0
    while at < len(found):
        at += reader.read(found, at)
    phrases = _within_named_year(reader.phrases, today)
    rest = _cut_out(question, reader.removed)
    return NamedTime(phrases, rest, bool(phrases) and asks_for_all(rest))


class _PhraseReader:
    """Reads the phrases around the points of a text, in order."""

    def __init__(self, text: str, today: date) -> None:
        self._text = text
        self._today = today
        self.phrases: list[Phrase] = []
        self.removed: list[tuple[int, int]] = []  # ranges of words that are not searched

    def read(self, found: Sequence[Point], at: int) -> int:
        """Read the phrase of this point. Returns how many points the phrase has."""
        point, after = found[at], found[at + 1] if at + 1 < len(found) else None
        if after is not None:
            between = self._text[point.end : after.start]
            if point.is_weekday and _COMMA.fullmatch(between):  # Monday, 4 May
                self.removed.append((self._opening_start(point.start, point), after.start))
                return 1
            if self._read_range(point, after, between):
                return 2
        self._read_single(point)
        return 1

    def _read_range(self, first: Point, last: Point, between: str) -> bool:
        opened = _BETWEEN.search(self._text, 0, first.start)
        is_range = opened and _AND.fullmatch(between)
        if not is_range and not (first.is_sure and last.is_sure and _TO.fullmatch(between)):
            return False
        ends = last.fixed or self._end_of_range(first, last)
        starts = first.fixed or (_latest_span(first, ends.start) if ends else None)
        if starts is None or ends is None or starts.start > ends.end:
            return False
        start = opened.start() if opened else first.start
        self._add(start, last.end, (Span(starts.start, ends.end),))
        return True

    def _end_of_range(self, first: Point, last: Point) -> Span | None:
        """The first end after a known start, else the latest."""
        if first.fixed is None or last.of_year is None:
            return _latest_span(last, self._today)
        for year in (first.fixed.start.year, first.fixed.start.year + 1):
            span = last.of_year(year)
            if span and span.end >= first.fixed.start:
                return span
        return None

    def _read_single(self, point: Point) -> None:
        start, end, part = point.start, point.end, None
        for pattern, one in _PARTS:
            if match := pattern.search(self._text, 0, start):
                start, part = self._without_overlap(match.start()), one
        if match := _PART_ZH.match(self._text, end):
            end, part = match.end(), _THIRDS["初中底".index(match[1][0])]
        for read in (self._read_offset, self._read_open_end):
            if read(point, start, end, part):
                return
        opened = self._opening_start(start, point)
        if opened == start and not point.is_sure and part is None:
            follows = _FOLLOWS_ZH.match(self._text, end)
            if not follows:
                return
            end = follows.end()
        spans = _spans_of_each_year(point, self._today) if point.fixed is None else (point.fixed,)
        spans = tuple(map(part, spans)) if part is not None else spans
        if not spans:
            return
        keeps_words = point.is_name and opened == point.start
        self._add(opened, end, spans, point.fixed is None, keeps_words)

    def _read_offset(self, point: Point, start: int, end: int, part: _Part | None) -> bool:
        """Reads "two days before …" and "the week after …"."""
        match = _OFFSET.search(self._text, 0, start)
        side = "before"
        if match:
            side = _side(match["side"])
            start = match.start()
        elif match := _OFFSET_ZH.match(self._text, end):
            side = _side(match["side"])
            end = match.end()
        else:
            return False
        count = time_names.number(match["count"]) if match["count"] else None
        if match["count"] and count is None:
            return False
        bases = (point.fixed,) if point.fixed else _spans_of_each_year(point, self._today)
        if part is not None:
            bases = tuple(map(part, bases))
        unit = time_names.UNITS[match["unit"].lower()]
        spans = tuple(_offset_span(base, unit, count, side == "before") for base in bases)
        spans = tuple(span for span in spans if point.fixed or span.start <= self._today)
        if spans:
            self._add(self._opening_start(start), end, spans, point.fixed is None)
        return bool(spans)

    def _read_open_end(self, point: Point, start: int, end: int, part: _Part | None) -> bool:
        """Reads "since …", "until …", "before …" and "after …"."""
        side = ""
        for name, before, after in _OPEN_ENDS:
            if match := before.search(self._text, 0, start):
                side, start = name, match.start()
                break
            if after and (match := after.match(self._text, end)):
                side, end = name, match.end()
                break
        if not side:
            return False
        span = point.fixed or _latest_span(point, self._today)
        if span is None:
            return False
        span = part(span) if part is not None else span
        open_span = {
            "since": Span(span.start, max(span.end, self._today)),
            "after": Span(add_days(span.end, 1), max(add_days(span.end, 1), self._today)),
            "until": Span(FIRST, span.end),
            "before": Span(FIRST, add_days(span.start, -1)),
        }[side]
        self._add(start, end, (open_span,))
        return True

    def _without_overlap(self, start: int) -> int:
        """Takes back a phrase that reaches beyond this place: "last week" in "the last week of
        May". Returns where both begin."""
        if self.removed and self.removed[-1][1] > start:
            start = min(start, self.removed.pop()[0])
            self.phrases.pop()
        return start

    def _opening_start(self, start: int, point: Point | None = None) -> int:
        """The start of a phrase with the words that open it, such as "in the" or "on"."""
        weekday = point is not None and point.is_weekday
        match = (_ON if weekday else _OPENS).search(self._text, 0, start)
        return match.start() if match else start

    def _add(
        self,
        start: int,
        end: int,
        spans: tuple[Span, ...],
        every_year: bool = False,
        keeps_words: bool = False,
    ) -> None:
        words = " ".join(self._text[start:end].split())
        self.phrases.append(Phrase(words, spans, every_year))
        if not keeps_words:
            self.removed.append((start, end))


def _join_years(text: str, points: Sequence[Point]) -> list[Point]:
    """The points. One that is followed by its year is joined with it, as in "March last year"."""
    joined: list[Point] = []
    for at, point in enumerate(points):
        inside = None
        if joined and _has_own_year(text, joined, point, is_last=at + 1 == len(points)):
            inside = _within_year(joined[-1], point)
        if inside is not None:
            joined[-1] = inside
        else:
            joined.append(point)
    return joined


def _has_own_year(text: str, before: Sequence[Point], year: Point, *, is_last: bool) -> bool:
    """Whether `year` is that of the point before it, and of no other, and that point is a time."""
    point = before[-1]
    between = text[point.end : year.start]
    if not _OF.fullmatch(between):
        return False
    if _BETWEEN.search(text, 0, point.start):
        return not is_last  # between March last year and May
    if len(before) > 1 and _LISTS.fullmatch(text[before[-2].end : point.start]):
        return _BETWEEN.search(text, 0, before[-2].start) is not None
    word = text[point.start : point.end].lower()
    if word not in _OTHER_WORDS or "of" in between.lower().split():
        return True
    openers = (_OPENS, *(pattern for pattern, _ in _PARTS), *(one for _, one, _ in _OPEN_ENDS))
    return any(pattern.search(text, 0, point.start) for pattern in openers)


def _within_year(point: Point, year: Point) -> Point | None:
    """The point in this year. None if it is not a whole year, or has no such day."""
    if point.of_year is None or year.fixed is None:
        return None
    number = year.fixed.start.year
    span = point.of_year(number) if year.fixed == day_spans.year_span(number) else None
    if span is None:
        return None
    return structs.replace(point, end=year.end, fixed=span, of_year=None, is_sure=True)


def _side(word: str) -> str:
    """`before` or `after`, in any of the languages."""
    return "before" if word.lower() in ("before", "vor", "前", "之前", "以前") else "after"


def _offset_span(base: Span, unit: str, count: int | None, before: bool) -> Span:
    """The span `count` units from the base; without a count, the whole unit next to it."""
    if unit == "day":
        day = add_days(base.start, -(count or 1)) if before else add_days(base.end, count or 1)
        return Span(day, day)
    size = {"week": 7, "month": 30, "year": 365}.get(unit, 7)
    if count is None:
        first = add_days(base.start, -size) if before else add_days(base.end, 1)
        return Span(first, add_days(first, size - 1))
    middle = add_days(base.start, -size * count) if before else add_days(base.end, size * count)
    return Span(add_days(middle, -(size // 2)), add_days(middle, size // 2))


def _spans_of_each_year(point: Point, today: date) -> tuple[Span, ...]:
    of_year = point.of_year
    if of_year is None:
        return ()
    years = range(OLDEST_YEAR, today.year + 1)
    return tuple(span for year in years if (span := of_year(year)) is not None)


def _latest_span(point: Point, today: date) -> Span | None:
    """The latest span that has begun by this day."""
    of_year = point.of_year
    for year in (today.year, today.year - 1, today.year - 2, today.year - 3, today.year - 4):
        span = of_year(year) if of_year else None
        if span is not None and span.start <= today:
            return span
    return None


def _within_named_year(phrases: Sequence[Phrase], today: date) -> tuple[Phrase, ...]:
    """ "At Christmas, in 2023": the year limits a phrase that would stand for every year."""
    years = [p for p in phrases if not p.every_year and p.spans == (_whole_year(p),)]
    if len(years) != 1 or not any(phrase.every_year for phrase in phrases):
        return tuple(phrases)
    [year] = years
    narrowed = []
    for phrase in phrases:
        if phrase.every_year:
            inside = tuple(s for s in phrase.spans if s.start.year == year.spans[0].start.year)
            both = sorted((phrase, year), key=phrases.index)
            words = ", ".join(one.words for one in both)
            phrase = Phrase(words, inside) if inside else phrase
        if phrase is not year:
            narrowed.append(phrase)
    return tuple(narrowed)


def _whole_year(phrase: Phrase) -> Span | None:
    return day_spans.year_span(phrase.spans[0].start.year)


def _cut_out(question: str, removed: Sequence[tuple[int, int]]) -> str:
    if not removed:
        return question
    kept, at = [], 0
    for start, end in sorted(removed):
        kept.append(question[at:start])
        at = max(at, end)
    return " ".join(" ".join([*kept, question[at:]]).split())


def named_events(question: str) -> list[str]:
    """The events in phrases such as "two days before the marathon", whose day only a note can
    state."""
    return [match["event"].strip() for match in _EVENT.finditer(question)]


def _directly_before(text: str) -> LatePattern:
    """Matches these whole words directly before a point."""
    return LatePattern(rf"(?<![\w-])(?:{text})\s+(?:(?:the|den|der|dem|das)\s+)?$", re.I)


_QUOTED = LatePattern(r'"[^"]*"|“[^”]*”|„[^“]*“')
_COMMA = LatePattern(r",?\s+(?:the\s+|den\s+)?")
_OF = LatePattern(r",?\s+(?:(?:of|in|im|des)\s+)?", re.I)
_LISTS = LatePattern(
    r"\s*(?:,|and|or|to|through|till|until|und|oder|bis|[–—-])\s*(?:(?:and|or|und|oder)\s+)?", re.I
)
# Times that are also other words: a time only after a word such as "in", or before "of".
_OTHER_WORDS = frozenset(("april", "august", "fall", "mar", "march", "may", "spring"))
_BETWEEN = LatePattern(
    r"(?:(?<![\w-])(?:between|from|zwischen|vom|von)\s+(?:(?:the|dem|der)\s+)?|从|在)$", re.I
)
_AND = LatePattern(
    r"\s+(?:and|und|to|till|until|through|bis|bis zum)\s+(?:the\s+|dem\s+)?|\s*[–—-]\s*"
    r"|\s*(?:到|至|和)\s*",
    re.I,
)
_TO = LatePattern(r"\s+(?:to|till|until|through|bis|bis zum)\s+|\s*[–—-]\s*|\s*[到至]\s*", re.I)
_THIRDS = tuple(partial(day_spans.third_of, third=third) for third in range(3))
_PARTS: tuple[tuple[LatePattern, _Part], ...] = (
    (_directly_before("early|(?:the )?(?:beginning|start) of|anfang"), _THIRDS[0]),
    (_directly_before("mid|(?:the )?middle of|mitte"), _THIRDS[1]),
    (_directly_before("late|(?:the )?end of|ende"), _THIRDS[2]),
    *(
        (
            _directly_before(
                f"(?:the |der |die )?(?:{english} week (?:of|in)|{german}n? woche (?:im|des))"
            ),
            partial(day_spans.seven_days_of, number=number),
        )
        for number, english, german in (
            (0, "first", "erste"),
            (1, "second", "zweite"),
            (2, "third", "dritte"),
            (3, "fourth", "vierte"),
            (-1, "last", "letzte"),
        )
    ),
)
_PART_ZH = LatePattern("(初|中旬|底|末)")
_LATIN_COUNT = "|".join(sorted(time_names.LATIN_NUMBERS, key=len, reverse=True))
_OFFSET = LatePattern(
    rf"(?<![\w-])(?:(?:the|der|die|den|dem)\s+|(?P<count>\d{{1,3}}|{_LATIN_COUNT})\s+|(?=tag\s))?"
    rf"(?P<unit>{'|'.join(sorted(time_names.LATIN_UNITS, key=len, reverse=True))})\s+"
    r"(?P<side>before|after|following|vor|nach)\s+(?:(?:the|dem|der)\s+)?$",
    re.I,
)
_EVENT = LatePattern(
    rf"(?<![\w-])(?:the|a|\d{{1,3}}|{_LATIN_COUNT})\s+(?:days?|weeks?|months?|years?)\s+"
    r"(?:before|after|following)\s+(?P<event>[^,.;:?!]{3,60})",
    re.I,
)
_OFFSET_ZH = LatePattern(
    r"\s*的?(?P<side>前|后)(?P<count>\d{1,3}|[一二两三四五六七八九十几]{1,3})"
    r"个?(?P<unit>天|周|星期|月|年)"
)
_OPEN_ENDS = (
    (
        "since",
        _directly_before("(?:ever )?since|starting|seit|ab|自从?|从"),
        LatePattern("以来|至今|起"),
    ),
    ("until", _directly_before("until|till|up to|bis zum|bis zur|bis"), None),
    ("before", _directly_before("before|prior to|vor"), LatePattern("之前|以前|前")),
    ("after", _directly_before("after|nach"), LatePattern("之后|以后|后")),
)
_OPENS = LatePattern(
    r"(?:(?<![\w-])(?:back\s+)?(?:in|on|at|over|during|throughout|around|im|am|an|zu|um|während)"
    r"\s+(?:(?:the|der|den|dem)\s+)?|[在于])$",
    re.I,
)
_ON = LatePattern(r"(?<![\w-])(?:on|am)\s+$", re.I)
_FOLLOWS_ZH = LatePattern("的时候|期间|那天|时|里")
