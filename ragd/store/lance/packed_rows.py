"""The narrow columns of all rows of one version, in memory: names, dates, links and keys.

Reading them all takes as long as reading fifty rows by their ids. It is only for tables of limited
size, and never contains rows of another version.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ragd.store.lance import libraries
from ragd.store.lance.schema import KEYS

MOST_ROWS = 50_000  # about 200 bytes each: 10 MB, read in 50 ms


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
NARROW = ("chunk_id", "source_file", "date", "modified_at", "title", "names", "links")


class PackedRows:
    """All rows, by their ids and by their notes."""

    def __init__(self, dataset: Any) -> None:
        existing = set(dataset.schema.names)
        columns = [name for name in (*NARROW, KEYS) if name in existing]
        rows = dataset.to_table(columns=columns, with_row_id=True)
        rows = rows.sort_by("_rowid").combine_chunks()
        self._row_ids = rows["_rowid"].to_numpy()
        keys: tuple[Any, Any] = _flat_keys(rows) if KEYS in existing else ([], [])
        self._keys, self._places = keys
        self._rows = rows.select([name for name in columns if name != KEYS])

    def narrow(self, row_ids: Sequence[int]) -> list[dict[str, Any]]:
        """The narrow columns of these rows, in this order."""
        found: list[dict[str, Any]] = self._at(row_ids).to_pylist()
        return found

    def links(self, row_ids: Sequence[int]) -> list[LinkRow]:
        """The columns of these rows that links need."""
        return _link_rows(self._at(row_ids))

    def read_links(self, paths: Sequence[str], most: int) -> list[LinkRow]:
        """The first `most` rows of these notes, in the table's order."""
        return _link_rows(self._rows.filter(self._are_of(paths)).slice(0, most))

    def ids_of(self, paths: Sequence[str]) -> Any:
        """The ids of all rows of these notes."""
        return self._row_ids[self._are_of(paths).to_numpy(zero_copy_only=False)]

    def with_keys(self, keys: Sequence[str]) -> list[KeyedRow]:
        """The rows that have some of these keys, in the table's order."""
        compute, arrow = libraries.pyarrow().compute, libraries.pyarrow()
        if not keys or not len(self._keys):
            return []
        at = compute.indices_nonzero(compute.is_in(self._keys, arrow.array(list(keys))))
        found: dict[int, set[str]] = {}
        for place, key in zip(
            self._places.take(at).to_pylist(), self._keys.take(at).to_pylist(), strict=True
        ):
            found.setdefault(place, set()).add(key)
        row_ids = self._row_ids[list(found)].tolist() if found else []
        rows = zip(row_ids, self.links(row_ids), found.values(), strict=True)
        return [KeyedRow(row_id, row, frozenset(own)) for row_id, row, own in rows]

    def _are_of(self, paths: Sequence[str]) -> Any:
        compute, arrow = libraries.pyarrow().compute, libraries.pyarrow()
        return compute.is_in(self._rows["source_file"], arrow.array(list(paths), arrow.string()))

    def _at(self, row_ids: Sequence[int]) -> Any:
        wanted = libraries.numpy().array(row_ids, dtype="u8")
        return self._rows.take(self._row_ids.searchsorted(wanted))


def _flat_keys(rows: Any) -> tuple[Any, Any]:
    """All keys in one array, and the position of each key's row."""
    compute = libraries.pyarrow().compute
    split = compute.split_pattern(rows[KEYS], " ").combine_chunks()
    return compute.list_flatten(split), compute.list_parent_indices(split)


def _link_rows(rows: Any) -> list[LinkRow]:
    return msgspec.convert(rows.select(list(LINK_COLUMNS)).to_pylist(), list[LinkRow])
