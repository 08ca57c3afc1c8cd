"""The units of a passage: where each begins, and how their vectors are packed.

They cost no extra run of the model. With MiniLM and the multilingual model, a unit's vector is made
from the states that its tokens have in the whole passage; with granite, a unit is a window.
docs/retrieval.md has the measurements.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ragd.embed.unit_vectors import MOST_SENTENCE_UNITS, MOST_UNITS
from ragd.embed.worker.loading import Floats

UNIT_TOKENS = 96
SENTENCE_TOKENS = 20  # shorter sentences are joined with the next one
LONGEST_SENTENCE = 40  # tokens; a longer sentence is divided
_LARGEST = 127
_LARGEST_HALF = 7  # in four bits
_SPREAD = 3.0  # numbers beyond this many times the root mean square are clipped


class PassageVectors(NamedTuple):
    """One vector for each text, and the vectors of its units; empty for a short text."""

    vectors: Floats
    units: list[bytes]


def unit_starts(tokens: int) -> list[int]:
    """Where the units of a text with this many tokens begin; none if it is only one unit long."""
    if tokens <= UNIT_TOKENS:
        return []
    count = min(MOST_UNITS, max(2, round(tokens / UNIT_TOKENS)))
    return [tokens * place // count for place in range(count)]


def sentence_starts(tokens: int, ends: Iterable[int]) -> list[int]:
    """Where the units of a text begin. A unit has whole sentences where possible, and 20 to 40
    tokens, or more if there would be too many units. `ends`: where sentences end, in order."""
    least, most = SENTENCE_TOKENS, LONGEST_SENTENCE
    if tokens > least * MOST_SENTENCE_UNITS:
        least = math.ceil(tokens / MOST_SENTENCE_UNITS)
        most = 2 * least
    starts: list[int] = []
    begin = last = 0
    for end in (*ends, tokens):
        if end - begin > most and last > begin:  # without this sentence
            starts.append(begin)
            begin = last
        last = end
        if end - begin >= least:
            parts = math.ceil((end - begin) / most)
            starts += [begin + (end - begin) * part // parts for part in range(parts)]
            begin = end
    if begin < tokens:
        starts.append(begin)
    if len(starts) > MOST_SENTENCE_UNITS:  # too many: use units of equal size
        starts = [tokens * place // MOST_SENTENCE_UNITS for place in range(MOST_SENTENCE_UNITS)]
    return starts if len(starts) > 1 else []


def in_bytes(sums: Floats) -> bytes:
    """The directions of these rows, one byte a number: the largest number becomes 127."""
    largest = np.maximum(np.abs(sums).max(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    rounded = np.rint(sums * (_LARGEST / largest)).astype(np.int8)
    return bytes(rounded.tobytes())


def in_half_bytes(rows: Floats) -> bytes:
    """The directions of these rows, four bits a number: -7 to 7, kept as 1 to 15, two in a byte."""
    usual = np.sqrt((rows * rows).mean(axis=1, keepdims=True))
    largest = np.minimum(np.abs(rows).max(axis=1, keepdims=True), _SPREAD * usual)
    largest = np.maximum(largest, np.finfo(np.float32).tiny)
    scaled = np.clip(np.rint(rows * (_LARGEST_HALF / largest)), -_LARGEST_HALF, _LARGEST_HALF)
    numbers = (scaled + _LARGEST_HALF + 1).astype(np.uint8)
    return bytes((numbers[:, 0::2] | numbers[:, 1::2] << 4).tobytes())
