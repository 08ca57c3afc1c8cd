"""The narrow columns of all rows of one version, packed by Arrow: names, dates and links.

To read them all takes as long as to read fifty rows from their places in the files. It is for
tables of a limited size only, and it never knows of another version.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ragd.adapters.lance_store import libraries

MOST_ROWS = 50_000  # about 160 bytes each: 8 MB, read in 40 ms


class LinkRow(Struct, frozen=True):
    """A passage, as far as links concern it."""

    source_file: str
    title: str
    names: list[str]
    links: list[str]


LINK_COLUMNS = LinkRow.__struct_fields__
NARROW = ("chunk_id", "source_file", "date", "modified_at", "title", "names")


class PackedRows:
    """All rows, by their ids and by their notes."""

    def __init__(self, dataset: Any) -> None:
        there = set(dataset.schema.names)
        wanted = dict.fromkeys((*NARROW, *LINK_COLUMNS))
        columns = [name for name in wanted if name in there]
        rows = dataset.to_table(columns=columns, with_row_id=True)
        self._rows = rows.sort_by("_rowid").combine_chunks()
        self._row_ids = self._rows["_rowid"].to_numpy()

    def narrow(self, row_ids: Sequence[int]) -> list[dict[str, Any]]:
        """The rows of these ids, in this order."""
        found: list[dict[str, Any]] = self._at(row_ids).to_pylist()
        return found

    def links(self, row_ids: Sequence[int]) -> list[LinkRow]:
        """The same, as far as links concern them."""
        return _link_rows(self._at(row_ids))

    def links_of(self, paths: Sequence[str], most: int) -> list[LinkRow]:
        """The first `most` rows of these notes, in the table's order."""
        compute, arrow = libraries.pyarrow().compute, libraries.pyarrow()
        is_theirs = compute.is_in(self._rows["source_file"], arrow.array(list(paths)))
        return _link_rows(self._rows.filter(is_theirs).slice(0, most))

    def _at(self, row_ids: Sequence[int]) -> Any:
        wanted = libraries.numpy().array(row_ids, dtype="u8")
        return self._rows.take(self._row_ids.searchsorted(wanted))


def _link_rows(rows: Any) -> list[LinkRow]:
    return msgspec.convert(rows.select(list(LINK_COLUMNS)).to_pylist(), list[LinkRow])
