"""The time phrases of a question: points of time with the words around them. Pure.

"since March", "between March and June 2024", "two days before my birthday", "at the end of May".
Words in double quotes are never a time. A day or month without a year means every year. If a phrase
needs one year ("since March"), it is the latest March that has begun.
"""

import re
import unicodedata
from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from ragd.notes.late_pattern import LatePattern
from ragd.search.dates import day_spans, time_names, words_before
from ragd.search.dates.day_spans import FIRST, Span, add_days
from ragd.search.dates.foreign_times import RewrittenTimes, rewrite_times
from ragd.search.dates.joined_points import join_points
from ragd.search.dates.listing import asks_for_all
from ragd.search.dates.time_points import Birthdays, Point, find_points
from ragd.search.dates.words_before import find_before

OLDEST_YEAR = 1990  # for phrases without a year
MOST_CHARACTERS = 2_000  # of a question, in which times are read


class Phrase(Struct, frozen=True):
    """The words of one time phrase, and its days."""

    words: str
    spans: tuple[Span, ...]
    every_year: bool = False  # one span for each year


class NamedTime(Struct, frozen=True):
    """The time phrases of a question.

    `rest`: the question without its time phrases. `lists_everything`: `rest` has no words that
    narrow down the search, so the question asks for everything of that time. `unknown_event`: an
    event that the question counts from ("two weeks before the wedding"), if no note states its day.
    """

    phrases: tuple[Phrase, ...]
    rest: str
    lists_everything: bool = False
    unknown_event: str = ""

    @property
    def is_written(self) -> bool:
        """Whether a note may contain the phrases as written: each has a number."""
        return all(any(map(str.isdecimal, phrase.words)) for phrase in self.phrases)

    @property
    def spans(self) -> tuple[Span, ...]:
        return tuple(dict.fromkeys(span for phrase in self.phrases for span in phrase.spans))


def find_time(question: str, today: date, birthdays: Birthdays | None = None) -> NamedTime:
    """The time that a question names; no phrases if it names none."""
    composed = unicodedata.normalize("NFC", question)
    rewritten = rewrite_times(_readable_part(composed), composed)
    text = rewritten.text
    found = join_points(text, find_points(text, today, birthdays or {}))
    reader = _PhraseReader(composed, rewritten, today)
    at = 0
    while at < len(found):
        at += reader.read(found, at)
    phrases = _within_named_year(reader.phrases, today)
    rest = _cut_out(composed, reader.removed) if reader.removed else question
    group = rewritten.group if reader.has_foreign_words else None
    return NamedTime(phrases, rest, bool(phrases) and asks_for_all(rest, composed, group))


def _readable_part(question: str) -> str:
    """The beginning of the question, in which times are read, with its quotations blanked."""
    text = question
    if not _QUOTED.fullmatch(text.strip()):  # the whole question is in quotation marks
        text = _QUOTED.sub(lambda match: "\0" * len(match.group()), text)
    if len(text) <= MOST_CHARACTERS:
        return text
    return _PARTIAL_WORD.sub("", text[:MOST_CHARACTERS])


class _PhraseReader:
    """Reads the phrases around the points of a text, in order."""

    def __init__(self, question: str, rewritten: RewrittenTimes, today: date) -> None:
        self._question = question
        self._rewritten = rewritten
        self._text = rewritten.text
        self._today = today
        self.phrases: list[Phrase] = []
        self.removed: list[tuple[int, int]] = []  # places in the question that are not searched
        self.has_foreign_words = False  # whether a phrase has words that were rewritten

    def read(self, found: Sequence[Point], at: int) -> int:
        """Read the phrase of this point. Returns how many points the phrase has."""
        point, after = found[at], found[at + 1] if at + 1 < len(found) else None
        if after is not None:
            between = self._text[point.end : after.start]
            if point.is_weekday and _COMMA.fullmatch(between):  # Monday, 4 May
                self._remove(self._opening_start(point.start, point), after.start)
                return 1
            if point.is_weekday and after.is_weekday and _TO.fullmatch(between):
                return 2  # "Monday to Friday" is every week
            if self._read_range(point, after, between):
                return 2
        self._read_single(point)
        return 1

    def _read_range(self, first: Point, last: Point, between: str) -> bool:
        opened = find_before(words_before.BETWEEN, self._text, first.start)
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
        if self._read_offset(point) or self._read_open_end(point):
            return
        end, opened = point.end, self._opening_start(point.start, point)
        if opened == point.start and not point.is_sure:
            follows = _FOLLOWS_ZH.match(self._text, end)
            if not follows:
                return
            end = follows.end()
        spans = _spans_of_each_year(point, self._today) if point.fixed is None else (point.fixed,)
        if not spans:
            return
        keeps_words = point.is_name and opened == point.start
        self._add(opened, end, spans, point.fixed is None, keeps_words)

    def _read_offset(self, point: Point) -> bool:
        """Reads "two days before …" and "the week after …"."""
        start, end = point.start, point.end
        match = find_before(words_before.OFFSET, self._text, start)
        if match:
            start = match.start()
        elif match := _OFFSET_ZH.match(self._text, end):
            end = match.end()
        else:
            return False
        count = time_names.number(match["count"]) if match["count"] else None
        if match["count"] and count is None:
            return False
        is_before = _is_before(match["side"])
        unit = time_names.UNITS[match["unit"].lower()]
        bases = (point.fixed,) if point.fixed else _spans_of_each_year(point, self._today)
        spans = tuple(_offset_span(base, unit, count, is_before) for base in bases)
        spans = tuple(span for span in spans if point.fixed or span.start <= self._today)
        if spans:
            self._add(self._opening_start(start), end, spans, point.fixed is None)
        return bool(spans)

    def _read_open_end(self, point: Point) -> bool:
        """Reads "since …", "until …", "before …" and "after …"."""
        side, start, end = "", point.start, point.end
        for name, before, after in words_before.OPEN_ENDS:
            if match := find_before(before, self._text, start):
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
        open_span = {
            "since": Span(span.start, max(span.end, self._today)),
            "after": Span(add_days(span.end, 1), max(add_days(span.end, 1), self._today)),
            "until": Span(FIRST, span.end),
            "before": Span(FIRST, add_days(span.start, -1)),
        }[side]
        self._add(start, end, (open_span,))
        return True

    def _opening_start(self, start: int, point: Point | None = None) -> int:
        """The start of a phrase with the words that open it, such as "in the" or "on"."""
        weekday = point is not None and point.is_weekday
        pattern = words_before.ON if weekday else words_before.OPENS
        match = find_before(pattern, self._text, start)
        return match.start() if match else start

    def _add(
        self,
        start: int,
        end: int,
        spans: tuple[Span, ...],
        every_year: bool = False,
        keeps_words: bool = False,
    ) -> None:
        first, last = self._rewritten.in_question(start, end)
        words = " ".join(self._question[first:last].split())
        self.phrases.append(Phrase(words, spans, every_year))
        self.has_foreign_words |= self._rewritten.is_replaced(start, end)
        if not keeps_words:
            self._remove(start, end)

    def _remove(self, start: int, end: int) -> None:
        self.removed.append(self._rewritten.in_question(start, end))


def _is_before(word: str) -> bool:
    """Whether the word means "before", not "after", in any of the languages."""
    return word.lower() in ("before", "vor", "前", "之前", "以前")


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
    english = (match["event"].strip() for match in _EVENT.finditer(question))
    return [*english, *(match["event"] for match in _EVENT_IN_GERMAN.finditer(question))]


# A mark within the other one starts anew: a text of such marks must not be read again from each.
_QUOTED = LatePattern(r'"[^"]*"|“[^“”]*”|„[^„“]*“')
_PARTIAL_WORD = LatePattern(r"[\w-]{1,40}$")
_COMMA = LatePattern(r",?\s+(?:the\s+|den\s+)?")
_AND = LatePattern(
    r"\s+(?:and|und|to|till|until|through|bis|bis zum)\s+(?:the\s+|dem\s+)?|\s*[–—-]\s*"
    r"|\s*(?:到|至|和)\s*",
    re.I,
)
_TO = LatePattern(r"\s+(?:to|till|until|through|bis|bis zum)\s+|\s*[–—-]\s*|\s*[到至]\s*", re.I)
_EVENT = LatePattern(
    rf"(?<![\w-])(?:the|a|\d{{1,3}}|{words_before.LATIN_COUNT})\s+"
    r"(?:days?|weeks?|months?|years?)\s+(?:before|after|following)\s+(?P<event>[^,.;:?!]{3,60})",
    re.I,
)
_EVENT_IN_GERMAN = LatePattern(  # "zwei Wochen vor der Hochzeit", "vor Elsies Geburt"
    rf"(?<![\w-])(?i:die|den|\d{{1,3}}|{words_before.LATIN_COUNT})\s+"
    r"(?i:tage?n?|wochen?|monate?n?|jahre?n?)\s+(?i:vor|nach)\s+"
    r"(?P<event>(?:(?:de[rm]|meine[rm]|deine[rm]|seine[rm]|ihre[rm]|unsere[rm])\s+"
    r"(?:[a-zäöüß]+en\s+)?|[A-ZÄÖÜ]\w*s\s+)[A-ZÄÖÜ]\w+"
    r"(?:\s+(?:von|in|nach|mit|im)\s+(?:de[rm]\s+)?[A-ZÄÖÜ]\w+)?)"
)
_OFFSET_ZH = LatePattern(
    r"\s*的?(?P<side>前|后)(?P<count>\d{1,3}|[一二两三四五六七八九十几]{1,3})"
    r"个?(?P<unit>天|周|星期|月|年)"
)
_FOLLOWS_ZH = LatePattern("的时候|期间|那天|时|里")
