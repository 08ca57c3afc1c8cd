"""Which memories belong to a question: those that share words with it, the rarest counting most.

It knows nothing of where memories are kept.
"""

import heapq
import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

from ragd.search.function_words import ENGLISH
from ragd.search.words import is_single, words

QUERY_CHARACTERS = 4_000  # the first ones; more say no more
_COMMON = frozenset(ENGLISH.split())


class Memory(Struct, frozen=True):
    """A fact that somebody wanted kept."""

    key: str
    value: str
    source: str
    stored_at: str


class Recall:
    """Memories, put in order once, then found by the words of any question."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self._memories = sorted(memories, key=lambda memory: memory.stored_at, reverse=True)
        self._having: dict[str, list[int]] = {}  # term -> places of the memories that have it
        for place, memory in enumerate(self._memories):
            for term in dict.fromkeys(terms(f"{memory.key}\n{memory.value}")):
                self._having.setdefault(term, []).append(place)

    def matching(self, query: str, limit: int) -> list[Memory]:
        """The memories that share words with the query, best first, newer ones before older."""
        scores: dict[int, float] = {}
        for term in dict.fromkeys(terms(query[:QUERY_CHARACTERS])):
            places = self._having.get(term, [])
            for place in places:
                weight = math.log(1 + len(self._memories) / len(places))
                scores[place] = scores.get(place, 0.0) + weight
        best = heapq.nsmallest(max(0, limit), scores, key=lambda place: (-scores[place], place))
        return [self._memories[place] for place in best]


def terms(text: str) -> list[str]:
    """What a text can be found by: its words, pairs of characters where words have no spaces."""
    found: list[str] = []
    run = ""
    for word in words(text):
        if not is_single(word) or word.startswith("^"):
            found.extend(_pairs(run))
            run = ""
        if is_single(word):
            run += word.removeprefix("^")
        elif word not in _COMMON:
            found.append(word)
    found.extend(_pairs(run))
    return found


def _pairs(run: str) -> Iterable[str]:
    if len(run) < 2:
        return (run,) if run else ()
    return (run[at : at + 2] for at in range(len(run) - 1))
