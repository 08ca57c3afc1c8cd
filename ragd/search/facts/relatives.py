"""Finds out whether a sentence is only about somebody who belongs to its subject: "Max's sister".
Pure.
"""

import re
from collections.abc import Set as AbstractSet

from ragd.search.facts import foreign_statements
from ragd.search.facts.question_subject import AskedFact
from ragd.search.query.query_terms import stems_of
from ragd.search.query.question_language import UNSPACED, Group

_WORD = re.compile(r"[^\W_]+(?:['’]s)?")
# "Max's sister lives in Paris" is not about Max.
_RELATIVE = re.compile(
    r"['’]s? (?:\w+ ){0,2}?(?:sister|brother|mother|father|mum|mom|dad|parents?|wife|husband"
    r"|partner|girlfriend|boyfriend|son|daughter|kids?|child(?:ren)?|cousins?|aunt|uncle|niece"
    r"|nephew|family|friends?|boss|colleagues?|neighbou?rs?|dog|cat|schwester|bruder|mutter|vater"
    r"|eltern|frau|mann|sohn|tochter|kind(?:er)?)(?!\w)",
    re.I,
)


def is_about_relative(
    wanted: AskedFact, sentence: str, groups: AbstractSet[Group] = frozenset()
) -> bool:
    """Whether the sentence is about somebody who belongs to the subject."""
    for name in wanted.words.split() if groups & UNSPACED else ():
        if foreign_statements.relative_of("", sentence.partition(name)[2], groups):
            return True
    for start, end in places_of_subject(wanted, sentence):
        relative = foreign_statements.relative_of(sentence[:start], sentence[end:], groups)
        if relative and not stems_of(relative) & wanted.subject:
            return True
        apostrophe = max(sentence.rfind("'", start, end), sentence.rfind("’", start, end))
        match = _RELATIVE.match(sentence, apostrophe if apostrophe > 0 else end)
        if match and not stems_of(match.group()) & wanted.subject:
            return True
    return False


def places_of_subject(wanted: AskedFact, sentence: str) -> list[tuple[int, int]]:
    """Where each word of the subject begins and ends."""
    return [m.span() for m in _WORD.finditer(sentence) if stems_of(m.group()) & wanted.subject]
