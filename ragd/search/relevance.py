"""How relevant a passage is, from 0 to 1, the same for every question. Pure."""

from ragd.search.fusion import Candidate

FLOOR = 0.0


def relevance(candidate: Candidate) -> float:
    """The better of what meaning and words say."""
    by_meaning = _between(candidate.cosine, 0.1, 0.8)
    bm25 = candidate.bm25 or 0.0
    by_words = bm25 / (bm25 + 8.0)
    return max(by_meaning, by_words)


def _between(value: float | None, low: float, high: float) -> float:
    return 0.0 if value is None else min(1.0, max(0.0, (value - low) / (high - low)))
