"""Compares the catalog's count of vectors with that of the table, and corrects the catalog.

The store writer runs it between two commits, when both must agree. It never writes to the table:
the backlog makes the vectors that are missing after a correction.
"""

import asyncio
from collections.abc import Mapping

import structlog

from ragd.events import RecountedFile, VectorsRecounted
from ragd.folds.tables import Entry, Table
from ragd.state.ledger import Ledger
from ragd.store import STORE_WRITER
from ragd.store.generations import count_rows
from ragd.store.lance import ChunkIndex
from ragd.store.open_indexes import OpenIndexes

COUNT_FIRST_S = 60.0
COUNT_EVERY_S = 600.0

log = structlog.get_logger(STORE_WRITER)


class VectorRecount:
    """Counts the vectors of every open index."""

    def __init__(self, ledger: Ledger, open_indexes: OpenIndexes) -> None:
        self._ledger = ledger
        self._open_indexes = open_indexes
        self._counted: dict[str, tuple[int, int]] = {}  # generation -> version and its vectors

    async def check(self) -> None:
        """Call only while nothing is written. Raises RagdError if a table cannot be read."""
        for index in self._open_indexes.list_open():
            if (table := self._table_of(index)) is not None:
                await self._compare(index, table)

    def _table_of(self, index: ChunkIndex) -> Table | None:
        """The catalog's table of this index; None if the log does not name it."""
        catalog, generation = self._ledger.state.catalog, index.identity.generation
        if catalog.index is not None and catalog.index.generation == generation:
            return catalog
        building = catalog.building
        return building if building is not None and building.generation == generation else None

    async def _compare(self, index: ChunkIndex, table: Table) -> None:
        generation = index.identity.generation
        version, counted = await index.version(), table.chunks_embedded
        if self._counted.get(generation) == (version, counted):
            return  # unchanged since the last comparison
        found = await index.count_vectors()
        if found != counted:
            await self._correct(index, table, found)
        self._counted = {generation: (version, found), **self._others(generation)}

    def _others(self, generation: str) -> dict[str, tuple[int, int]]:
        open_now = {index.identity.generation for index in self._open_indexes.list_open()}
        names = open_now - {generation}
        return {name: known for name, known in self._counted.items() if name in names}

    async def _correct(self, index: ChunkIndex, table: Table, found: int) -> None:
        rows = await count_rows(index, "vector IS NOT NULL")
        wrong = await asyncio.to_thread(_miscounted, dict(table.files), rows)
        log.warning(
            "the catalog and the table differ in their vectors",
            generation=index.identity.generation,
            counted=table.chunks_embedded,
            found=found,
            notes=len(wrong),
        )
        if wrong:
            fact = VectorsRecounted(
                files=wrong,
                counted=table.chunks_embedded,
                found=found,
                table_version=await index.version(),
                generation=index.identity.generation,
            )
            await self._ledger.journal.append_parts(STORE_WRITER, fact)


def _miscounted(
    files: Mapping[str, Entry], rows: Mapping[tuple[str, str], int]
) -> list[RecountedFile]:
    """The notes whose count in the catalog differs from their rows."""
    return [
        RecountedFile(path, entry.sha256, rows.get((path, entry.sha256), 0))
        for path, entry in files.items()
        if entry.embedded != rows.get((path, entry.sha256), 0)
    ]
