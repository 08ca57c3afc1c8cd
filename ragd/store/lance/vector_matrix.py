"""The vectors of one version of the table in memory, for tables too small for a vector index.

Comparing a query with them takes a tenth of the time that reading them takes. The first search of a
version reads them, and takes as long as a search without them. It never contains vectors of another
version.
"""

from collections.abc import Sequence
from typing import Any

from ragd.embed.providers.embedder_port import Vector
from ragd.store.lance import libraries
from ragd.store.lance.schema import VECTOR, dimensions_of

MOST_FLOATS = 10_000_000  # 40 MB; from 8,000,000 on, a vector index is trained


class VectorMatrix:
    """Vectors in the order of their row ids. Rows without a vector are left out."""

    def __init__(self, dataset: Any) -> None:
        numpy = libraries.numpy()
        dimensions = dimensions_of(dataset.schema)
        row_ids, vectors = [], []
        scanner = dataset.scanner(columns=[VECTOR], with_row_id=True)
        for batch in scanner.to_batches():
            batch = batch.filter(batch[VECTOR].is_valid())
            row_ids.append(batch["_rowid"].to_numpy())
            flat = batch[VECTOR].flatten().to_numpy(zero_copy_only=False)
            vectors.append(flat.reshape(-1, dimensions))
        self._row_ids = numpy.concatenate([*row_ids, numpy.array([], dtype="u8")])
        self._vectors = numpy.concatenate([*vectors, numpy.empty((0, dimensions), dtype="f4")])
        order = numpy.argsort(self._row_ids)
        if not (order[:-1] < order[1:]).all():
            self._row_ids, self._vectors = self._row_ids[order], self._vectors[order]
        self._lengths = numpy.sqrt(numpy.vecdot(self._vectors, self._vectors))

    def get(self, row_ids: Sequence[int]) -> list[Vector | None]:
        """The vectors of these rows; None for a row without one."""
        wanted = libraries.numpy().array(row_ids, dtype="u8")
        places = self._row_ids.searchsorted(wanted)
        return [
            self._vectors[place].tobytes()
            if place < len(self._row_ids) and self._row_ids[place] == row_id
            else None
            for row_id, place in zip(row_ids, places.tolist(), strict=True)
        ]

    def nearest(self, asked: Vector, k: int, among: Any) -> tuple[list[int], list[float]]:
        """The ids and cosines of the k nearest rows, nearest first.

        `among`: the ids of the rows to compare; None: all.
        """
        numpy = libraries.numpy()
        row_ids, vectors, lengths = self._row_ids, self._vectors, self._lengths
        if among is not None:
            places = numpy.flatnonzero(numpy.isin(row_ids, among))
            row_ids, vectors, lengths = row_ids[places], vectors[places], lengths[places]
        wanted = numpy.frombuffer(asked, "<f4")
        # `vecdot` runs in this thread only: several threads would wait for each other.
        products = numpy.vecdot(vectors, wanted)
        with numpy.errstate(divide="ignore", invalid="ignore"):
            cosines = products / (lengths * numpy.sqrt(numpy.vecdot(wanted, wanted)))
        best = numpy.flatnonzero(numpy.isfinite(cosines))
        if len(best) > k:
            best = best[numpy.argpartition(-cosines[best], k - 1)[:k]]
        best = best[numpy.argsort(-cosines[best], kind="stable")]
        return row_ids[best].tolist(), cosines[best].tolist()
