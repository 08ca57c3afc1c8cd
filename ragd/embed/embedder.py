"""The embedder: makes vectors, for a saved note at once and for other notes later.

A batch waits for vectors at most a moment. Chunks without a vector are stored without one, and the
backlog makes their vectors. It never stores anything itself.
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
    """Makes vectors for the batches in flight, and runs the backlog for stored notes."""

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
        self._seen: set[str] = set()  # ids of batches in flight that were queued here

    async def run(self) -> None:
        position = self._ledger.state.seq
        self._batches = asyncio.Queue()  # after a crash, the batches in flight are queued again
        self._seen = set()
        self._in_flight.fills.drop_all()
        for batch in self._in_flight.batches.values():  # formed before this actor (re)started
            self._enqueue(batch)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen(position))
            group.create_task(self._serve_batches())
            group.create_task(self._backlog.run())

    async def _listen(self, position: int) -> None:
        async for record in self._ledger.journal.follow(position, _TYPES):
            event = record.event
            if isinstance(event, ChangesetFormed):
                if event.last and (batch := self._in_flight.batches.get(event.batch_id)):
                    self._enqueue(batch)
                continue
            if isinstance(event, BatchStored):
                self._backlog.batch_stored(event)
                continue
            if isinstance(event, DependencyRecovered):
                self._maker.retry_now()
            if isinstance(event, DependencyRecovered | IndexActivated):
                self._backlog.retry_all()
            self._backlog.wake()

    def _enqueue(self, batch: Batch) -> None:
        if batch.batch_id not in self._seen:
            self._seen.add(batch.batch_id)
            self._batches.put_nowait(batch)

    async def _serve_batches(self) -> None:
        while True:
            batch = await self._batches.get()
            self._seen = {held.batch_id for held in self._in_flight.batches.values()} & self._seen
            chunks = [chunk for file in batch.files for chunk in file.note.chunks]
            index = self._open_indexes.find(batch.generation)
            known: dict[str, Vector] = {}
            made: dict[str, Vector] = {}
            if index is not None:
                known = await self._maker.find_cached(chunks, index)
                if batch.urgent:
                    made = await self._make_quickly(chunks, known, index)
                self._hand_over(batch, chunks, known | made, index)
            await self._maker.record_embedded(
                batch.job_id, batch.batch_id, len(batch.files), len(made), len(known)
            )

    def _hand_over(
        self,
        batch: Batch,
        chunks: Sequence[Chunk],
        vectors: Mapping[str, Vector],
        index: ChunkIndex,
    ) -> None:
        """Pass the vectors on, by chunk id. The batch itself never changes."""
        found = ((c.chunk_id, vectors.get(c.content_hash)) for c in chunks)
        by_id = ((chunk_id, vector) for chunk_id, vector in found if vector is not None)
        space = index.identity.space.identity
        self._in_flight.put_vectors(batch_vectors(batch.batch_id, space, by_id))

    async def _make_quickly(
        self, chunks: Sequence[Chunk], known: Mapping[str, Vector], index: ChunkIndex
    ) -> dict[str, Vector]:
        """Vectors for a saved note, without the known ones. If they are too many or take too long,
        the backlog makes them."""
        missing = [chunk for chunk in chunks if self._maker.needs_vector(chunk, known, index)]
        if not missing or len(missing) > STEP_CHUNKS:
            return {}
        try:
            async with asyncio.timeout(URGENT_WITHIN_S):
                texts = {chunk.content_hash: chunk.embed_text for chunk in missing}
                return await self._maker.make(texts, index, urgent=True)
        except (TimeoutError, EmbeddingError) as why:
            log.info("a saved note is stored without vectors first", reason=type(why).__name__)
            return {}
