"""Two ranked lists become one. Pure.

Reciprocal ranks by default: they ask nothing of the scores, so a weak embedder can do little harm.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

RANK_CONSTANT = 60


class Hit(Protocol):
    """What a leg found."""

    @property
    def chunk_id(self) -> str: ...

    @property
    def source_file(self) -> str: ...

    @property
    def score(self) -> float: ...


class Candidate(Struct):
    """A chunk that some leg found: its cosine, its BM25, and its place in the common order."""

    chunk_id: str
    source_file: str
    cosine: float | None = None
    bm25: float | None = None
    weight: float = 0.0


def fuse(
    vector: Sequence[Hit],
    text: Sequence[Hit],
    *,
    vector_weight: float = 1.0,
    text_weight: float = 1.0,
) -> list[Candidate]:
    """By reciprocal ranks, best first."""
    found = _together(vector, text)
    for hits, weight in ((vector, vector_weight), (text, text_weight)):
        for rank, hit in enumerate(hits, 1):
            found[hit.chunk_id].weight += weight / (RANK_CONSTANT + rank)
    return _ordered(found)


def fuse_weighted(
    vector: Sequence[Hit], text: Sequence[Hit], vector_weight: float, text_weight: float
) -> list[Candidate]:
    """By weighted scores, each leg's brought to 0..1 by its best and its worst."""
    found = _together(vector, text)
    for hits, weight in ((vector, vector_weight), (text, text_weight)):
        if hits:
            best, worst = hits[0].score, min(hits[-1].score, 0.0)
            reach = (best - worst) or 1.0
            for hit in hits:
                found[hit.chunk_id].weight += weight * (hit.score - worst) / reach
    return _ordered(found)


def _together(vector: Sequence[Hit], text: Sequence[Hit]) -> dict[str, Candidate]:
    found: dict[str, Candidate] = {}
    for hit in (*vector, *text):
        found.setdefault(hit.chunk_id, Candidate(hit.chunk_id, hit.source_file))
    for hit in vector:
        found[hit.chunk_id].cosine = hit.score
    for hit in text:
        found[hit.chunk_id].bm25 = hit.score
    return found


def _ordered(found: dict[str, Candidate]) -> list[Candidate]:
    return sorted(found.values(), key=lambda one: (-one.weight, one.chunk_id))
