"""Commits batches to the index and says so. It never embeds, and decides nothing about notes.

A step may be done twice without harm: a note's chunks are replaced in one commit, so a crash
between the commit and its fact only repeats it.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import datetime

import structlog

from ragd.adapters.lance_store import ChunkIndex, FileRows, Identity, LanceStore
from ragd.clock import Clock, new_id
from ragd.embedding import EmbeddingError
from ragd.errors import RagdError
from ragd.events import (
    BatchEmbedded,
    BatchStored,
    ChangesetFormed,
    IndexActivated,
    IndexLost,
    JobFinished,
    JobRequested,
    Outcome,
    StoreCompacted,
    StoredFile,
    VectorsFilled,
    tag_of_type,
)
from ragd.ledger import Ledger
from ragd.payloads import Batch, Fill, InFlight, ReadFile
from ragd.serving import Serving

NAME = "store_writer"
VECTORS_WITHIN_S = 2.0
TIDY_AFTER_S = 5.0

_TYPES = {tag_of_type(t) for t in (ChangesetFormed, BatchEmbedded)}
log = structlog.get_logger(NAME)

# The identity of an index that does not exist yet: provider, fingerprint and vault are decided now.
NewIdentity = Callable[[str], Awaitable[Identity]]


class StoreWriter:
    """The only writer of the index."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        store: LanceStore,
        serving: Serving,
        in_flight: InFlight,
        new_identity: NewIdentity,
        vault: str,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._store = store
        self._serving = serving
        self._in_flight = in_flight
        self._new_identity = new_identity
        self._vault = vault  # which vault this is, as an index's identity names it
        self._embedded: dict[str, asyncio.Event] = {}
        self._todo: asyncio.Queue[Batch | Fill] = asyncio.Queue()
        self._untidy = asyncio.Event()

    async def run(self) -> None:
        position = self._ledger.state.seq
        await self._open()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen(position))
            group.create_task(self._work())
            group.create_task(self._keep_tidy())

    # Which index

    async def _open(self) -> None:
        """The generation the catalog knows; if that is gone, the catalog is void."""
        if self._serving.index is not None:
            return
        await self._store.sweep()
        known = self._ledger.state.catalog.index
        if known is None:
            return
        try:
            index = await self._store.open(known.generation)
        except RagdError as why:
            log.warning("the index cannot be opened", code=why.code)
            if why.code == "INDEX_NOT_FOUND":
                await self._ledger.journal.append(NAME, IndexLost(reason="missing"))
            return
        if index.identity.vault == self._vault:
            self._serving.index = index
        else:
            await self._leave(index)

    async def _leave(self, index: ChunkIndex) -> None:
        """Another vault is configured: its notes must not mix with those of the former one."""
        journal = self._ledger.journal
        await journal.append(NAME, IndexLost(reason="vault_changed"))
        index.close()
        await self._store.drop(index.identity.generation)
        requested = JobRequested(job_id=new_id(), mode="full", origin="vault_changed")
        await journal.append(NAME, requested)

    async def _index(self) -> ChunkIndex:
        """The open index; the first batch of all makes it."""
        if self._serving.index is None:
            identity = await self._new_identity(new_id())
            index = await self._store.create(identity)
            await index.mark_complete()
            self._serving.index = index
            activated = IndexActivated(
                generation=identity.generation,
                provider=identity.space.provider,
                model=identity.space.model,
                dimensions=identity.space.dimensions,
            )
            await self._ledger.journal.append(NAME, activated)
        return self._serving.index

    # What there is to do

    async def _listen(self, position: int) -> None:
        async for record in self._ledger.journal.follow(position, _TYPES):
            event = record.event
            if isinstance(event, ChangesetFormed) and event.last:
                if batch := self._in_flight.batches.get(event.batch_id):
                    self._embedded.setdefault(batch.batch_id, asyncio.Event())
                    self._todo.put_nowait(batch)
            elif isinstance(event, BatchEmbedded):
                if fill := self._in_flight.fills.get(event.batch_id):
                    self._todo.put_nowait(fill)
                else:
                    self._embedded.setdefault(event.batch_id, asyncio.Event()).set()

    async def _work(self) -> None:
        while True:
            todo = await self._todo.get()
            if isinstance(todo, Batch):
                await self._store_batch(todo)
            else:
                await self._fill(todo)

    async def _store_batch(self, batch: Batch) -> None:
        """One atomic commit. Vectors that are not there in time follow later."""
        try:
            async with asyncio.timeout(VECTORS_WITHIN_S):
                await self._embedded[batch.batch_id].wait()
        except TimeoutError:
            log.info("stored without waiting for vectors", batch=batch.batch_id)
        self._embedded.pop(batch.batch_id, None)
        if batch.files or batch.removed:
            try:
                await self._commit(batch)
            except EmbeddingError as why:  # no index, and nobody to say what its vectors are like
                log.warning("no index can be made", code=why.code, detail=why.detail)
                self._in_flight.batches.drop(batch.batch_id)
                await self._finish(batch.job_id, failed=True)
                return
        self._in_flight.batches.drop(batch.batch_id)
        if batch.final:
            await self._finish(batch.job_id)

    async def _commit(self, batch: Batch) -> None:
        index = await self._index()
        now = self._clock.now()
        rows = [
            FileRows(f.path, f.sha256, f.mtime_ns, now, f.note.title, f.note.chunks, batch.vectors)
            for f in batch.files
        ]
        version = await index.replace(rows, batch.removed)
        stored = BatchStored(
            job_id=batch.job_id,
            batch_id=batch.batch_id,
            files=[_stored(file, batch) for file in batch.files],
            removed=batch.removed,
            table_version=version,
        )
        await self._ledger.journal.append_parts(NAME, stored)
        self._untidy.set()

    async def _fill(self, fill: Fill) -> None:
        index = self._serving.index
        if index is not None:
            filled = await index.fill(fill.vectors)
            if filled.rows == len(fill.vectors):
                done = VectorsFilled(job_id="", files=fill.files, table_version=filled.version)
                await self._ledger.journal.append_parts(NAME, done)
            self._untidy.set()
        self._in_flight.fills.drop(fill.batch_id)

    async def _keep_tidy(self) -> None:
        """After changes, and again until no deleted text is left in any old file."""
        again_s: float | None = 0.0  # the last run may have left something
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(again_s):
                    await self._untidy.wait()
            self._untidy.clear()
            await self._clock.sleep(TIDY_AFTER_S)
            again_s = await self._tidy()

    async def _tidy(self) -> float | None:
        """A bounded piece of it, beside the writing; in how many seconds there is more to do."""
        index = self._serving.index
        if index is None:
            return None
        began = self._clock.monotonic()
        done = await index.maintain()
        if done.changed:
            took = int((self._clock.monotonic() - began) * 1000)
            fact = StoreCompacted(table_version=done.version, took_ms=took)
            await self._ledger.journal.append(NAME, fact)
        return done.again_s

    async def _finish(self, job_id: str, *, failed: bool = False) -> None:
        """The job's text is stored: its story, as the folds tell it."""
        state = self._ledger.state
        job = state.jobs.find_open(job_id)
        if job is None:
            return
        outcome: Outcome = "partial" if job.errors_total else "complete"
        if failed or job.cancel_requested:
            outcome = "failed" if failed else "cancelled"
        finished = JobFinished(
            job_id=job_id,
            mode=job.mode,
            outcome=outcome,
            indexed_files=job.files_stored,
            removed_files=job.files_removed,
            total_chunks=state.catalog.chunks,
            duration_ms=_ms_between(job.started_at, self._clock.now()),
            errors=job.errors,
            errors_total=job.errors_total,
        )
        await self._ledger.journal.append(NAME, finished)


def _stored(file: ReadFile, batch: Batch) -> StoredFile:
    chunks = file.note.chunks
    embedded = sum(chunk.chunk_id in batch.vectors for chunk in chunks)
    return StoredFile(file.path, file.sha256, file.mtime_ns, file.size, len(chunks), embedded)


def _ms_between(start: str | None, end: str) -> int:
    if start is None:
        return 0
    span = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return max(0, int(span.total_seconds() * 1000))
