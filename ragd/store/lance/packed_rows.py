"""The columns of all rows of one version that are in memory: the narrow ones, with lookups by note
and by key, and text and units.

It is only for tables of limited size. It never contains rows of another version.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ragd.store.lance import libraries
from ragd.store.lance.columns_in_memory import ColumnsInMemory
from ragd.store.lance.schema import KEYS, UNITS, ChunkRow

MOST_ROWS = 100_000  # with their narrow columns: about 450 bytes each, 45 MB
MOST_WHOLE_BYTES = 128 << 20  # of all text and units: 1 to 4 KB for a row
_SAMPLE = 256  # rows that the size of all rows is estimated from


class LinkRow(Struct, frozen=True):
    """The columns of a passage that links need."""

    source_file: str
    title: str
    names: list[str]
    links: list[str]


class KeyedRow(NamedTuple):
    """A row, and which of the wanted keys it has."""

    row_id: int
    row: LinkRow
    keys: frozenset[str]


LINK_COLUMNS = LinkRow.__struct_fields__
TEXT = "chunk_text"
NARROW = tuple(name for name in ChunkRow.__struct_fields__ if name != TEXT)
WIDE = (TEXT, UNITS)


def read_whole(dataset: Any, rows: int, earlier: ColumnsInMemory | None) -> ColumnsInMemory | None:
    """Text and units of all rows; None if they are too large."""
    if _bytes_of_row(dataset, rows, earlier) * rows > MOST_WHOLE_BYTES:
        return None
    return ColumnsInMemory(dataset, WIDE, earlier)


def _bytes_of_row(dataset: Any, rows: int, earlier: ColumnsInMemory | None) -> float:
    """The mean size of text and units, of an earlier version or of a sample."""
    if earlier is not None and len(earlier.row_ids):
        return earlier.bytes / len(earlier.row_ids)
    columns = [name for name in WIDE if name in dataset.schema.names]
    sample = dataset.take(list(range(0, rows, max(1, rows // _SAMPLE))), columns=columns)
    return float(sample.nbytes / max(1, len(sample)))


class PackedRows:
    """The narrow columns of all rows, by row ids, notes and keys."""

    def __init__(self, dataset: Any, earlier: "PackedRows | None" = None) -> None:
        before = earlier.narrow if earlier is not None else None
        self.narrow: ColumnsInMemory = ColumnsInMemory(dataset, (*NARROW, KEYS), before)
        self._table, self._row_ids = self.narrow.table, self.narrow.row_ids
        self._keys = _FlatKeys(self._table) if KEYS in self.narrow.columns else None

    def links(self, row_ids: Sequence[int]) -> list[LinkRow]:
        """The columns of these rows that links need."""
        return msgspec.convert(self.narrow.read(row_ids, LINK_COLUMNS), list[LinkRow])

    def read_links(self, paths: Sequence[str], most: int) -> list[LinkRow]:
        """The first `most` rows of these notes, in the table's order."""
        return self.links(self.ids_of(paths)[:most].tolist())

    def ids_of(self, paths: Sequence[str]) -> Any:
        """The ids of all rows of these notes."""
        return self._row_ids[self._are_of(paths).to_numpy(zero_copy_only=False)]

    def with_keys(self, keys: Sequence[str]) -> list[KeyedRow]:
        """The rows that have some of these keys, in the table's order."""
        if not keys or self._keys is None:
            return []
        found = self._keys.find(keys)
        if not found:
            return []
        row_ids = self._row_ids[list(found)].tolist()
        rows = zip(row_ids, self.links(row_ids), found.values(), strict=True)
        return [KeyedRow(row_id, row, frozenset(own)) for row_id, row, own in rows]

    def _are_of(self, paths: Sequence[str]) -> Any:
        compute, arrow = libraries.pyarrow().compute, libraries.pyarrow()
        return compute.is_in(self._table["source_file"], arrow.array(list(paths), arrow.string()))


class _FlatKeys:
    """The keys of all rows. Each different key is kept once, because many rows share one."""

    def __init__(self, rows: Any) -> None:
        compute = libraries.pyarrow().compute
        split = compute.split_pattern(rows[KEYS], " ").combine_chunks()
        encoded = compute.list_flatten(split).dictionary_encode()
        self._different = encoded.dictionary
        self._numbers = encoded.indices.to_numpy()
        self._places = compute.list_parent_indices(split).to_numpy()
        numpy = libraries.numpy()
        self._hashes = numpy.fromiter(map(hash, self._different.to_pylist()), "i8")
        self._hashes.sort()

    def find(self, keys: Sequence[str]) -> dict[int, set[str]]:
        """The positions of the rows that have some of these keys, in order, with those keys."""
        keys = [key for key in keys if self._may_have(key)]
        if not keys:
            return {}
        compute, numpy = libraries.pyarrow().compute, libraries.numpy()
        wanted = libraries.pyarrow().array(keys, self._different.type)
        numbers = compute.indices_nonzero(compute.is_in(self._different, wanted)).to_pylist()
        named = {number: self._different[number].as_py() for number in numbers}
        found: dict[int, set[str]] = {}
        for at in numpy.flatnonzero(numpy.isin(self._numbers, numbers)) if numbers else ():
            found.setdefault(int(self._places[at]), set()).add(named[int(self._numbers[at])])
        return found

    def _may_have(self, key: str) -> bool:
        """False for nearly every key that no row has. Most questions are not the name of a note."""
        wanted = libraries.numpy().int64(hash(key))
        place = self._hashes.searchsorted(wanted)
        return bool(place < len(self._hashes) and self._hashes[place] == wanted)
