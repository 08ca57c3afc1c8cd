"""The table of one generation, open at one version: all reads see it until `refresh`.

It never writes, and never searches.
"""

import asyncio
from pathlib import Path
from typing import Any

from ragd.store.lance import libraries, vector_index
from ragd.store.lance.index_place import TablePlace, table_at
from ragd.store.lance.lance_errors import translated
from ragd.store.lance.scans import ReadThreads, TableScans
from ragd.store.lance.schema import TABLE
from ragd.store.lance.table_version import InMemory, TableVersion


class PinnedTable:
    """The version that searches see."""

    def __init__(self, table: Path | TablePlace) -> None:
        """`table`: of a path, the folder that the table is in."""
        self.path = table_at(table / f"{TABLE}.lance" if isinstance(table, Path) else table)
        self._threads = ReadThreads()
        self._pinned: TableVersion | None = None
        self._refreshing = asyncio.Lock()
        self.columns: frozenset[str] = frozenset()  # a table of an earlier version has fewer

    async def open(self) -> None:
        """Open the newest version, with empty caches."""
        with translated(self.path):
            self._pinned = await asyncio.to_thread(self._open, None)

    async def reopen(self) -> None:
        """Open the newest version again. Keeps our cached rows; drops lance's caches."""
        async with self._refreshing:
            with translated(self.path):
                opened = await asyncio.to_thread(self._open, self.now.in_memory)
            if self._pinned is not None:  # else it was closed meanwhile
                self._pinned = opened

    def close(self) -> None:
        """Begin no more reads. Those that run come to their end."""
        self._threads = ReadThreads()  # reads that run keep theirs
        self._pinned = None

    async def refresh(self, version: int | None = None) -> int:
        """Move to the newest version, or to this one, and return it. Running searches keep
        theirs."""
        async with self._refreshing:  # otherwise the slower of two would move back
            with translated(self.path):
                newer = await asyncio.to_thread(self._open_newer, self.now, version)
            if newer is not None and self._pinned is not None:
                self._pinned = newer
            return self.now.version

    @property
    def now(self) -> TableVersion:
        """The pinned version."""
        if self._pinned is None:
            raise RuntimeError("the index is closed")
        return self._pinned

    @property
    def bytes_in_memory(self) -> int:
        """What is held in memory of the rows of the pinned version."""
        return self._pinned.bytes_in_memory if self._pinned is not None else 0

    def _open(self, earlier: InMemory | None) -> TableVersion:
        session = libraries.lance().Session(**libraries.READER_CACHES)
        dataset = libraries.open_dataset(self.path, session=session)
        self.columns = frozenset(dataset.schema.names)
        return self._version_of(dataset, earlier)

    def _open_newer(self, now: TableVersion, version: int | None) -> TableVersion | None:
        """The newest version, or this one; None if it is open."""
        newest = version if version is not None else int(now.scans.dataset.latest_version)
        if newest == now.version:
            return None
        return self._version_of(now.scans.dataset.checkout_version(newest), now.in_memory)

    def _version_of(self, dataset: Any, earlier: InMemory | None = None) -> TableVersion:
        return TableVersion(
            TableScans(self.path, dataset, self._threads),
            int(dataset.version),
            self.columns,
            earlier,
            indexed=vector_index.searched_fragments(dataset),
        )
