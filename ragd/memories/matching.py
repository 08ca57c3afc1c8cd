"""Which memories match a query: those that share words with it (rare words count most), and those
that are close to it in meaning.

It never reads the file of memories and never makes vectors.
"""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ragd.access.scope import Permits
from ragd.guard.word_matching import is_single, words
from ragd.notes.stop_words import ENGLISH

COSINE_MIN = 0.30  # for a memory that shares no word with the query
RANK_CONSTANT = 60  # of reciprocal rank fusion
# Texts that no query about a person's memories is likely to resemble.
ANCHORS = (
    "A glacier moves a few metres in a year.",
    "The committee approved the minutes of the previous session.",
    "Sort the list in descending order and return the first element.",
    "Basalt forms when lava cools quickly.",
    "The overture begins with a slow march for the brass.",
)
_STOP_WORDS = frozenset(ENGLISH.split())


class Memory(Struct, frozen=True):
    """A fact that a user asked to keep."""

    key: str
    value: str
    source: str
    stored_at: str
    source_sha256: str | None = None  # of the source note when it was stored, if it could be read
    may_leave: bool = False  # neither the fact nor its place in the note was sensitive


class QueryMeaning(Struct, frozen=True):
    """A query's vector, and the vectors of unrelated texts where the model's scale needs them.

    `above_anchors`: how much closer than those a memory without a shared word must be.
    """

    vector: bytes  # float32
    space: str
    anchors: tuple[bytes, ...] = ()
    above_anchors: float = 0.0


def memory_data(memory: Memory) -> dict[str, str]:
    """A memory in an answer."""
    return {name: getattr(memory, name) for name in ("key", "value", "source", "stored_at")}


def embed_text(memory: Memory) -> str:
    """The text of a memory that is embedded."""
    return f"{memory.key}: {memory.value}"


class MemoryMatcher:
    """Memories, indexed once, then found by the words or the meaning of a query.

    `vectors`: by key, the vector space and the vector in it.
    """

    def __init__(
        self, memories: Sequence[Memory], vectors: Mapping[str, tuple[str, bytes]] | None = None
    ) -> None:
        self._memories = sorted(memories, key=lambda memory: memory.stored_at, reverse=True)
        self._places_by_term: dict[
            str, list[int]
        ] = {}  # term -> places of the memories that have it
        for place, memory in enumerate(self._memories):
            for term in dict.fromkeys(terms(f"{memory.key}\n{memory.value}")):
                self._places_by_term.setdefault(term, []).append(place)
        self._vectors = vectors or {}
        self._matrix: tuple[str, list[int], Any] | None = None  # of the space used last

    @property
    def memories(self) -> Sequence[Memory]:
        """All of them, newest first."""
        return self._memories

    def find_matching(
        self,
        query: str,
        limit: int,
        meaning: QueryMeaning | None = None,
        permits: Permits | None = None,
    ) -> list[Memory]:
        """The memories that share words with the query or are close to it, best first; of equal
        ones the newer first. `permits`: only those whose source it accepts."""
        by_words = self._rank_by_words(query)
        near = self._rank_by_meaning(meaning) if meaning is not None else []
        scores: dict[int, float] = {}
        for ranked in (by_words, near):
            found = ranked
            if permits is not None:  # before ranks count, so that the others leave no gaps
                found = [place for place in ranked if permits(self._memories[place].source)]
            for rank, place in enumerate(found):
                scores[place] = scores.get(place, 0.0) + 1 / (RANK_CONSTANT + rank)
        best = heapq.nsmallest(max(0, limit), scores, key=lambda place: (-scores[place], place))
        return [self._memories[place] for place in best]

    def _rank_by_words(self, query: str) -> list[int]:
        scores: dict[int, float] = {}
        for term in dict.fromkeys(terms(query)):
            places = self._places_by_term.get(term, [])
            for place in places:
                weight = math.log(1 + len(self._memories) / len(places))
                scores[place] = scores.get(place, 0.0) + weight
        return sorted(scores, key=lambda place: (-scores[place], place))

    def _rank_by_meaning(self, meaning: QueryMeaning) -> list[int]:
        import numpy as np  # slow to import, and not needed without vectors

        places, matrix = self._matrix_for(meaning.space)
        query = np.frombuffer(meaning.vector, dtype="<f4")
        if not places or matrix.shape[1] != len(query):
            return []
        floor = COSINE_MIN
        if meaning.anchors:
            anchors = np.stack([np.frombuffer(one, dtype="<f4") for one in meaning.anchors])
            floor = max(floor, float((anchors @ query).mean()) + meaning.above_anchors)
        cosines = matrix @ query
        near = [(float(cosine), place) for cosine, place in zip(cosines, places, strict=True)]
        near = [one for one in near if one[0] >= floor]
        return [place for _, place in sorted(near, key=lambda one: (-one[0], one[1]))]

    def _matrix_for(self, space: str) -> tuple[list[int], Any]:
        import numpy as np

        if self._matrix is None or self._matrix[0] != space:
            kept = [
                (place, self._vectors[memory.key][1])
                for place, memory in enumerate(self._memories)
                if self._vectors.get(memory.key, ("",))[0] == space
            ]
            rows = [np.frombuffer(vector, dtype="<f4") for _, vector in kept]
            matrix = np.stack(rows) if rows else np.empty((0, 0), dtype="<f4")
            self._matrix = (space, [place for place, _ in kept], matrix)
        return self._matrix[1], self._matrix[2]


def terms(text: str) -> list[str]:
    """The search terms of a text: its words, or pairs of characters in scripts without spaces."""
    found: list[str] = []
    run = ""
    for word in words(text):
        if not is_single(word) or word.startswith("^"):
            found.extend(_pairs(run))
            run = ""
        if is_single(word):
            run += word.removeprefix("^")
        elif word not in _STOP_WORDS:
            found.append(word)
    found.extend(_pairs(run))
    return found


def _pairs(run: str) -> Iterable[str]:
    if len(run) < 2:
        return (run,) if run else ()
    return (run[at : at + 2] for at in range(len(run) - 1))
