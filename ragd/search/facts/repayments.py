"""Finds sentences in which another person gives the user money back. Pure.

"Kavya sent the $85" settles what Kavya owes the user, without a word such as "owes".
"""

import re
from collections.abc import Iterable

from ragd.notes.late_pattern import LatePattern
from ragd.search.facts.amounts import AMOUNT_PATTERN

NEAR = 80  # characters before a name in which "got $85 from" is looked for
_BEFORE_SUM = (
    r"me|us|back|over|again|the|that|those|my|our|her|his|their|all|another|last|first|second|other"
    r"|remaining|rest|of|full|half|mir|uns|die|das|den|meine|unsere|ihre|seine|alle|letzten"
    r"|restlichen|noch|heute|jetzt|schon|endlich"
)
_ALL_OF_IT = r"the rest|the money|everything|it all|all of it|it|den rest|das geld|alles"
_SUM = rf"(?P<sum>(?:(?:{_BEFORE_SUM})\s+)*(?:{AMOUNT_PATTERN}|(?:{_ALL_OF_IT})(?!\w)))"
_ADVERBS = r"(?:\s+(?:has|had|just|already|finally|also|then|now|today))*"
_GIVEN_IN_GERMAN = r"überwiesen|geschickt|gezahlt|bezahlt|gegeben|gebracht|beglichen"
_SURNAME = r"(?:\s(?-i:[A-ZÀ-Þ])[\w-]*)?"
# What follows the name of the person.
_GIVES = (
    LatePattern(
        rf"{_SURNAME}{_ADVERBS}\s+(?:sent|paid|transferred|wired|gave|returned|repaid|handed"
        rf"|überwies|schickte|zahlte|gab|beglich)\s+{_SUM}(?P<after>.*)",
        re.I,
    ),
    LatePattern(
        rf"{_SURNAME}\s+hat(?:te)?\s+{_SUM}"
        rf"(?P<after>.*\s(?:zurück)?(?:{_GIVEN_IN_GERMAN})(?!\w).*)",
        re.I,
    ),
)
# What comes before the name of the person.
_GETS = LatePattern(
    rf"(?<!\w)(?:got|received|bekam|erhielt)\s+{_SUM}(?P<after>(?:\s+\w+)*?)\s+(?:from|von)\s+$",
    re.I,
)
# Money that is known already: "the $85", "$20 of it", "$20 back".
_KNOWN = LatePattern(
    r"(?<!\w)(?:back|the|that|those|my|our|her|his|their|another|everything|all|it|die|das|den"
    r"|meine|unsere|ihre|seine|restlichen|alles)(?!\w)",
    re.I,
)
_BACK = LatePattern(
    r"\s*(?:of (?:it|the|that|what|her|his|their)|davon)(?!\w)|.*(?<!\w)(?:back(?!\w)|zurück)", re.I
)
_PURPOSE = LatePattern(r"(?<!\w)(?:for|as|towards|für|als|zum|zur)(?!\w)", re.I)
_USER_OWES = LatePattern(
    r"(?<!\w)(?:i (?:still |now )?owe|(?:lent|lends|loaned) (?:me|us)|i borrow(?:ed)?"
    r"|ich schulde|schulde ich|geliehen)(?!\w)",
    re.I,
)


def is_repayment(sentence: str, names: Iterable[tuple[int, int]], *, is_certain: bool) -> bool:
    """Whether a person gives the user money back. `names`: where the sentence has the name.

    `is_certain`: it is money that is known already ("the $85", "$20 back"). Otherwise it is enough
    that the sentence gives no other purpose.
    """
    if _USER_OWES.search(sentence):
        return False
    for start, end in names:
        found = [pattern.match(sentence, end) for pattern in _GIVES]
        if any(_is_given_back(match, is_certain) for match in found if match):
            return True
        if (match := _GETS.search(sentence[max(0, start - NEAR) : start])) and _is_given_back(
            match, True
        ):
            return True
    return False


def _is_given_back(match: re.Match[str], is_certain: bool) -> bool:
    if _KNOWN.search(match["sum"]) or _BACK.match(match["after"]):
        return True
    return not is_certain and not _PURPOSE.search(match["after"])
