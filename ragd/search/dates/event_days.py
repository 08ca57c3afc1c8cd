"""Finds the day of a birthday or an event in the text of notes. Pure.

The user's birthday: "my birthday is …", "I was born on …", a line `Birthday: …` or the property
`birthday` in a note about the user, or a dated note with "today is my birthday". Another person's
birthday: a sentence, or a line or the property of that person's note. A birthday in another
person's note is never used as the user's.

An event: a sentence, heading or title that names it with its day, or in a dated note. "Before Elsie
was born" does not say when.
"""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Protocol

from ragd.notes.sentences import sentences
from ragd.notes.stop_words import ENGLISH, GERMAN
from ragd.search.dates.day_spans import MonthDay
from ragd.search.dates.time_names import LATIN_WEEKDAYS
from ragd.search.dates.time_phrases import NamedTime, find_time, named_events
from ragd.search.dates.time_points import calendar_days
from ragd.search.query.query_terms import stems_of

MINE = "my"
BIRTHDAY_PROPERTIES = ("birthday", "birthdate", "born", "dob", "geburtstag", "geboren", "生日")
NEAR = 60  # characters around "birthday" that are searched for its day and its owner


class DatedPassage(Protocol):
    """A passage of a note."""

    @property
    def chunk_text(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def heading_path(self) -> str: ...
    @property
    def date(self) -> str | None: ...
    @property
    def properties(self) -> list[str]: ...


def find_birthday(owner: str, passages: Iterable[DatedPassage]) -> MonthDay | None:
    """The birthday that most of these passages state; None if none does."""
    days: Counter[MonthDay] = Counter()
    for passage in passages:
        days.update(day._replace(year=None) for day in _birthdays_in_passage(owner, passage))
    return _most_common(days)


def birth_owner(event: str) -> str | None:
    """Whose birth an event is, in lower case: "elsie" for "Elsie was born". None for other ones."""
    match = _BIRTH_OF.search(event)
    if match is None:
        return None
    owner = next(filter(None, match.groups())).lower()
    if match["owner"] and owner in _I:
        return MINE
    return owner if stems_of(owner) - _STOP_WORDS else None  # "the birth of my son" has no name


def find_birth(owner: str, passages: Iterable[DatedPassage]) -> MonthDay | None:
    """The day and year of birth that most of these passages state; None if none does."""
    days: Counter[MonthDay] = Counter()
    for passage in passages:
        found = _birthdays_in_passage(owner, passage)
        days.update(day for day in found if day.year is not None)
    return _most_common(days)


def find_event_day(words: str, passages: Iterable[DatedPassage]) -> MonthDay | None:
    """The day of an event: that of the first passage whose sentence about it states one, else the
    date of the first passage that names it. None if there is neither."""
    born = birth_owner(words)  # whose birth may be told in other words, also in the other language
    if born == MINE:
        return None  # a diary tells of the births of others
    wanted = stems_of(born or words) - _STOP_WORDS
    if wanted <= _BIRTH_WORDS:
        return None  # whose birth it is stands in words that were not understood
    named = None
    for passage in passages if wanted else ():
        written = date.fromisoformat(passage.date) if passage.date else None
        for sentence in (passage.title, passage.heading_path, *sentences(passage.chunk_text)):
            if not wanted <= stems_of(sentence) or (born and not _tells_birth(born, sentence)):
                continue
            if _only_refers(wanted, sentence):
                continue
            if day := _stated_day(sentence, written):
                return MonthDay(day.month, day.day, day.year)
            if named is None and written and not find_time(sentence, written).phrases:
                named = MonthDay(written.month, written.day, written.year)
    return named


def has_content(event: str) -> bool:
    """Whether an event has words that can be looked up; "it" and "that" have none."""
    return bool(stems_of(event) - _STOP_WORDS)


def _tells_birth(owner: str, sentence: str) -> bool:
    """Whether a sentence is about this birth: "Elsie's brother was born", "Elsie was born to be a
    sister" and "Elsie visited; Bo was born" are not."""
    if not _IS_BORN.search(sentence):
        return False
    name = re.escape(owner)
    of_relative = rf"(?<!\w){name}['’]s\s+(?!birth)"
    tells = (
        rf"(?<!\w){name}(?:['’]?s)?,?(?: [\w'’-]+){{0,6}}? (?:born(?! to be)|birth|geboren|geburt"
        rf"|zur welt)(?!\w)|(?<!\w)(?:birth of|geburt von|born|geboren):? {name}(?!\w)"
        rf"|{name}.{{0,12}}出生"
    )
    found = re.search(tells, sentence, re.I)
    return found is not None and re.search(of_relative, sentence, re.I) is None


def _only_refers(wanted: frozenset[str], sentence: str) -> bool:
    """Whether a sentence uses the event as a time ("before Elsie was born")."""
    if named_events(sentence):
        return True
    starts = (word.start() for word in _WORD.finditer(sentence) if stems_of(word[0]) & wanted)
    return _CONJUNCTION.search(sentence[: next(starts, 0)]) is not None


def _stated_day(sentence: str, written: date | None) -> date | None:
    """The only day that a sentence states; relative days count from the day it was written."""
    if written is None:
        days = {date(*_ymd(day)) for day in calendar_days(sentence) if day.year is not None}
    elif _MENTIONS_TODAY.search(sentence):
        return written
    else:
        days = set(_days_of(find_time(sentence, written), sentence, written))
    return days.pop() if len(days) == 1 else None


def _ymd(day: MonthDay) -> tuple[int, int, int]:
    return (day.year or 1, day.month, day.day)


def _days_of(when: NamedTime, sentence: str, written: date) -> Iterable[date]:
    """The single days among some times. Of a day of every year, the nearest to the day on which it
    was written; a weekday only if the sentence is about the past."""
    for phrase in when.phrases:
        if _WEEKDAY.search(phrase.words) and not _PAST.search(sentence):
            continue
        starts = [span.start for span in phrase.spans if span.days == 1]
        if starts:
            yield min(starts, key=lambda day: abs(day - written))


def _most_common(days: Counter[MonthDay]) -> MonthDay | None:
    return days.most_common(1)[0][0] if days else None


def _birthdays_in_passage(owner: str, passage: DatedPassage) -> Iterable[MonthDay]:
    """The birthdays that a passage states, with the years of birth if it has them."""
    about_owner = _is_about(owner, passage.title)
    if about_owner:
        yield from _birthdays_in_properties(passage.properties)
    for line in passage.chunk_text.split("\n"):
        for match in _BIRTHDAY.finditer(line):
            around = line[max(0, match.start() - NEAR) : match.end() + NEAR]
            if owner == MINE and _TODAY.search(around) and passage.date:
                day = date.fromisoformat(passage.date)
                yield MonthDay(day.month, day.day)
            elif about_owner or _mentions(owner, around):
                has_year = about_owner or match[0].lower() not in _BIRTHDAY_NAMES
                for stated in calendar_days(around)[:1]:  # "Ann's birthday party on 5 May 2024"
                    yield stated if has_year else stated._replace(year=None)


def _birthdays_in_properties(properties: Iterable[str]) -> Iterable[MonthDay]:
    for one in properties:
        name, _, value = one.partition("=")
        if name in BIRTHDAY_PROPERTIES:
            yield from calendar_days(value)[:1]


def _is_about(owner: str, title: str) -> bool:
    if owner == MINE:
        return bool(_ABOUT_ME.fullmatch(title.strip()))
    return owner in title.lower().split()


def _mentions(owner: str, sentence: str) -> bool:
    if owner == MINE:
        return bool(_MY.search(sentence))
    return bool(re.search(rf"(?<!\w){re.escape(owner)}(?!\w)", sentence, re.I))


_STOP_WORDS = stems_of(f"{ENGLISH} {GERMAN}")
_BIRTH_WORDS = stems_of("birth born geburt geboren")
_MENTIONS_TODAY = re.compile(r"(?<!\w)(?:today|tonight|this morning|heute)(?!\w)|今天", re.I)
_WORD = re.compile(r"\w+")
_CONJUNCTION = re.compile(
    r"(?<!\w)(?:before|after|since|until|till|when|if|how|bevor|nachdem|seit|bis|als|wie)\s+"
    r"(?:[\w'’-]+\s+){0,2}$",
    re.I,
)
_WEEKDAY = re.compile(rf"(?<!\w)(?:{'|'.join(LATIN_WEEKDAYS)})(?!\w)", re.I)
_PAST = re.compile(r"(?<!\w)(?:was|were|had|took|came|war|waren|wurde|hatte)(?!\w)", re.I)
_I = ("i", "my", "ich")
_BIRTH_OF = re.compile(
    r"(?<!\w)(?:birth\s+of\s+(?P<of>[^\W\d_][\w-]{0,40})"
    r"|geburt\s+von\s+(?P<von>[^\W\d_][\w-]{0,40})|(?P<inhaber>[^\W\d_][\w-]{0,40}?)s\s+geburt"
    r"|(?P<owner>[^\W\d_][\w-]{0,40}?)(?:['’]s?)?\s+(?:(?:was|is|were)\s+born|birth(?!\s+of)))(?!\w)",
    re.I,
)
_IS_BORN = re.compile(r"(?<!\w)(?:born|birth|geboren|geburt|zur welt)(?!\w)|出生", re.I)
_BIRTHDAY = re.compile(r"(?<!\w)(?:birthday|born|birth|geburtstag|geboren)(?!\w)|生日|出生", re.I)
_BIRTHDAY_NAMES = ("birthday", "geburtstag", "生日")
_MY = re.compile(
    r"(?<!\w)(?:my (?:own )?(?:birthday|date of birth)|i was born|i am born"
    r"|mein(?:en|em)? geburtstag|ich (?:bin|wurde) .*geboren|ich habe .*geburtstag)(?!\w)"
    r"|我的?生日|我出生",
    re.I,
)
_TODAY = re.compile(
    r"(?<!\w)(?:today (?:is|was) my birthday|(?:it is|it's|it was) my birthday"
    r"|my birthday (?:is )?today|heute (?:ist mein|habe ich|hatte ich) geburtstag)(?!\w)"
    r"|今天是?我的?生日",
    re.I,
)
_ABOUT_ME = re.compile(
    r"me|about me|myself|my profile|profile|personal data|über mich|ich|我|关于我|个人信息", re.I
)
