"""Which memories belong to a question: those that share words with it, the rarest counting most.

It knows nothing of where memories are kept.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from ragd.search.stop_words import COMMON
from ragd.search.words import is_single, words

QUERY_WORDS = 256  # the first ones; more say no more


class Memory(Struct, frozen=True):
    """A fact that somebody wanted kept."""

    key: str
    value: str
    source: str
    stored_at: str


def matching(memories: Sequence[Memory], query: str, limit: int) -> list[Memory]:
    """The memories that share words with the query, best first, newer ones before older."""
    wanted = frozenset(terms(query)[:QUERY_WORDS])
    if not wanted or limit < 1:
        return []
    shared = [(wanted.intersection(terms(_text(memory))), memory) for memory in memories]
    frequency = Counter(term for found, _ in shared for term in found)
    scored = [
        (sum(math.log(1 + len(memories) / frequency[term]) for term in found), memory)
        for found, memory in shared
        if found
    ]
    newest_first = sorted(scored, key=lambda pair: pair[1].stored_at, reverse=True)
    best_first = sorted(newest_first, key=lambda pair: -pair[0])
    return [memory for _, memory in best_first[:limit]]


def terms(text: str) -> list[str]:
    """What a text can be found by: its words, pairs of characters where words have no spaces."""
    found: list[str] = []
    run = ""
    for word in (*words(text), ""):
        if is_single(word):
            run += word.removeprefix("^")
            continue
        found.extend(_pairs(run))
        run = ""
        if word and word not in COMMON:
            found.append(word)
    return found


def _pairs(run: str) -> Iterable[str]:
    if len(run) < 2:
        return (run,) if run else ()
    return (run[at : at + 2] for at in range(len(run) - 1))


def _text(memory: Memory) -> str:
    return f"{memory.key} {memory.value}"
