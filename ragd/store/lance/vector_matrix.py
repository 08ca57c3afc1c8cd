"""The vectors of one version of the table in memory, so that no search reads them from the disk:
all of them, or of a large table those that are not in the vector index.

Those of a small table are kept as they are. Those of a larger one are kept with two bytes for each
number, which changes a cosine by less than 0.0001. A new version takes over the vectors of the
fragments that did not change. It never contains vectors of another version.
"""

import threading
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from ragd.embed.providers.embedder_port import Vector, VectorView
from ragd.store.lance import libraries
from ragd.store.lance.fragments import Changes, Content, find_changes
from ragd.store.lance.row_places import ABSENT, RowPlaces
from ragd.store.lance.schema import VECTOR, dimensions_of

MOST_FLOATS = 10_000_000  # 40 MB: 26,000 passages of 384 numbers
MOST_SHORTS = 40_000_000  # numbers of two bytes each, 80 MB: 104,000 passages
BLOCK_ROWS = 2_048  # compared at once; they fit in the processor's cache
_LARGEST = 32_767.0

# For each thread that compares: its next block as four-byte numbers. New memory for each search
# would cost a fifth of it.
_blocks = threading.local()


class _Part(NamedTuple):
    """The vectors of one fragment. `scales`: a kept number times this is the number. `factors`: a
    product times this is a cosine."""

    row_ids: Any
    vectors: Any
    scales: Any
    factors: Any

    def only(self, row_ids: Any) -> "_Part":
        """Copies of those of these rows, whose ids are sorted."""
        if not len(self.row_ids):
            return self
        start, end = row_ids.searchsorted(self.row_ids[[0, -1]])
        wanted = row_ids[start : end + 1]  # all that may be in it
        places = self.row_ids.searchsorted(wanted)
        places = places[self.row_ids.take(places, mode="clip") == wanted]
        return _Part(*(array[places] for array in self))


class NearestFound(NamedTuple):
    """Rows by their ids, and their cosines, nearest first."""

    row_ids: list[int]
    cosines: list[float]


class Share(NamedTuple):
    """A share of the fragments: the number of this one, from 0, and how many there are."""

    number: int
    total: int

    def of(self, parts: Sequence[_Part]) -> Sequence[_Part]:
        start, end = (len(parts) * one // self.total for one in (self.number, self.number + 1))
        return parts[start:end]


WHOLE = Share(0, 1)


class VectorMatrix:
    """Vectors by their row ids. Rows without a vector are left out."""

    def __init__(
        self,
        dataset: Any,
        *,
        is_exact: bool = True,
        earlier: "VectorMatrix | None" = None,
        only: Collection[int] | None = None,
    ) -> None:
        """`only`: of these fragments."""
        self.is_exact = is_exact
        usable = earlier if earlier is not None and earlier.is_exact == is_exact else None
        known: dict[int, Content] = usable.contents if usable is not None else {}
        changes = find_changes(dataset, known, only)
        self.contents: dict[int, Content] = changes.contents
        parts = self._read(dataset, changes)
        self._parts: dict[int, _Part] = {
            one: usable._parts[one] if usable is not None and one in changes.same else parts[one]
            for one in changes.contents
        }
        self._in_order = list(self._parts.values())
        self._places = RowPlaces([part.row_ids for part in self._in_order])
        self._row_ids = self._places.row_ids

    @property
    def fragments(self) -> set[int]:
        """Those with a vector."""
        return {one for one, part in self._parts.items() if len(part.row_ids)}

    @property
    def rows(self) -> int:
        return len(self._row_ids)

    @property
    def bytes(self) -> int:
        """What it takes in memory."""
        arrays = [self._row_ids, *(one for part in self._parts.values() for one in part)]
        return sum(int(one.nbytes) for one in arrays)

    def get(self, row_ids: Sequence[int]) -> list[VectorView | None]:
        """The vectors of these rows; None for a row without one. Exact ones are not copied."""
        return [
            None if number == ABSENT else self._vector_at(self._in_order[number], place)
            for number, place in zip(*self._places.find(row_ids), strict=True)
        ]

    def nearest(self, asked: Vector, k: int, among: Any) -> NearestFound:
        """The ids and cosines of the k nearest rows, nearest first.

        `among`: the ids of the rows to compare; None: all.
        """
        numpy, parts = libraries.numpy(), self._in_order
        if among is not None and len(among) < len(self._row_ids) / 2:
            ordered, among = numpy.sort(among), None
            parts = [part.only(ordered) for part in parts]
        (found,) = self._nearest(parts, [(asked, k)], among)
        return found

    def nearest_of_each(
        self, searches: Sequence[tuple[Vector, int]], share: Share = WHOLE
    ) -> list[NearestFound]:
        """The same for several vectors, each with its own k, in one pass over a share of all
        rows."""
        return self._nearest(share.of(self._in_order), searches)

    def _nearest(
        self, parts: Sequence[_Part], searches: Sequence[tuple[Vector, int]], among: Any = None
    ) -> list[NearestFound]:
        numpy = libraries.numpy()
        wanted = [numpy.frombuffer(asked, "<f4") for asked, _ in searches]
        row_ids = numpy.concatenate([*(part.row_ids for part in parts), self._row_ids[:0]])
        with numpy.errstate(divide="ignore", invalid="ignore"):  # a vector may be zero
            each = self._cosines(parts, wanted)
        found = []
        for cosines, (_, k) in zip(each, searches, strict=True):
            cosines[~numpy.isfinite(cosines)] = -numpy.inf
            if among is not None:
                cosines[~numpy.isin(row_ids, among)] = -numpy.inf
            best = _largest(cosines, k)
            found.append(NearestFound(row_ids[best].tolist(), cosines[best].tolist()))
        return found

    def _cosines(self, parts: Sequence[_Part], wanted: Sequence[Any]) -> list[Any]:
        """For each of these vectors, its cosines with every row of these parts."""
        numpy = libraries.numpy()
        rows = sum(len(part.row_ids) for part in parts)
        found = [numpy.empty(rows, dtype="f4") for _ in wanted]
        wide = None if self.is_exact or not wanted else _block(len(wanted[0]))
        end = 0
        for part in parts:
            for at in range(0, len(part.row_ids), BLOCK_ROWS):
                vectors = part.vectors[at : at + BLOCK_ROWS]
                factors = part.factors[at : at + BLOCK_ROWS]
                if wide is not None:
                    numpy.copyto(wide[: len(vectors)], vectors)
                    vectors = wide[: len(vectors)]
                start, end = end, end + len(vectors)
                for vector, cosines in zip(wanted, found, strict=True):
                    # `vecdot` runs in this thread only: several would wait for each other.
                    numpy.vecdot(vectors, vector, out=cosines[start:end])
                    cosines[start:end] *= factors
        for vector, cosines in zip(wanted, found, strict=True):
            cosines /= numpy.sqrt(numpy.vecdot(vector, vector))
        return found

    def _vector_at(self, part: _Part, place: int) -> VectorView:
        if self.is_exact:
            return memoryview(part.vectors[place]).cast("B")
        vector: bytes = (part.vectors[place] * part.scales[place]).tobytes()
        return vector

    def _read(self, dataset: Any, changes: Changes) -> dict[int, _Part]:
        """The vectors of the fragments that are new or changed."""
        numpy = libraries.numpy()
        dimensions = dimensions_of(dataset.schema)
        found: dict[int, list[_Part]] = {one.fragment_id: [] for one in changes.others}
        if changes.others:
            scanner = dataset.scanner(
                columns=[VECTOR],
                with_row_id=True,
                fragments=changes.others,
                **libraries.READ_ALL,
            )
            for batch in scanner.to_batches():
                batch = batch.filter(batch[VECTOR].is_valid())
                row_ids = batch["_rowid"].to_numpy()
                flat = batch[VECTOR].flatten().to_numpy(zero_copy_only=False)
                vectors = flat.reshape(-1, dimensions)
                of = row_ids >> 32
                for one in numpy.unique(of).tolist():
                    own = of == one
                    found[one].append(self._part(row_ids[own], vectors[own]))
        return {one: self._joined(parts, dimensions) for one, parts in found.items()}

    def _part(self, row_ids: Any, vectors: Any) -> _Part:
        numpy = libraries.numpy()
        lengths = numpy.sqrt(numpy.vecdot(vectors, vectors))
        with numpy.errstate(divide="ignore", invalid="ignore"):
            if self.is_exact:
                return _Part(row_ids, vectors, numpy.ones_like(lengths), 1 / lengths)
            scales = (numpy.abs(vectors).max(axis=1) / _LARGEST).astype("f4")
            short = numpy.nan_to_num(numpy.rint(vectors / scales[:, None])).astype("i2")
            return _Part(row_ids, short, scales, scales / lengths)

    def _joined(self, parts: Sequence[_Part], dimensions: int) -> _Part:
        """The batches of one fragment as one, in the order of the row ids."""
        numpy = libraries.numpy()
        kind = "f4" if self.is_exact else "i2"
        empty = _Part(
            numpy.array([], dtype="u8"),
            numpy.empty((0, dimensions), dtype=kind),
            numpy.array([], dtype="f4"),
            numpy.array([], dtype="f4"),
        )
        joined = _Part(*map(numpy.concatenate, zip(*parts, empty, strict=True)))
        order = numpy.argsort(joined.row_ids)
        if (order[:-1] < order[1:]).all():
            return joined
        return _Part(*(array[order] for array in joined))


def nearest_of_shares(shares: Sequence[NearestFound], k: int) -> NearestFound:
    """The k nearest rows of all shares."""
    rows = [row for share in shares for row in zip(*share, strict=True)]
    rows.sort(key=lambda row: -row[1])
    return NearestFound([row_id for row_id, _ in rows[:k]], [cosine for _, cosine in rows[:k]])


def _block(dimensions: int) -> Any:
    """This thread's block for so many dimensions."""
    known = getattr(_blocks, "wide", None)
    if known is None or known.shape != (BLOCK_ROWS, dimensions):
        known = _blocks.wide = libraries.numpy().empty((BLOCK_ROWS, dimensions), dtype="f4")
    return known


def _largest(values: Any, k: int) -> Any:
    """The places of the k largest values, largest first; of equal ones, those that come first.
    Infinite ones are left out."""
    numpy = libraries.numpy()
    least = numpy.partition(values, len(values) - k)[-k] if len(values) > k else -numpy.inf
    best = numpy.flatnonzero(values >= least)
    best = best[numpy.isfinite(values[best])]
    return best[numpy.argsort(-values[best], kind="stable")][:k]
