"""Some columns of all rows of one version, in memory, by fragment.

A new version takes over the rows of the fragments that did not change, without a copy. It never
contains rows of another version.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ragd.store.lance import libraries
from ragd.store.lance.column_values import Read, reader_of
from ragd.store.lance.fragments import Content, find_changes
from ragd.store.lance.row_places import Places, RowPlaces

_ROW_ID = "_rowid"


class _FragmentRows:
    """The rows of one fragment, in the order of the row ids."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.row_ids = table[_ROW_ID].to_numpy()
        self.readers: dict[str, Read] = {
            name: reader_of(table[name]) for name in table.schema.names if name != _ROW_ID
        }


class ColumnsInMemory:
    """The columns, by the row ids."""

    def __init__(
        self, dataset: Any, columns: Sequence[str], earlier: "ColumnsInMemory | None" = None
    ) -> None:
        existing = set(dataset.schema.names)
        self.columns = tuple(name for name in columns if name in existing)
        usable = earlier if earlier is not None and earlier.columns == self.columns else None
        changes = find_changes(dataset, usable.contents if usable is not None else {})
        self.contents: dict[int, Content] = changes.contents
        known = usable._by_fragment if usable is not None else {}
        # Each on its own: as parts of one table, none could be freed before all are replaced.
        fresh = {one.fragment_id: _read(dataset, self.columns, one) for one in changes.others}
        self._by_fragment: Mapping[int, _FragmentRows] = {
            one: known[one] if one in changes.same else fresh[one] for one in changes.contents
        }
        self._parts = list(self._by_fragment.values())
        self._places = RowPlaces([part.row_ids for part in self._parts])
        schema = dataset.schema
        self._empty = libraries.pyarrow().schema([schema.field(name) for name in self.columns])

    @property
    def table(self) -> Any:
        """All rows, in the order of the row ids. Nothing is copied."""
        arrow = libraries.pyarrow()
        if not self._parts:
            return self._empty.append(arrow.field(_ROW_ID, arrow.uint64())).empty_table()
        return arrow.concat_tables([part.table for part in self._parts])

    @property
    def row_ids(self) -> Any:
        """The ids of all rows, ascending."""
        return self._places.row_ids

    def find(self, row_ids: Sequence[int]) -> Places:
        """Where these rows are, which must be of this version. All columns in memory of one version
        have the same places."""
        return self._places.find(row_ids)

    def ids_with(self, column: str, value: str) -> list[int]:
        """The ids of the rows with exactly this value. Texts of another length are not read."""
        compute = libraries.pyarrow().compute
        places = compute.indices_nonzero(compute.equal(self.table[column], value))
        found: list[int] = self.row_ids[places.to_numpy()].tolist()
        return found

    def values(self, places: Places, columns: Sequence[str]) -> dict[str, list[Any]]:
        """The values of the rows at these places, by column; without columns that are not in
        memory. Bytes are not copied."""
        parts = [self._parts[number].readers for number in places.parts]
        return {
            name: [readers[name](at) for readers, at in zip(parts, places.within, strict=True)]
            for name in columns
            if name in self.columns
        }

    def read(self, row_ids: Sequence[int], columns: Sequence[str]) -> list[dict[str, Any]]:
        """The same, by row."""
        found = self.values(self.find(row_ids), columns)
        if not found:
            return [{} for _ in row_ids]
        return [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]

    @property
    def bytes(self) -> int:
        """What it takes in memory."""
        return sum(int(part.table.nbytes) for part in self._parts)


def _read(dataset: Any, columns: Sequence[str], fragment: Any) -> _FragmentRows:
    """All rows of this fragment, each column in one piece."""
    scanner = dataset.scanner(
        columns=list(columns), with_row_id=True, fragments=[fragment], **libraries.READ_ALL
    )
    return _FragmentRows(scanner.to_table().sort_by(_ROW_ID).combine_chunks())
