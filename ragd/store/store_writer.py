"""Commits batches to the index and says so. It never embeds, and decides nothing about notes.

A step may be done twice without harm: a note's chunks are replaced in one commit, so a crash
between the commit and its fact only repeats it.
"""

import asyncio
from collections.abc import Mapping

import structlog
from msgspec import Struct

from ragd.batch.in_flight import Batch, BatchVectors, Fill, InFlight, ReadFile
from ragd.clock import Clock
from ragd.embed.providers.embedder_port import EmbeddingError, Vector
from ragd.errors import RagdError
from ragd.eventlog.codec import clip_errors
from ragd.events import (
    BatchEmbedded,
    BatchStored,
    ChangesetFormed,
    DependencyLost,
    DependencyRecovered,
    EmbeddingFailed,
    JobCancelRequested,
    JobFinished,
    Outcome,
    StoredFile,
    tag_of_type,
)
from ragd.folds.jobs import Job
from ragd.runtime.crash_points import crashpoint
from ragd.state.ledger import Ledger
from ragd.store.compaction import Compactor
from ragd.store.fill_writer import store_fill
from ragd.store.generations import NAME, Generations
from ragd.store.lance import ChunkIndex, FileRows
from ragd.store.open_indexes import OpenIndexes
from ragd.store.store_errors import Troubles
from ragd.store.vector_recount import COUNT_EVERY_S, COUNT_FIRST_S, VectorRecount

VECTORS_WITHIN_S = 2.0
RETIRE_AFTER_S = 30.0
OPEN_AGAIN_S = 2.0

_TYPES = {
    tag_of_type(t)
    for t in (
        ChangesetFormed,
        BatchEmbedded,
        JobCancelRequested,
        DependencyLost,
        DependencyRecovered,
    )
}
_FOUND = (DependencyLost, DependencyRecovered)
log = structlog.get_logger(NAME)


class RecountDue(Struct, frozen=True):
    """It is time to compare the catalog's count of vectors with the table's."""


Todo = Batch | Fill | JobCancelRequested | DependencyLost | DependencyRecovered | RecountDue


class StoreWriter:
    """The only writer of the index."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        open_indexes: OpenIndexes,
        in_flight: InFlight,
        indexes: Generations,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._open_indexes = open_indexes
        self._in_flight = in_flight
        self._indexes = indexes
        self._tasks: asyncio.TaskGroup
        self._embedded: dict[str, asyncio.Event] = {}
        self._todo: asyncio.Queue[Todo] = asyncio.Queue()
        self._troubles = Troubles(ledger, clock)
        self._tidier = Compactor(ledger, clock, open_indexes)
        self._recounter = VectorRecount(ledger, open_indexes)
        self._recounted = asyncio.Event()
        self._doubted = False  # somebody found the index damaged

    async def run(self) -> None:
        position = self._ledger.state.seq
        self._todo, self._embedded = asyncio.Queue(), {}  # after a crash the work is formed again
        self._in_flight.fills.drop_all()
        for batch in self._in_flight.batches.held():  # formed while this actor was away
            self._take(batch)
        await self._open()
        async with asyncio.TaskGroup() as group:
            self._tasks = group
            group.create_task(self._listen(position))
            group.create_task(self._work())
            group.create_task(self._tidier.run())
            group.create_task(self._keep_recounting())

    async def _keep_recounting(self) -> None:
        """Now and then, in turn with everything else that is done to the index."""
        await self._clock.sleep(COUNT_FIRST_S)
        while True:
            self._recounted.clear()
            self._todo.put_nowait(RecountDue())
            await self._recounted.wait()  # so that they never pile up
            await self._clock.sleep(COUNT_EVERY_S)

    async def _open(self) -> None:
        """As soon as that can be done; nothing is written before."""
        while not await self._indexes.open():
            await self._clock.sleep(OPEN_AGAIN_S)

    # What there is to do

    async def _listen(self, position: int) -> None:
        async for record in self._ledger.journal.follow(position, _TYPES):
            event = record.event
            if isinstance(event, ChangesetFormed):
                if event.last and (batch := self._in_flight.batches.get(event.batch_id)):
                    self._take(batch)
            elif isinstance(event, BatchEmbedded):
                if fill := self._in_flight.fills.get(event.batch_id):
                    self._todo.put_nowait(fill)
                elif waiting := self._embedded.get(event.batch_id):  # else it came too late
                    waiting.set()
            elif isinstance(event, JobCancelRequested):
                self._todo.put_nowait(event)
            elif isinstance(event, _FOUND) and event.dependency == "index":
                self._todo.put_nowait(event)  # restored, or no longer fit to serve

    def _take(self, batch: Batch) -> None:
        if batch.batch_id not in self._embedded:  # else it is taken already
            self._embedded[batch.batch_id] = asyncio.Event()
            self._todo.put_nowait(batch)

    async def _work(self) -> None:
        """One thing after the other: nothing is written to an index while it is switched."""
        await self._switch_if_ready()  # the last run may have died just before
        while True:
            todo = await self._todo.get()
            if isinstance(todo, Batch):
                await self._store_batch(todo)
            elif isinstance(todo, Fill):
                await self._fill(todo)
            elif isinstance(todo, JobCancelRequested):
                await self._cancel_building(todo.job_id)
            elif isinstance(todo, RecountDue):
                await self._recount()
            else:
                await self._look_again(todo)
            await self._switch_if_ready()

    async def _look_again(self, found: DependencyLost | DependencyRecovered) -> None:
        """Open the index afresh when it is said to be lost, and when it is said to be back."""
        catalog = self._ledger.state.catalog
        if isinstance(found, DependencyLost):
            self._doubted = catalog.index is not None and bool(catalog.files)
        elif self._open_indexes.serving is not None and not self._doubted:
            return  # the first look of this run, and all is well
        restored = isinstance(found, DependencyRecovered) and self._open_indexes.serving is None
        if restored or (catalog.index is not None and catalog.files):
            self._indexes.let_go()
            await self._open()
        if isinstance(found, DependencyRecovered):
            self._doubted = False

    async def _store_batch(self, batch: Batch) -> None:
        """One atomic commit. Vectors that are not there in time follow later."""
        try:
            if self._in_flight.batches.get(batch.batch_id) is not None:
                async with asyncio.timeout(VECTORS_WITHIN_S):
                    await self._embedded[batch.batch_id].wait()
        except TimeoutError:
            log.info("stored without waiting for vectors", batch=batch.batch_id)
        self._embedded.pop(batch.batch_id, None)
        if self._in_flight.batches.get(batch.batch_id) is None:
            return  # it was given up: its notes are read again
        made = self._in_flight.take_vectors(batch.batch_id)
        job = self._ledger.state.jobs.find_open(batch.job_id)
        failure = await self._commit(batch, made) if job is not None else None
        self._in_flight.batches.drop(batch.batch_id)
        if job is None or not (failure or batch.final):
            return
        if not failure and not job.cancel_requested:
            await self._switch_if_ready(text_of=job.id)
        await self._finish(job, failure)

    async def _commit(self, batch: Batch, made: BatchVectors | None) -> str | None:
        """Into the index that is built, and into the one that serves; why not, as a code."""
        if not (batch.files or batch.removed or batch.generation):
            return None
        try:
            if batch.generation:
                building = await self._troubles.with_room(
                    lambda: self._indexes.building_index(batch.generation, batch.job_id)
                )
                await self._replace(building, batch, made, batch.job_id)
                return None
            serving = await self._troubles.with_room(self._indexes.serving_index)
            await self._mirror(batch, made)  # first: until the other has it, it is undone
            await self._replace(serving, batch, made, batch.job_id)
        except EmbeddingError as why:  # no index, and nobody to say what its vectors are like
            log.warning("no index can be made", code=why.code, detail=why.detail)
            sizes = {"configured": why.configured, "made": why.made}
            failed = EmbeddingFailed(code=why.code, attempt=1, **sizes)
            await self._ledger.journal.append(NAME, failed)
            return why.code
        except RagdError as why:
            await self._report(why, self._open_indexes.find(batch.generation))
            return why.code
        return None

    async def _mirror(self, batch: Batch, made: BatchVectors | None) -> None:
        """What is saved while an index is built is in that one, too."""
        building = self._open_indexes.building
        if building is None:
            return
        try:
            await self._replace(building, batch, made, "")
        except RagdError as why:
            await self._report(why, building)

    async def _report(self, why: RagdError, index: ChunkIndex | None) -> None:
        """Damage of the index that serves is a matter of health; one that is built is given up."""
        if index is not None and index is self._open_indexes.building:
            log.warning("the index that is built cannot be used", code=why.code)
            await self._indexes.lose_building()
        else:
            await self._troubles.report(why)

    async def _replace(
        self, index: ChunkIndex, batch: Batch, made: BatchVectors | None, job_id: str
    ) -> None:
        now = self._clock.now()
        vectors: Mapping[str, Vector] = {}
        if made is not None and made.space == index.identity.space.identity:
            vectors = made.vectors
        rows = [
            FileRows(f.path, f.sha256, f.mtime_ns, now, f.note.title, f.note.chunks, vectors)
            for f in batch.files
        ]
        crashpoint("store.before_commit")
        version = await self._troubles.with_room(lambda: index.replace(rows, batch.removed))
        crashpoint("store.after_commit")
        serves = index is self._open_indexes.serving
        stored = BatchStored(
            job_id=job_id,
            batch_id=batch.batch_id,
            files=[_stored(file, vectors) for file in batch.files],
            removed=list(batch.removed),
            moved=batch.moved,
            table_version=version,
            generation="" if serves else index.identity.generation,
        )
        await self._ledger.journal.append_parts(NAME, stored)
        crashpoint("store.after_fact")
        self._tidier.wake()

    async def _fill(self, fill: Fill) -> None:
        index = self._open_indexes.find(fill.generation)
        try:
            if index is not None:
                await store_fill(index, fill, self._ledger, self._troubles)
                self._tidier.wake()
        except RagdError as why:
            await self._report(why, index)
        finally:
            self._in_flight.fills.drop(fill.batch_id)

    async def _recount(self) -> None:
        try:
            await self._recounter.check()
        except RagdError as why:  # a probe says what is wrong with the index
            log.warning("the vectors could not be counted", code=why.code)
        self._recounted.set()

    # An index built beside

    async def _switch_if_ready(self, text_of: str = "") -> None:
        try:
            old = await self._troubles.with_room(lambda: self._indexes.switch_if_ready(text_of))
        except RagdError as why:
            await self._report(why, self._open_indexes.building)
            return
        if old is not None:
            self._tasks.create_task(self._retire(old))

    async def _retire(self, old: ChunkIndex) -> None:
        """Whoever still reads the old index is given time to finish."""
        await self._clock.sleep(RETIRE_AFTER_S)
        await self._indexes.retire(old)

    async def _cancel_building(self, job_id: str) -> None:
        """A reindex whose text is stored has ended as a job; its index can still be given up."""
        building = self._ledger.state.catalog.building
        job = self._ledger.state.jobs.find(job_id)
        if job is None or building is None or building.job_id != job_id or job.phase != "finished":
            return
        cancelled = JobFinished(
            job_id=job_id,
            mode=job.mode,
            outcome="cancelled",
            indexed_files=job.indexed_files,
            removed_files=job.files_removed,
            total_chunks=self._ledger.state.catalog.chunks,
            duration_ms=self._ledger.took_ms(job.id, job.started_at),
        )
        await self._ledger.journal.append(NAME, cancelled)
        await self._indexes.abandon()  # last: an index that is missing would be built again

    # Ending jobs

    async def _finish(self, job: Job, failure: str | None) -> None:
        """The job's text is stored, or could not be: its story, as the folds tell it."""
        state = self._ledger.state
        outcome: Outcome = "partial" if job.errors_total else "complete"
        if failure or job.cancel_requested:
            outcome = "failed" if failure else "cancelled"
        building = state.catalog.building
        builds = building is not None and building.job_id == job.id
        if builds and outcome in ("failed", "cancelled"):
            await self._indexes.abandon()
        table = building if builds and building is not None else state.catalog
        errors, _ = clip_errors(job.errors)  # with long names, a hundred are too many for a record
        finished = JobFinished(
            job_id=job.id,
            mode=job.mode,
            outcome=outcome,
            indexed_files=job.files_stored,
            removed_files=job.files_removed,
            total_chunks=table.chunks,
            duration_ms=self._ledger.took_ms(job.id, job.started_at),
            errors=errors,
            errors_total=job.errors_total,
            uptime_ms=self._ledger.uptime_ms,
            code=failure or "",
        )
        await self._ledger.journal.append(NAME, finished)


def _stored(file: ReadFile, vectors: Mapping[str, Vector]) -> StoredFile:
    chunks = file.note.chunks
    embedded = sum(chunk.chunk_id in vectors for chunk in chunks)
    facts = (file.path, file.sha256, file.mtime_ns, file.size, len(chunks), embedded)
    return StoredFile(*facts, ctime_ns=file.ctime_ns)
