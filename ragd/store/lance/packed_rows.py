"""Columns of all rows of one version, in memory: the narrow ones, and those with text and units.

It is only for tables of limited size. A new version takes over the rows of the fragments that did
not change. It never contains rows of another version.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ragd.store.lance import libraries
from ragd.store.lance.column_values import Read, reader_of
from ragd.store.lance.fragments import Content, find_changes
from ragd.store.lance.schema import KEYS, UNITS, ChunkRow

MOST_ROWS = 100_000  # with their narrow columns: about 450 bytes each, 45 MB
MOST_WHOLE_ROWS = 6_000  # with text and units: about 4 KB each, 24 MB
_ROW_ID = "_rowid"


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


class ColumnsInMemory:
    """Some columns of all rows, in the order of the row ids."""

    def __init__(
        self, dataset: Any, columns: Sequence[str], earlier: "ColumnsInMemory | None" = None
    ) -> None:
        existing = set(dataset.schema.names)
        self.columns = tuple(name for name in columns if name in existing)
        usable = earlier if earlier is not None and earlier.columns == self.columns else None
        changes = find_changes(dataset, usable.contents if usable is not None else {})
        self.contents: dict[int, Content] = changes.contents
        fresh = _read(dataset, self.columns, changes.others)
        slices = [
            usable.slice_of(one) if usable is not None and one in changes.same else None
            for one in changes.contents
        ]
        self.table = _joined(fresh, list(changes.contents), slices)
        self.row_ids = self.table[_ROW_ID].to_numpy()
        self._readers: dict[str, Read] = {}  # by column, made when it is first read

    def slice_of(self, fragment: int) -> Any:
        """The rows of one fragment."""
        return _rows_of(self.table, self.row_ids >> 32, fragment)

    def read(self, row_ids: Sequence[int], columns: Sequence[str]) -> list[dict[str, Any]]:
        """These columns of these rows, in this order. Bytes are not copied."""
        readers = [(name, self._reader(name)) for name in columns if name in self.columns]
        wanted = libraries.numpy().array(row_ids, dtype="u8")
        places = self.row_ids.searchsorted(wanted).tolist()
        return [{name: read(at) for name, read in readers} for at in places]

    def _reader(self, column: str) -> Read:
        if column not in self._readers:
            self._readers[column] = reader_of(self.table[column])
        return self._readers[column]

    @property
    def bytes(self) -> int:
        """What it takes in memory."""
        return int(self.table.nbytes)


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


def _read(dataset: Any, columns: Sequence[str], fragments: Sequence[Any]) -> Any:
    """All rows of these fragments, in the order of the row ids."""
    scanner = dataset.scanner(
        columns=list(columns),
        with_row_id=True,
        fragments=list(fragments) or None,
        **libraries.READ_ALL,
    )
    if not fragments:
        return libraries.pyarrow().Table.from_batches([], scanner.projected_schema)
    return scanner.to_table().sort_by(_ROW_ID)


def _joined(fresh: Any, fragments: Sequence[int], known: Sequence[Any]) -> Any:
    """One table of all fragments; those that are not known are in `fresh`."""
    of = fresh[_ROW_ID].to_numpy() >> 32
    slices = [
        _rows_of(fresh, of, one) if rows is None else rows
        for one, rows in zip(fragments, known, strict=True)
    ]
    return libraries.pyarrow().concat_tables([*slices, fresh.slice(0, 0)]).combine_chunks()


def _rows_of(table: Any, of: Any, fragment: int) -> Any:
    start, end = of.searchsorted([fragment, fragment + 1]).tolist()
    return table.slice(start, end - start)
