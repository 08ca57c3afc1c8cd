"""The windows of a text: the tokens that a model sees at once. Pure."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence

NEARBY = 1 / 3  # of a window


def windows(ids: Sequence[int], size: int, start: int, end: int) -> list[list[int]]:
    """The tokens of a text in as few windows as hold them, all of about the same size. Each begins
    and ends with the tokens that say so; `size` counts those two."""
    count = max(1, math.ceil(len(ids) / (size - 2)))
    step = max(1, math.ceil(len(ids) / count))
    return [[start, *ids[at : at + step], end] for at in range(0, max(1, len(ids)), step)]


def sentence_cuts(tokens: int, ends: Iterable[int], size: int) -> list[int]:
    """Where windows of about `size` tokens begin: after the end of a sentence if there is one
    nearby, else where it has to be. `ends`: where sentences end."""
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
