"""Gives chunks their vectors: a saved note at once, everything else when there is time.

Jobs and the backlog are two things. A batch waits a moment for vectors at most; what has none is
stored without, and is worked off by the backlog. It never stores anything itself.
"""

import asyncio
from collections.abc import Sequence

import structlog

from ragd.adapters.lance_store import ChunkIndex
from ragd.backlog import STEP_CHUNKS, Backlog
from ragd.embedding import EmbeddingError, Vector
from ragd.events import (
    BatchStored,
    ChangesetFormed,
    DependencyRecovered,
    IndexActivated,
    JobFinished,
    SyncResumed,
    tag_of_type,
)
from ragd.ledger import Ledger
from ragd.notes.model import Chunk
from ragd.payloads import Batch, InFlight
from ragd.serving import Serving
from ragd.vector_making import NAME, VectorMaker

URGENT_WITHIN_S = 1.8

_TYPES = {
    tag_of_type(t)
    for t in (
        *(ChangesetFormed, BatchStored, DependencyRecovered, IndexActivated, JobFinished),
        SyncResumed,
    )
}
log = structlog.get_logger(NAME)


class EmbedderActor:
    """Vectors for what is on its way to the store, and then for what is there already."""

    def __init__(
        self,
        ledger: Ledger,
        serving: Serving,
        maker: VectorMaker,
        backlog: Backlog,
        in_flight: InFlight,
    ) -> None:
        self._ledger = ledger
        self._serving = serving
        self._maker = maker
        self._backlog = backlog
        self._in_flight = in_flight
        self._batches: asyncio.Queue[Batch] = asyncio.Queue()

    async def run(self) -> None:
        position = self._ledger.state.seq
        self._batches = asyncio.Queue()  # after a crash the work is formed again
        self._in_flight.fills.drop_all()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen(position))
            group.create_task(self._serve_batches())
            group.create_task(self._backlog.run())

    async def _listen(self, position: int) -> None:
        async for record in self._ledger.journal.follow(position, _TYPES):
            event = record.event
            if isinstance(event, ChangesetFormed):
                if event.last and (batch := self._in_flight.batches.get(event.batch_id)):
                    self._batches.put_nowait(batch)
                continue
            if isinstance(event, DependencyRecovered):
                self._maker.forgive()
                self._backlog.look_again()
            self._backlog.wake()

    async def _serve_batches(self) -> None:
        while True:
            batch = await self._batches.get()
            chunks = [chunk for file in batch.files for chunk in file.note.chunks]
            index = self._serving.of(batch.generation)
            known: dict[str, Vector] = {}
            made: dict[str, Vector] = {}
            if index is not None:
                batch.space = index.identity.space.identity
                known = await self._maker.known(chunks, index)
                missing = [chunk for chunk in chunks if self._maker.lacks(chunk, known, index)]
                if batch.urgent and missing and len(missing) <= STEP_CHUNKS:
                    made = await self._quickly(missing, index)
            vectors = known | made
            batch.vectors.update(
                (chunk.chunk_id, vectors[chunk.content_hash])
                for chunk in chunks
                if chunk.content_hash in vectors
            )
            await self._maker.say(
                batch.job_id, batch.batch_id, len(batch.files), len(made), len(known)
            )

    async def _quickly(self, chunks: Sequence[Chunk], index: ChunkIndex) -> dict[str, Vector]:
        """Vectors for a saved note, unless they take too long: then the backlog has them."""
        try:
            async with asyncio.timeout(URGENT_WITHIN_S):
                return await self._maker.make({c.content_hash: c.embed_text for c in chunks}, index)
        except (TimeoutError, EmbeddingError) as why:
            log.info("a saved note goes first without vectors", reason=type(why).__name__)
            return {}
