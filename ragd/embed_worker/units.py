"""The units of a passage: where each begins, and how their vectors are kept in one byte a number.

They cost no extra run of the model. With MiniLM, a unit's vector is the mean of the states that its
tokens have in the whole passage; with granite, a unit is a window. docs/retrieval.md has the
measurements.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ragd.embed_worker.loading import Floats
from ragd.units import MOST_UNITS

UNIT_TOKENS = 96
_LARGEST = 127


class Passages(NamedTuple):
    """One vector for each text, and the vectors of its units; empty for a short text."""

    vectors: Floats
    units: list[bytes]


def unit_starts(tokens: int) -> list[int]:
    """Where the units of a text with so many tokens begin; none if it is only one unit long."""
    if tokens <= UNIT_TOKENS:
        return []
    count = min(MOST_UNITS, max(2, round(tokens / UNIT_TOKENS)))
    return [tokens * place // count for place in range(count)]


def starts_within(starts: Sequence[int], first: int, size: int) -> tuple[int, list[int]]:
    """The units in a stretch of tokens: the place of the first, and where each begins there."""
    place = sum(start <= first for start in starts) - 1
    return place, [0, *(start - first for start in starts if first < start < first + size)]


def in_bytes(sums: Floats) -> bytes:
    """The directions of these rows, one byte a number: the largest number becomes 127."""
    largest = np.maximum(np.abs(sums).max(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    rounded = np.rint(sums * (_LARGEST / largest)).astype(np.int8)
    return bytes(rounded.tobytes())
