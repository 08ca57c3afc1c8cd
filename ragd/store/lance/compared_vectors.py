"""Chooses which vectors searches compare in memory: all of a table, or of a large table those that
are not in its vector index. It compares nothing.
"""

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from ragd.store.lance import vector_matrix
from ragd.store.lance.schema import dimensions_of
from ragd.store.lance.vector_counts import VectorCounts
from ragd.store.lance.vector_matrix import VectorMatrix


class ComparedVectors(Struct):
    """What one version compares in memory. The next version takes over what is still right.

    `matrix`: None if they are too many, so that a search reads them from the disk. `is_all`: no
    other row has a vector.
    """

    matrix: VectorMatrix | None = None
    is_all: bool = False
    counts: VectorCounts | None = None

    @property
    def bytes(self) -> int:
        return self.matrix.bytes if self.matrix is not None else 0


def read_compared(
    dataset: Any, indexed: Collection[int] | None, earlier: ComparedVectors
) -> ComparedVectors:
    """Read them. `indexed`: the fragments in the vector index; None: there is none."""
    rows = {part.fragment_id: part.metadata.num_rows for part in dataset.get_fragments()}
    dimensions = dimensions_of(dataset.schema)
    is_all = indexed is None or _fit(sum(rows.values()), dimensions)
    wanted = set(rows) if is_all or indexed is None else rows.keys() - indexed
    vectors, counts = sum(rows[one] for one in wanted), None
    if not _fit(vectors, dimensions):  # some rows may have no vector yet
        counts = VectorCounts(dataset, earlier.counts, wanted)
        vectors = counts.total
        if not _fit(vectors, dimensions):
            return ComparedVectors(None, False, counts)
        wanted = {one for one, count in counts.by_fragment.items() if count}
    is_exact = vectors * dimensions <= vector_matrix.MOST_FLOATS
    matrix = VectorMatrix(dataset, is_exact=is_exact, earlier=earlier.matrix, only=wanted)
    return ComparedVectors(matrix, is_all, counts)


def _fit(vectors: int, dimensions: int) -> bool:
    """Whether so many vectors may be in memory."""
    return vectors * dimensions <= vector_matrix.MOST_SHORTS
