"""How good one ranked list of notes is. Pure."""

import math
from collections.abc import Sequence
from typing import NamedTuple

TOP = 10


class Figures(NamedTuple):
    """How good one answer is, or the means over all questions."""

    ndcg: float
    recall: float
    mrr: float


def judged(ranked: Sequence[str], answers: frozenset[str]) -> Figures:
    """The figures of one answer; `ranked` has the best note first."""
    hits = [place for place, note in enumerate(ranked[:TOP]) if note in answers]
    gain = sum(1 / math.log2(place + 2) for place in hits)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(TOP, len(answers))))
    first = 1 / (hits[0] + 1) if hits else 0.0
    return Figures(gain / ideal, len(hits) / len(answers), first)
