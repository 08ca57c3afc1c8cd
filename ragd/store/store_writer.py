"""Commits batches to the index and records them. It never embeds, and decides nothing about notes.

A step may be repeated without harm: a note's chunks are replaced in one commit, so a crash between
the commit and its fact only repeats it.
"""

import asyncio
from collections.abc import Mapping

import structlog
from msgspec import Struct

from ragd.batch.in_flight import Batch, BatchVectors, Fill, InFlight, ReadFile
from ragd.clock import Clock
from ragd.embed.providers.embedder_port import EmbeddingError, Vector
from ragd.errors import RagdError
from ragd.events import (
    BatchEmbedded,
    BatchStored,
    ChangesetFormed,
    DependencyLost,
    DependencyRecovered,
    EmbeddingFailed,
    JobCancelRequested,
    Outcome,
    StoredFile,
    tag_of_type,
)
from ragd.folds.jobs import Job
from ragd.runtime.crash_points import crashpoint
from ragd.state.job_endings import end_cancelled_build, end_job
from ragd.state.ledger import Ledger
from ragd.store import STORE_WRITER
from ragd.store.compaction import Compactor
from ragd.store.fill_writer import write_fill
from ragd.store.full_disk_retry import FullDiskRetry
from ragd.store.generations import Generations
from ragd.store.index_damage import DAMAGE_CODES, IndexDamage
from ragd.store.lance import ChunkIndex, FileRows
from ragd.store.open_indexes import OpenIndexes
from ragd.store.reindex_switch import ReindexSwitch
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
_PROBE_RESULTS = (DependencyLost, DependencyRecovered)
log = structlog.get_logger(STORE_WRITER)


class RecountDue(Struct, frozen=True):
    """It is time to compare the catalog's count of vectors with that of the table."""


class IndexTaken(Struct, frozen=True):
    """Another daemon writes the index now."""


Task = (
    Batch
    | Fill
    | JobCancelRequested
    | DependencyLost
    | DependencyRecovered
    | RecountDue
    | IndexTaken
)


class StoreWriter:
    """The only writer of the index."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        open_indexes: OpenIndexes,
        in_flight: InFlight,
        generations: Generations,
        reindex_switch: ReindexSwitch,
        compactor: Compactor,
        damage: IndexDamage,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._open_indexes = open_indexes
        self._in_flight = in_flight
        self._generations = generations
        self._reindex_switch = reindex_switch
        self._compactor = compactor
        self._damage = damage
        self._group: asyncio.TaskGroup
        self.awaited_vectors: dict[str, asyncio.Event] = {}  # by batch; set when they are made
        self._tasks: asyncio.Queue[Task] = asyncio.Queue()
        self._full_disk_retry = FullDiskRetry(ledger, clock)
        self._vector_recount = VectorRecount(ledger, open_indexes)
        self._recounted = asyncio.Event()
        self._is_doubted = False  # damage was reported, and no recovery since

    async def run(self) -> None:
        position = self._ledger.state.seq
        self._tasks = asyncio.Queue()  # after a crash, batches are formed again
        self.awaited_vectors = {}
        self._in_flight.fills.drop_all()
        for batch in self._in_flight.batches.values():  # formed while this actor was down
            self._add_batch(batch)
        await self._open()
        async with asyncio.TaskGroup() as group:
            self._group = group
            for old in self._reindex_switch.retired:  # before this actor crashed
                group.create_task(self._retire(old))
            group.create_task(self._listen(position))
            group.create_task(self._work())
            group.create_task(self._compactor.run())
            group.create_task(self._keep_recounting())

    async def _keep_recounting(self) -> None:
        """At intervals, and never at the same time as a write to the index."""
        await self._clock.sleep(COUNT_FIRST_S)
        while True:
            self._recounted.clear()
            self._tasks.put_nowait(RecountDue())
            await self._recounted.wait()  # so that at most one is in the queue
            await self._clock.sleep(COUNT_EVERY_S)

    async def _open(self) -> None:
        """Open the indexes as soon as possible; nothing is written before."""
        while not await self._generations.open():
            await self._clock.sleep(OPEN_AGAIN_S)

    # The queue of tasks

    async def _listen(self, position: int) -> None:
        async for record in self._ledger.journal.follow(position, _TYPES):
            event = record.event
            if isinstance(event, ChangesetFormed):
                if event.last and (batch := self._in_flight.batches.get(event.batch_id)):
                    self._add_batch(batch)
            elif isinstance(event, BatchEmbedded):
                if fill := self._in_flight.fills.get(event.batch_id):
                    self._tasks.put_nowait(fill)
                elif waiting := self.awaited_vectors.get(event.batch_id):  # else it is stored
                    waiting.set()
            elif isinstance(event, JobCancelRequested):
                self._tasks.put_nowait(event)
            elif isinstance(event, _PROBE_RESULTS) and event.dependency == "index":
                self._tasks.put_nowait(event)  # repaired or damaged

    def release_index(self) -> None:
        """Another daemon writes the index now: close it, and wait until this one may write."""
        self._tasks.put_nowait(IndexTaken())

    def _add_batch(self, batch: Batch) -> None:
        if batch.batch_id not in self.awaited_vectors:  # else it is in the queue already
            self.awaited_vectors[batch.batch_id] = asyncio.Event()
            self._tasks.put_nowait(batch)

    async def _work(self) -> None:
        """One task after another, so nothing is written to an index during a switch."""
        await self._switch_if_ready()  # the last run may have died just before it
        while True:
            task = await self._tasks.get()
            if isinstance(task, Batch):
                await self._store_batch(task)
            elif isinstance(task, Fill):
                await self._write_fill(task)
            elif isinstance(task, JobCancelRequested):
                await self._cancel_building(task.job_id)
            elif isinstance(task, RecountDue):
                await self._recount()
            elif isinstance(task, IndexTaken):
                self._generations.close_all()
                await self._open()
            else:
                await self._reopen(task)
            await self._switch_if_ready()

    async def _reopen(self, found: DependencyLost | DependencyRecovered) -> None:
        """Open the index again after a report that it is damaged, or that it works again."""
        catalog = self._ledger.state.catalog
        if isinstance(found, DependencyLost):
            self._is_doubted = catalog.index is not None and bool(catalog.files)
        elif self._open_indexes.serving is not None and not self._is_doubted:
            return  # the first probe of this run, and the index works
        restored = isinstance(found, DependencyRecovered) and self._open_indexes.serving is None
        if restored or (catalog.index is not None and catalog.files):
            self._generations.close_serving()
            await self._open()
        if isinstance(found, DependencyRecovered):
            self._is_doubted = False

    async def _store_batch(self, batch: Batch) -> None:
        """Store a batch in one atomic commit. Vectors that are late follow as a fill."""
        try:
            if self._in_flight.batches.get(batch.batch_id) is not None:
                async with asyncio.timeout(VECTORS_WITHIN_S):
                    await self.awaited_vectors[batch.batch_id].wait()
        except TimeoutError:
            log.info("stored without waiting for vectors", batch=batch.batch_id)
        self.awaited_vectors.pop(batch.batch_id, None)
        if self._in_flight.batches.get(batch.batch_id) is None:
            return  # it was dropped, and its notes are read again
        made = self._in_flight.pop_vectors(batch.batch_id)
        job = self._ledger.state.jobs.find_open(batch.job_id)
        failure = await self._commit(batch, made) if job is not None else None
        self._in_flight.batches.drop(batch.batch_id)
        if job is None or not (failure or batch.final):
            return
        if not failure and not job.cancel_requested:
            await self._switch_if_ready(text_of=job.id)
        await self._finish(job, failure)

    async def _commit(self, batch: Batch, made: BatchVectors | None) -> str | None:
        """Write to the index that is built, or to the one that serves. Returns an error code."""
        if not (batch.files or batch.removed or batch.generation):
            return None
        try:
            if batch.generation:
                building = await self._full_disk_retry.run(
                    lambda: self._reindex_switch.building_index(batch.generation, batch.job_id)
                )
                await self._replace_notes(building, batch, made, batch.job_id)
                return None
            serving = await self._full_disk_retry.run(self._reindex_switch.serving_index)
            # First: the batch is done only when the serving index has it.
            await self._write_to_building(batch, made)
            await self._replace_notes(serving, batch, made, batch.job_id)
        except EmbeddingError as why:  # no index exists, and no provider can make one
            log.warning("no index can be created", code=why.code, detail=why.detail)
            sizes = {"configured": why.configured, "made": why.made}
            failed = EmbeddingFailed(code=why.code, attempt=1, **sizes)
            await self._ledger.journal.append(STORE_WRITER, failed)
            return why.code
        except RagdError as why:
            await self._handle_index_error(why, self._open_indexes.find(batch.generation))
            return why.code
        return None

    async def _write_to_building(self, batch: Batch, made: BatchVectors | None) -> None:
        """Also write it to the index that is being built."""
        building = self._open_indexes.building
        if building is None:
            return
        try:
            await self._replace_notes(building, batch, made, "")
        except RagdError as why:
            await self._handle_index_error(why, building)

    async def _handle_index_error(self, why: RagdError, index: ChunkIndex | None) -> None:
        """Record damage to the serving index; drop a damaged index that is being built."""
        if why.code == "INDEX_HELD":
            self.release_index()
        elif index is not None and index is self._open_indexes.building:
            log.warning("the index that is built cannot be used", code=why.code)
            await self._reindex_switch.abandon_damaged()
        else:
            if why.code not in DAMAGE_CODES:
                raise why
            log.warning("the index cannot be used", code=why.code)
            await self._damage.record_failed_call(why.code)

    async def _replace_notes(
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
        version = await self._full_disk_retry.run(lambda: index.replace(rows, batch.removed))
        crashpoint("store.after_commit")
        serves = index is self._open_indexes.serving
        stored = BatchStored(
            job_id=job_id,
            batch_id=batch.batch_id,
            files=[_stored_file(file, vectors) for file in batch.files],
            removed=list(batch.removed),
            moved=batch.moved,
            table_version=version,
            generation="" if serves else index.identity.generation,
        )
        await self._ledger.journal.append_parts(STORE_WRITER, stored)
        crashpoint("store.after_fact")
        self._compactor.wake()

    async def _write_fill(self, fill: Fill) -> None:
        index = self._open_indexes.find(fill.generation)
        try:
            if index is not None:
                await write_fill(index, fill, self._ledger, self._full_disk_retry)
                self._compactor.wake()
        except RagdError as why:
            await self._handle_index_error(why, index)
        finally:
            self._in_flight.fills.drop(fill.batch_id)

    async def _recount(self) -> None:
        try:
            await self._vector_recount.check()
        except RagdError as why:  # a probe reports what is wrong
            log.warning("the vectors could not be counted", code=why.code)
        self._recounted.set()

    # The index that is built next to the serving one

    async def _switch_if_ready(self, text_of: str = "") -> None:
        try:
            old = await self._full_disk_retry.run(
                lambda: self._reindex_switch.switch_if_ready(text_of)
            )
        except RagdError as why:
            await self._handle_index_error(why, self._open_indexes.building)
            return
        if old is not None:
            self._group.create_task(self._retire(old))

    async def _retire(self, old: ChunkIndex) -> None:
        """Remove the old index after running searches had time to finish. It has the text of notes
        that were deleted since, so it must not stay."""
        while True:
            await self._clock.sleep(RETIRE_AFTER_S)
            try:
                await self._reindex_switch.retire(old)
                return
            except RagdError as why:  # the object store does not respond
                log.warning("an index that no longer serves stays for now", code=why.code)

    async def _cancel_building(self, job_id: str) -> None:
        """A reindex ends as a job when its text is stored. Its index can still be cancelled."""
        building = self._ledger.state.catalog.building
        job = self._ledger.state.jobs.find(job_id)
        if job is None or building is None or building.job_id != job_id or job.phase != "finished":
            return
        await end_cancelled_build(self._ledger, STORE_WRITER, job)
        await self._reindex_switch.abandon()  # last: a missing index would be requested again

    # Ending jobs

    async def _finish(self, job: Job, failure: str | None) -> None:
        """Record the end of a job whose text is stored, or could not be."""
        state = self._ledger.state
        outcome: Outcome = "partial" if job.errors_total else "complete"
        if failure or job.cancel_requested:
            outcome = "failed" if failure else "cancelled"
        building = state.catalog.building
        builds = building is not None and building.job_id == job.id
        if builds and outcome in ("failed", "cancelled"):
            await self._reindex_switch.abandon()
        table = building if builds and building is not None else state.catalog
        await end_job(self._ledger, STORE_WRITER, job, outcome, table.chunks, failure or "")


def _stored_file(file: ReadFile, vectors: Mapping[str, Vector]) -> StoredFile:
    chunks = file.note.chunks
    embedded = sum(chunk.chunk_id in vectors for chunk in chunks)
    facts = (file.path, file.sha256, file.mtime_ns, file.size, len(chunks), embedded)
    return StoredFile(*facts, ctime_ns=file.ctime_ns)
