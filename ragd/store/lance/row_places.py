"""Where rows are, in the parts that one version keeps in memory: one part for each fragment.

It holds the row ids of the parts, and nothing else of a row.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ragd.store.lance import libraries

ABSENT = -1


class Places(NamedTuple):
    """Where some rows are: the number of each one's part, and its place in that part. For a row
    that is in no part, the number is ABSENT."""

    parts: list[int]
    within: list[int]


class RowPlaces:
    """The places of rows by their ids."""

    def __init__(self, parts: Sequence[Any]) -> None:
        """`parts`: the row ids of each part. One after another, they are in ascending order."""
        numpy = libraries.numpy()
        self.row_ids = numpy.concatenate([*parts, numpy.array([], dtype="u8")])
        self._starts = numpy.cumsum([0, *map(len, parts[:-1])])

    def find(self, row_ids: Sequence[int]) -> Places:
        """Where these rows are."""
        numpy = libraries.numpy()
        wanted = numpy.array(row_ids, dtype="u8")
        if not len(self.row_ids):
            return Places([ABSENT] * len(wanted), [0] * len(wanted))
        places = self.row_ids.searchsorted(wanted)
        parts = self._starts.searchsorted(places, side="right") - 1
        within = places - self._starts[parts]
        parts[self.row_ids.take(places, mode="clip") != wanted] = ABSENT
        return Places(parts.tolist(), within.tolist())
