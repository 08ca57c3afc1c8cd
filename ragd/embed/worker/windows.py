"""The windows of a text (the tokens that a model reads at once) and its sentences. Pure."""

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

NEARBY = 1 / 3  # of a window
SENTENCE_END = re.compile(r"[.!?…:;。！？；：।؟۔][\"'”’»)\]*_]*$")  # at the end of a word


class Window(NamedTuple):
    """Tokens of a text that are read at once, and the units that they are in."""

    row: int  # of the text
    ids: list[int]  # with the tokens that mark the start and the end
    unit: int  # the first of its units, by its place in the text
    starts: list[int]  # where its units begin, from its first token; none: the text has no units


def windows(ids: Sequence[int], size: int, start: int, end: int) -> list[list[int]]:
    """The tokens of a text in as few windows as possible, all of about the same size. Each begins
    with the `start` token and ends with the `end` token; `size` includes those two."""
    count = max(1, math.ceil(len(ids) / (size - 2)))
    step = max(1, math.ceil(len(ids) / count))
    return [[start, *ids[at : at + step], end] for at in range(0, max(1, len(ids)), step)]


def with_units(row: int, made: Iterable[list[int]], starts: Sequence[int]) -> Iterator[Window]:
    """The windows of one text, each with the units that its tokens are in. `starts`: where the
    units of the text begin; none if it has none."""
    first = 0
    for ids in made:
        size = len(ids) - 2
        unit, within = starts_within(starts, first, size) if starts else (0, [])
        yield Window(row, ids, unit, within)
        first += size


def starts_within(starts: Sequence[int], first: int, size: int) -> tuple[int, list[int]]:
    """The units in a stretch of tokens: the place of the first, and where each begins there."""
    place = sum(start <= first for start in starts) - 1
    return place, [0, *(start - first for start in starts if first < start < first + size)]


def sentence_cuts(tokens: int, ends: Iterable[int], size: int) -> list[int]:
    """Where windows of about `size` tokens begin: after the end of a sentence if there is one
    nearby, else in the middle of one. `ends`: where sentences end."""
    count = max(1, math.ceil(tokens / size))
    step = tokens / count
    found, sentences = [0], sorted(set(ends))
    for place in range(1, count):
        wanted = place * step
        near = bisect_left(sentences, wanted)
        nearest = min(sentences[max(0, near - 1) : near + 1], key=lambda end: abs(end - wanted))
        cut = nearest if abs(nearest - wanted) <= step * NEARBY else round(wanted)
        found.append(cut)
    return found
