"""Finds the day of a birthday or an event in the text of notes. Pure.

The user's birthday: "my birthday is …", "I was born on …", a line `Birthday: …` or the property
`birthday` in a note about the user, or a dated note with "today is my birthday". Another person's
birthday: a sentence, or a line or the property of that person's note. A birthday in another
person's note is never used as the user's.
"""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Protocol

from ragd.notes.sentences import sentences
from ragd.notes.stop_words import ENGLISH, GERMAN
from ragd.search.dates.day_spans import MonthDay
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
    def date(self) -> str | None: ...
    @property
    def properties(self) -> list[str]: ...


def find_birthday(owner: str, passages: Iterable[DatedPassage]) -> MonthDay | None:
    """The birthday that most of these passages state; None if none does."""
    days: Counter[MonthDay] = Counter()
    for passage in passages:
        days.update(_birthdays_in_passage(owner, passage))
    return days.most_common(1)[0][0] if days else None


def find_event_day(words: str, passages: Iterable[DatedPassage]) -> MonthDay | None:
    """The day of an event: the date of the first passage with a sentence that names it and has
    "today", else of the first passage that names it. None if no dated passage does."""
    wanted = stems_of(words) - _STOP_WORDS
    named = None
    for passage in passages:
        for sentence in sentences(passage.chunk_text) if passage.date else ():
            if wanted and wanted <= stems_of(sentence):
                day = date.fromisoformat(passage.date or "")
                found = MonthDay(day.month, day.day, day.year)
                if _MENTIONS_TODAY.search(sentence):
                    return found
                named = named or found
    return named


def _birthdays_in_passage(owner: str, passage: DatedPassage) -> Iterable[MonthDay]:
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
                yield from (MonthDay(day.month, day.day) for day in calendar_days(around)[:1])


def _birthdays_in_properties(properties: Iterable[str]) -> Iterable[MonthDay]:
    for one in properties:
        name, _, value = one.partition("=")
        if name in BIRTHDAY_PROPERTIES:
            yield from (MonthDay(day.month, day.day) for day in calendar_days(value)[:1])


def _is_about(owner: str, title: str) -> bool:
    if owner == MINE:
        return bool(_ABOUT_ME.fullmatch(title.strip()))
    return owner in title.lower().split()


def _mentions(owner: str, sentence: str) -> bool:
    if owner == MINE:
        return bool(_MY.search(sentence))
    return bool(re.search(rf"(?<!\w){re.escape(owner)}(?!\w)", sentence, re.I))


_STOP_WORDS = stems_of(f"{ENGLISH} {GERMAN}")
_MENTIONS_TODAY = re.compile(r"(?<!\w)(?:today|tonight|this morning|heute)(?!\w)|今天", re.I)
_BIRTHDAY = re.compile(r"(?<!\w)(?:birthday|born|birth|geburtstag|geboren)(?!\w)|生日|出生", re.I)
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
