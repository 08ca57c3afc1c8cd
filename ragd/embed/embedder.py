"""Gives chunks their vectors: a saved note at once, everything else when there is time.

Jobs and the backlog are two things. A batch waits a moment for vectors at most; what has none is
stored without, and is worked off by the backlog. It never stores anything itself.
"""

import asyncio
from collections.abc import Mapping, Sequence

import structlog

from ragd.batch.in_flight import Batch, InFlight, batch_vectors
from ragd.embed.backlog import Backlog
from ragd.embed.fill_builder import STEP_CHUNKS
from ragd.embed.providers.embedder_port import EmbeddingError, Vector
from ragd.embed.vector_maker import NAME, VectorMaker
from ragd.events import (
    BatchStored,
    ChangesetFormed,
    DependencyRecovered,
    IndexActivated,
    JobFinished,
    SyncResumed,
    VectorsRecounted,
    tag_of_type,
)
from ragd.notes.model import Chunk
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex
from ragd.store.open_indexes import OpenIndexes

URGENT_WITHIN_S = 1.8

_TYPES = {
    tag_of_type(t)
    for t in (
        *(ChangesetFormed, BatchStored, DependencyRecovered, IndexActivated, JobFinished),
        *(SyncResumed, VectorsRecounted),
    )
}
log = structlog.get_logger(NAME)


class EmbedderActor:
    """Vectors for what is on its way to the store, and then for what is there already."""

    def __init__(
        self,
        ledger: Ledger,
        open_indexes: OpenIndexes,
        maker: VectorMaker,
        backlog: Backlog,
        in_flight: InFlight,
    ) -> None:
        self._ledger = ledger
        self._open_indexes = open_indexes
        self._maker = maker
        self._backlog = backlog
        self._in_flight = in_flight
        self._batches: asyncio.Queue[Batch] = asyncio.Queue()
        self._taken: set[str] = set()  # ids of batches in flight that were taken

    async def run(self) -> None:
        position = self._ledger.state.seq
        self._batches = asyncio.Queue()  # after a crash the work is formed again
        self._taken = set()
        self._in_flight.fills.drop_all()
        for batch in self._in_flight.batches.values():  # formed while this actor was away
            self._take(batch)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen(position))
            group.create_task(self._serve_batches())
            group.create_task(self._backlog.run())

    async def _listen(self, position: int) -> None:
        async for record in self._ledger.journal.follow(position, _TYPES):
            event = record.event
            if isinstance(event, ChangesetFormed):
                if event.last and (batch := self._in_flight.batches.get(event.batch_id)):
                    self._take(batch)
                continue
            if isinstance(event, BatchStored):
                self._backlog.stored(event)
                continue
            if isinstance(event, DependencyRecovered):
                self._maker.forgive()
            if isinstance(event, DependencyRecovered | IndexActivated):
                self._backlog.look_again()
            self._backlog.wake()

    def _take(self, batch: Batch) -> None:
        if batch.batch_id not in self._taken:
            self._taken.add(batch.batch_id)
            self._batches.put_nowait(batch)

    async def _serve_batches(self) -> None:
        while True:
            batch = await self._batches.get()
            self._taken = {held.batch_id for held in self._in_flight.batches.values()} & self._taken
            chunks = [chunk for file in batch.files for chunk in file.note.chunks]
            index = self._open_indexes.find(batch.generation)
            known: dict[str, Vector] = {}
            made: dict[str, Vector] = {}
            if index is not None:
                known = await self._maker.known(chunks, index)
                missing = [chunk for chunk in chunks if self._maker.lacks(chunk, known, index)]
                if batch.urgent and missing and len(missing) <= STEP_CHUNKS:
                    made = await self._quickly(missing, index)
                self._give(batch, chunks, known | made, index)
            await self._maker.say(
                batch.job_id, batch.batch_id, len(batch.files), len(made), len(known)
            )

    def _give(
        self,
        batch: Batch,
        chunks: Sequence[Chunk],
        vectors: Mapping[str, Vector],
        index: ChunkIndex,
    ) -> None:
        """Hand the vectors over, by chunk id. The batch itself never changes."""
        found = ((c.chunk_id, vectors.get(c.content_hash)) for c in chunks)
        by_id = ((chunk_id, vector) for chunk_id, vector in found if vector is not None)
        space = index.identity.space.identity
        self._in_flight.put_vectors(batch_vectors(batch.batch_id, space, by_id))

    async def _quickly(self, chunks: Sequence[Chunk], index: ChunkIndex) -> dict[str, Vector]:
        """Vectors for a saved note, unless they take too long: then the backlog has them."""
        try:
            async with asyncio.timeout(URGENT_WITHIN_S):
                return await self._maker.make({c.content_hash: c.embed_text for c in chunks}, index)
        except (TimeoutError, EmbeddingError) as why:
            log.info("a saved note goes first without vectors", reason=type(why).__name__)
            return {}
