"""The windows of a text: the tokens that a model sees at once. Pure."""

import math
from collections.abc import Sequence


def windows(ids: Sequence[int], size: int, start: int, end: int) -> list[list[int]]:
    """The tokens of a text in as few windows as hold them, all of about the same size. Each begins
    and ends with the tokens that say so; `size` counts those two."""
    count = max(1, math.ceil(len(ids) / (size - 2)))
    step = max(1, math.ceil(len(ids) / count))
    return [[start, *ids[at : at + step], end] for at in range(0, max(1, len(ids)), step)]
