"""The table of one generation, open at one version: all reads see it until `refresh`.

It never writes, and never searches.
"""

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ragd.store.lance import libraries, vector_index
from ragd.store.lance.index_place import TablePlace, table_at
from ragd.store.lance.lance_errors import translated
from ragd.store.lance.schema import TABLE
from ragd.store.lance.table_version import TableVersion

PARALLEL_READS = 2  # more at once are not faster, and need more memory


class PinnedTable:
    """The version that searches see."""

    def __init__(self, table: Path | TablePlace) -> None:
        """`table`: of a path, the folder that the table is in."""
        self.path = table_at(table / f"{TABLE}.lance" if isinstance(table, Path) else table)
        self._permits = asyncio.Semaphore(PARALLEL_READS)
        self._key_permits = asyncio.Semaphore(PARALLEL_READS)  # quick lookups must not wait long
        self._threads = ThreadPoolExecutor(PARALLEL_READS, thread_name_prefix="rows")
        self._connection: Any = None
        self._dataset: Any = None  # of the version that was read from last
        self._pinned: TableVersion | None = None
        self._refreshing = asyncio.Lock()
        self.columns: frozenset[str] = frozenset()  # a table of an earlier version has fewer

    async def open(self) -> None:
        """Open the newest version, with empty caches."""
        lancedb = await asyncio.to_thread(libraries.lancedb)
        session = lancedb.Session(**libraries.READER_CACHES)
        with translated(self.path):
            # An absolute path: lancedb takes one that starts with `db` for its cloud service.
            folder = self.path.uri.rpartition("/")[0]
            options = self.path.options
            connection = await lancedb.connect_async(
                folder, session=session, storage_options=options
            )
            table = await connection.open_table(TABLE)
            self.columns = frozenset((await table.schema()).names)
            self._connection, self._dataset = connection, None
            self._pinned = await self._open_version(table)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._connection = self._dataset = self._pinned = None

    async def refresh(self) -> int:
        """Move to the newest version, and return it. Running searches keep theirs."""
        async with self._refreshing:  # otherwise the slower of two would move back
            with translated(self.path):
                table = await self._connection.open_table(TABLE)
                if int(await table.version()) != self.now.version:
                    self._pinned = await self._open_version(table)
                return self.now.version

    @property
    def now(self) -> TableVersion:
        """The pinned version."""
        if self._pinned is None:
            raise RuntimeError("the index is closed")
        return self._pinned

    async def _open_version(self, table: Any) -> TableVersion:
        version = int(await table.version())
        indices = await table.list_indices()
        return TableVersion(
            self.path,
            table,
            version,
            self.columns,
            functools.partial(self._dataset_of, version),
            self._threads,
            self._permits,
            self._key_permits,
            has_vector_index=any(index.name == vector_index.NAME for index in indices),
        )

    def _dataset_of(self, version: int) -> Any:
        """The same version opened with lance, which reads single rows in a third of the time."""
        dataset = self._dataset
        if dataset is None:
            session = libraries.lance().Session(**libraries.ROW_CACHES)
            dataset = libraries.open_dataset(self.path, version=version, session=session)
        elif dataset.version != version:
            dataset = dataset.checkout_version(version)
        self._dataset = dataset
        return dataset
