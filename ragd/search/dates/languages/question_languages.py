"""Finds the languages whose times are read in a question, by its words of time. Pure.

`question_language` finds the group of a question by its function words. A short question may have
none, such as "Ben la semana pasada": then its words of time decide.
"""

from collections.abc import Sequence
from functools import cache

from ragd.notes.late_pattern import LatePattern
from ragd.notes.stop_words import ENGLISH, GERMAN
from ragd.search.dates import time_names
from ragd.search.dates.languages import (
    dutch,
    french,
    italian,
    japanese,
    portuguese,
    russian,
    spanish,
)
from ragd.search.dates.languages.expressions import fold, fold_marks, names_of
from ragd.search.dates.languages.language import Language
from ragd.search.query.question_language import FUNCTION_WORDS, Group, language_group

LATIN: tuple[Language, ...] = (
    *(spanish.SPANISH, french.FRENCH, italian.ITALIAN, portuguese.PORTUGUESE),
    dutch.DUTCH,
)


def find_languages(
    text: str, folded: str, question: str
) -> tuple[Group | None, Sequence[Language]]:
    """The languages whose times are read in a text, and their group."""
    if not folded.isascii():
        group = language_group(question)
        if group == "russian":
            return group, (russian.RUSSIAN,)
        if group == "japanese" or (group == "chinese" and _ONLY_JAPANESE.search(folded)):
            return "japanese", (japanese.JAPANESE,)
    words = frozenset(_WORD.findall(folded))
    near = LATIN
    if not _YEAR.search(folded):
        near = tuple(one for one in LATIN if not words.isdisjoint(_time_words(one)))
    if not near:
        return None, ()
    in_lower_case = frozenset(_WORD.findall(fold_marks(text)))
    group = language_group(question) or _group_by_times(words, in_lower_case, near)
    return group, [language for language in near if language.group == group]


def _group_by_times(
    words: frozenset[str], in_lower_case: frozenset[str], near: Sequence[Language]
) -> Group | None:
    """The group of a question without a sure function word, such as "Ben la semana pasada": that of
    its times, unless it has more English or German function words.

    A month that is also a name counts in lower case, and only if there are fewer of these. A word
    that German has, too ("hier"), counts only beside a function word.
    """
    best: Group | None = None
    most = 0
    for language in near:
        own = _function_words(language.group)
        functions = len(words & own - _KNOWN_WORDS - _time_words(language))
        sure = len(words & _sure_time_words(language))
        unsure = len(in_lower_case & _time_words(language) & NAME_MONTHS - _KNOWN_WORDS)
        unsure += len(words & _time_words(language) & _AMBIGUOUS) if functions else 0
        votes = sure + unsure + functions
        known = len(words & _KNOWN_WORDS - own)
        is_sure = votes >= known if sure else bool(unsure) and votes > known
        if is_sure and votes > most:
            best, most = language.group, votes
    return best


@cache
def _function_words(group: Group) -> frozenset[str]:
    return frozenset(fold(FUNCTION_WORDS[group]).split())


@cache
def _time_words(language: Language) -> frozenset[str]:
    """The words of which one is in every time of this language that is not a number."""
    return frozenset(_WORD.findall(" ".join((*names_of(language), fold(language.words)))))


@cache
def _sure_time_words(language: Language) -> frozenset[str]:
    """Those that are no English or German words and no names."""
    return _time_words(language) - _KNOWN_WORDS - _NAMES


_WORD = LatePattern(r"[^\W_]+")
_YEAR = LatePattern(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_ONLY_JAPANESE = LatePattern(
    "[先今来毎]週|[日週年]間|先月|先々|[月火水木金土日]曜|一昨|昨[夜晩年]|今朝|来[月年]"
)
_KNOWN_WORDS = frozenset(
    word
    for words in (
        *(ENGLISH, GERMAN, *time_names.MONTHS, *time_names.LATIN_SEASONS, *time_names.LATIN_UNITS),
        *(*time_names.LATIN_STEPS, *time_names.LATIN_DAY_WORDS, *time_names.LATIN_WEEKDAYS),
    )
    for word in fold(words).split()
)
# Words of time that are also names, or that another language has, too.
_NAME_MONTHS_TEXT = """
abril agosto april august augustus avril juli julio junio mai mars marzo mayo mei
"""
NAME_MONTHS = frozenset(_NAME_MONTHS_TEXT.split())
_AMBIGUOUS = frozenset(("hier", "hoy", "demain", "domani"))
_NAMES_TEXT = """
anno demain domani domenica domingo estate hier hoy laatst mes morgen prima recent sabato segunda
quarta quinta sexta
"""
_NAMES = NAME_MONTHS | frozenset(_NAMES_TEXT.split())
