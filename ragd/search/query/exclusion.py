"""How much a passage is about the words that a question excludes. Pure."""

import re

from ragd.search.query.query_terms import stems_of

_WORD = re.compile(r"[^\W_]+")
# A passage that says "without meat" is not about meat.
_NEGATIONS = frozenset(
    (
        *("no", "not", "without", "never", "free", "except", "instead"),
        *("kein", "keine", "keinen", "ohne", "nicht", "frei", "statt"),
        *("sans", "pas", "sin", "senza", "non"),
    )
)
_NEAR = 2  # words before or after


def unwanted_share(excluded: frozenset[str], *texts: str) -> float:
    """The share of the excluded stems in the texts, from 0 to 1; negated words do not count."""
    if not excluded:
        return 0.0
    found: set[str] = set()
    for text in texts:
        words = [word.casefold() for word in _WORD.findall(text)]
        for at, word in enumerate(words):
            hit = excluded & stems_of(word)
            around = words[max(0, at - _NEAR) : at] + words[at + 1 : at + 2]
            if hit and _NEGATIONS.isdisjoint(around):
                found |= hit
    return len(found) / len(excluded)
