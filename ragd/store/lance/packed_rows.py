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
        notes = self._table["source_file"].combine_chunks().dictionary_encode()
        self._notes, self._note_numbers = _NumberedTexts(notes.dictionary), notes.indices.to_numpy()
        self._keys = _FlatKeys(self._table) if KEYS in self.narrow.columns else None

    def links(self, row_ids: Sequence[int]) -> list[LinkRow]:
        """The columns of these rows that links need."""
        return msgspec.convert(self.narrow.read(row_ids, LINK_COLUMNS), list[LinkRow])

    def read_links(self, paths: Sequence[str], most: int) -> list[LinkRow]:
        """The first `most` rows of these notes, in the table's order."""
        return self.links(self.ids_of(paths)[:most].tolist())

    def ids_of(self, paths: Sequence[str]) -> Any:
        """The ids of all rows of these notes."""
        numpy, numbers = libraries.numpy(), list(self._notes.find_all(paths))
        return self._row_ids[numpy.isin(self._note_numbers, numbers)]

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


class _NumberedTexts:
    """Different texts, each with its place as its number. The number of a text is found by its
    hash: to compare all of them takes longer than the rest of a lookup."""

    def __init__(self, texts: Any) -> None:
        numpy = libraries.numpy()
        hashes = numpy.fromiter(map(hash, texts.to_pylist()), "i8", len(texts))
        self._texts = texts
        self._numbers = hashes.argsort(kind="stable")
        self._hashes = hashes[self._numbers]

    def find(self, text: str) -> int | None:
        """None for a text that is not among them, as most names in questions."""
        wanted = libraries.numpy().int64(hash(text))
        place = int(self._hashes.searchsorted(wanted))
        while place < len(self._hashes) and self._hashes[place] == wanted:
            number = int(self._numbers[place])
            if self._texts[number].as_py() == text:
                return number
            place += 1
        return None

    def find_all(self, texts: Sequence[str]) -> dict[int, str]:
        """Those that are among them, by their numbers."""
        found = ((self.find(text), text) for text in texts)
        return {number: text for number, text in found if number is not None}


class _FlatKeys:
    """The keys of all rows. Each different key is kept once, because many rows share one."""

    def __init__(self, rows: Any) -> None:
        compute = libraries.pyarrow().compute
        split = compute.split_pattern(rows[KEYS], " ").combine_chunks()
        encoded = compute.list_flatten(split).dictionary_encode()
        self._different = _NumberedTexts(encoded.dictionary)
        self._numbers = encoded.indices.to_numpy()
        self._places = compute.list_parent_indices(split).to_numpy()

    def find(self, keys: Sequence[str]) -> dict[int, set[str]]:
        """The positions of the rows that have some of these keys, in order, with those keys."""
        named, numpy = self._different.find_all(keys), libraries.numpy()
        found: dict[int, set[str]] = {}
        for at in numpy.flatnonzero(numpy.isin(self._numbers, list(named))) if named else ():
            found.setdefault(int(self._places[at]), set()).add(named[int(self._numbers[at])])
        return found
