"""The names and links of all rows of one version, packed by Arrow: no lookup of links reads a file.

It is for tables of a limited size only, and it never knows of another version.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ragd.adapters.lance_store import libraries

MOST_ROWS = 50_000  # about 80 bytes each: 4 MB, read in 25 ms


class LinkRow(Struct, frozen=True):
    """A passage, as far as links concern it."""

    source_file: str
    title: str
    names: list[str]
    links: list[str]


LINK_COLUMNS = LinkRow.__struct_fields__


class PackedLinks:
    """All rows, by their ids and by their notes."""

    def __init__(self, rows: Any) -> None:
        """Of a table with the columns of a LinkRow and `_rowid`."""
        self._rows = rows.sort_by("_rowid").combine_chunks()
        self._row_ids = self._rows["_rowid"].to_numpy()

    def of_rows(self, row_ids: Sequence[int]) -> list[LinkRow]:
        """The rows of these ids, in this order."""
        places = self._row_ids.searchsorted(libraries.numpy().array(row_ids, dtype="u8"))
        return self._at(self._rows.take(places))

    def of_notes(self, paths: Sequence[str], most: int) -> list[LinkRow]:
        """The first `most` rows of these notes, in the table's order."""
        compute, arrow = libraries.pyarrow().compute, libraries.pyarrow()
        is_theirs = compute.is_in(self._rows["source_file"], arrow.array(list(paths)))
        return self._at(self._rows.filter(is_theirs).slice(0, most))

    def _at(self, rows: Any) -> list[LinkRow]:
        return msgspec.convert(rows.drop_columns(["_rowid"]).to_pylist(), list[LinkRow])
