"""Two ranked lists become one. Pure.

By weights (the default), words count in proportion to the best match, and meaning by how far a
passage stands out from the crowd: a model that cannot read a question gives all passages much the
same cosine, and so has little say. By ranks (`rrf`), both legs count alike, however sure they are.
docs/retrieval.md has the measurements.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from msgspec import Struct

RANK_CONSTANT = 60
CROWD = 50  # the cosine at this rank is that of the crowd
REACH = 0.5  # a cosine so much above the crowd weighs as much as the best match of words
UNREAD = 0.3  # what meaning still weighs when the model knows no word of the question
TIMELY = 0.7  # what being of the time that is named adds, as a part of the best weight


class Hit(Protocol):
    """What a leg found."""

    @property
    def chunk_id(self) -> str: ...

    @property
    def source_file(self) -> str: ...

    @property
    def text_key(self) -> bytes: ...

    @property
    def score(self) -> float: ...


class Candidate(Struct):
    """A chunk that some leg found: its cosine, its BM25, and its weight in the common order."""

    chunk_id: str
    source_file: str
    text_key: bytes = b""  # the same for passages with the same text
    cosine: float | None = None
    bm25: float | None = None
    timely: bool = False
    weight: float = 0.0


def by_ranks(vector: Sequence[Hit], text: Sequence[Hit]) -> list[Candidate]:
    """Reciprocal ranks, summed; best first."""
    found = _together(vector, text)
    for hits in (vector, text):
        for rank, hit in enumerate(hits, 1):
            found[hit.chunk_id].weight += 1 / (RANK_CONSTANT + rank)
    return _ordered(found)


def by_weights(
    vector: Sequence[Hit], text: Sequence[Hit], vector_weight: float, text_weight: float
) -> list[Candidate]:
    """Weighted scores, summed; best first."""
    found = _together(vector, text)
    if vector:
        crowd = vector[min(CROWD, len(vector)) - 1].score
        for hit in vector:
            found[hit.chunk_id].weight += vector_weight * (hit.score - crowd) / REACH
    if text and text[0].score > 0:
        for hit in text:
            found[hit.chunk_id].weight += text_weight * hit.score / text[0].score
    return _ordered(found)


def trust(readable: float) -> float:
    """What meaning weighs, of a question of which the model can read this part."""
    return UNREAD + (1 - UNREAD) * readable


def prefer(ranked: Sequence[Candidate], timely: Collection[str]) -> list[Candidate]:
    """The same with these chunks moved up: those of the time that the question names."""
    bonus = TIMELY * ranked[0].weight if ranked else 0.0
    for one in ranked:
        if one.chunk_id in timely:
            one.timely = True
            one.weight += bonus
    return _ordered({one.chunk_id: one for one in ranked})


def _together(vector: Sequence[Hit], text: Sequence[Hit]) -> dict[str, Candidate]:
    found: dict[str, Candidate] = {}
    for hit in (*vector, *text):
        found.setdefault(hit.chunk_id, Candidate(hit.chunk_id, hit.source_file, hit.text_key))
    for hit in vector:
        found[hit.chunk_id].cosine = hit.score
    for hit in text:
        found[hit.chunk_id].bm25 = hit.score
    return found


def _ordered(found: dict[str, Candidate]) -> list[Candidate]:
    return sorted(found.values(), key=lambda one: (-one.weight, one.chunk_id))
