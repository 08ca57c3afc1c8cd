"""Finds the words after a subject that narrow it: "Flight to Bengaluru", "rent for the garage".
Pure.

Two statements with different narrowing words are about different things. A time does not narrow a
subject: "rent for May" and "rent for June" are one rent.
"""

import re
from collections.abc import Set
from functools import cache

from ragd.notes.stop_words import ENGLISH, GERMAN
from ragd.search.dates import time_names
from ragd.search.dates.languages import dutch, french, italian, portuguese, russian, spanish
from ragd.search.query.query_terms import stems_of
from ragd.search.query.question_language import FUNCTION_WORDS

_WORD = re.compile(r"[^\W_]+(?:['’]s)?")
# A lower-case word, or a name of several words.
_NARROWING = re.compile(
    r"\s+(?:to|for|of|from|nach|für|von|aus)\s+"
    r"(?:(?:the|an?|my|our|his|her|their|de[mnrs]|die|das|mein\w*|unser\w*)\s+)?"
    r"([A-ZÀ-Þ][\w'’-]*(?:\s[A-ZÀ-Þ][\w'’-]*)*|[^\W\d_][\w'’-]*)"
)
_NARROWING_ABROAD = re.compile(
    r"\s+(?:a(?=\s+[A-ZÀ-Þ])|para|por|pour|per|de|del|della|di|du|des|da|do|van|voor|naar|за|на"
    r"|в|для)\s+"
    r"(?:(?:el|la|los|las|le|les|l['’]|il|lo|i|o|os|as|un|una|une|uma|de|het|een|mi|mon|ma"
    r"|meu)\s+)?"
    r"([^\W\d_][\w'’-]*)"
)
_TIMES = (
    *(*time_names.MONTHS, *time_names.LATIN_SEASONS, *time_names.LATIN_WEEKDAYS),
    *(*time_names.LATIN_STEPS, *time_names.LATIN_UNITS),
)
_NOT_NARROWING = stems_of(
    f"{ENGLISH} {GERMAN} {' '.join(_TIMES)} almost nearly roughly around exactly today "
    "tomorrow yesterday good free sure example course heute morgen gestern fast etwa rund"
)


def narrowing_words(
    sentence: str, subject: Set[str], *, is_foreign: bool = False
) -> frozenset[str]:
    """The stems of the words that narrow a subject (its stems) in a sentence; usually none.
    `is_foreign`: it may be in neither English nor German."""
    found: set[str] = set()
    for word in _WORD.finditer(sentence):
        if not stems_of(word.group()) & subject:
            continue
        if match := _NARROWING.match(sentence, word.end()):
            found |= stems_of(match.group(1)) - subject - _NOT_NARROWING
        elif is_foreign and (match := _NARROWING_ABROAD.match(sentence, word.end())):
            found |= stems_of(match.group(1)) - subject - _not_narrowing_abroad()
    return frozenset(found)


@cache
def _not_narrowing_abroad() -> frozenset[str]:
    languages = (
        *(dutch.DUTCH, french.FRENCH, italian.ITALIAN),
        *(portuguese.PORTUGUESE, russian.RUSSIAN, spanish.SPANISH),
    )
    times = " ".join(f"{one.months} {one.days} {one.seasons} {one.units}" for one in languages)
    words = f"{' '.join(FUNCTION_WORDS.values())} {times.replace('|', ' ')}"
    more = "mes mois mese mês maand месяц nuevo nouveau nuovo novo"
    return _NOT_NARROWING | stems_of(f"{words} {more}")
