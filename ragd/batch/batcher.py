"""The batcher: turns changes and requests into batches of notes, one job at a time. Only between
the documents of a reindex, saved notes have a job of their own.

What is left to do is a fold of the log. So after a crash, an interrupted job is planned again with
what is still missing. The batcher never makes a vector and never stores a note.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Protocol

import structlog

from ragd.batch.auto_jobs import AutoJob, AutoJobs, is_damaged
from ragd.batch.batch_builder import NAME, BatchBuilder, BatchReader, NewIndexWouldLoseNotes
from ragd.batch.change_times import ChangeTimes
from ragd.batch.collect_window import CollectWindow
from ragd.batch.deletion_hold import DeletionHold
from ragd.batch.gone_collections import hides_known_notes, record_gone, why_refused
from ragd.batch.in_flight import Batch, Payloads
from ragd.batch.moved_notes import Moves, moves_among, moves_in_scan
from ragd.batch.scan_facts import scanned_fact, skipped_facts
from ragd.batch.slow_documents import (
    PLANNED_AT_ONCE,
    documents_last,
    first_documents,
    put_off_documents,
)
from ragd.batch.sync_plan import SyncPlan, plan_sync
from ragd.clock import Clock, new_id
from ragd.config.embedding_choice import embedding_choice
from ragd.config.live_settings import Settings
from ragd.events import (
    ActorCrashed,
    ConfigReloaded,
    DependencyLost,
    DependencyRecovered,
    FilesChanged,
    IndexActivated,
    JobCancelRequested,
    JobFinished,
    JobRequested,
    JobStarted,
    SyncResumed,
    VaultScanned,
    tag_of_type,
)
from ragd.folds.catalog import Building, Entry
from ragd.folds.jobs import Job
from ragd.folds.stored import stored_files
from ragd.notes.documents.kinds import is_slow
from ragd.runtime.crash_points import crashpoint
from ragd.runtime.wait_for_event import wait_until_set
from ragd.state.job_endings import end_unplanned_job
from ragd.state.job_requests import request_job
from ragd.state.ledger import Ledger
from ragd.vault.collection_calls import scan_all, stat_notes, verify_roots
from ragd.vault.collection_paths import VAULT
from ragd.vault.note_reader import VaultGone
from ragd.vault.threads import READ, unavailable_error, unavailable_fact
from ragd.vault.vault_scan import VaultScan

RETRY_S = 5.0
URGENT_FILES = 50  # up to this many saved notes wait a moment for their vectors

_WAKE = {
    tag_of_type(t)
    for t in (
        *(FilesChanged, VaultScanned, JobRequested, JobCancelRequested, JobFinished),
        *(ActorCrashed, ConfigReloaded, IndexActivated, DependencyRecovered, DependencyLost),
        SyncResumed,
    )
}
PIPELINE = ("embedder", "store_writer")
log = structlog.get_logger(NAME)


class PipelineBroken(Exception):
    """An actor that receives the batches has crashed: they have to be built again."""


class JobReader(BatchReader, Protocol):
    """Reads notes, and has the hash of how they are split into chunks now."""

    @property
    def fingerprint(self) -> str: ...


class Batcher:
    """Plans and builds the work, one job after the other."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        notes: JobReader,
        batches: Payloads[Batch],
        hold: DeletionHold,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._notes = notes
        self._batches = batches
        self._hold = hold
        self._builder = BatchBuilder(ledger, notes, batches, hold)
        self._change_times = ChangeTimes(ledger, notes)
        self._auto_jobs = AutoJobs(ledger, settings, notes)
        self._woken = asyncio.Event()
        settings.when_replaced(self._woken.set)
        self._window = CollectWindow(clock, settings)

    def hurry(self, paths: Iterable[str]) -> None:
        """These notes have changed, which is recorded; they do not wait for further changes."""
        self._window.end_for(paths)

    async def run(self) -> None:
        """Build batches. When an actor that receives them crashes, start over. That is not a crash
        of the batcher, so it does not count towards the limit of crashes."""
        is_broken = True
        while is_broken:
            is_broken = False
            position = self._ledger.state.seq
            self._batches.drop_all()
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._listen(position))
                    group.create_task(self._work())
            except* PipelineBroken:
                is_broken = True
                log.info("the batches are built again")

    async def _listen(self, position: int) -> None:
        async for record in self._ledger.journal.follow(position, _WAKE):
            if isinstance(record.event, ActorCrashed) and record.event.name in PIPELINE:
                raise PipelineBroken
            if isinstance(record.event, FilesChanged):
                present = (c.path for c in record.event.changes if c.kind != "deleted")
                self._hold.release(present)
                self._window.note_changed()
            if isinstance(record.event, JobRequested):
                self._window.end_for_job()
            if isinstance(record.event, DependencyRecovered):
                self._auto_jobs.dependency_recovered()
            self._woken.set()

    async def _work(self) -> None:
        state = self._ledger.state
        while True:
            self._woken.clear()
            if job := state.jobs.active:
                await self._run_job(job)
                await self._wait_until_finished(job.id)
            elif state.pause.holds:
                await self._woken.wait()
            elif needed := self._auto_jobs.next_job():
                await self._request(needed)
            elif self._waiting_notes() and not is_damaged(state):
                await self._window.wait(state.catalog.waiting)
                if state.jobs.active is None and not state.pause.holds:
                    # Otherwise the requested job reads these notes, too.
                    await self._sync_waiting(self._waiting_notes())
            elif (documents := self._waiting_paths()) and not is_damaged(state):
                await self._read_documents(documents[:PLANNED_AT_ONCE])
            elif is_damaged(state) or not await self._change_times.fill_some():
                await self._woken.wait()

    async def _request(self, needed: AutoJob) -> None:
        await self._clock.sleep(RETRY_S if needed.origin == "retry" else 0)
        await request_job(partial(self._ledger.journal.append, NAME), needed.mode, needed.origin)

    def _waiting_paths(self) -> list[str]:
        """The changed notes, without those that vanished and are held, and those of a collection
        that cannot be used now."""
        self._hold.forget_if_over()
        state = self._ledger.state
        waiting = [path for path in state.catalog.waiting if not self._hold.is_held(path)]
        if not state.health.lost_collections:
            return waiting
        is_lost, where = state.health.is_lost, self._notes.collection_of
        return [path for path in waiting if where(path) == VAULT or not is_lost(where(path))]

    def _waiting_notes(self) -> list[str]:
        """The changed notes, without documents that take long to read."""
        return [path for path in self._waiting_paths() if not is_slow(path)]

    async def _wait_until_finished(self, job_id: str) -> None:
        """One job at a time: the next one begins when the last batch of this one is stored."""
        while self._ledger.state.jobs.find_open(job_id) is not None:
            self._woken.clear()
            await self._woken.wait()

    # Jobs that scan everything

    async def _run_job(self, job: Job) -> None:
        state = self._ledger.state
        if job.mode != "reindex" and is_damaged(state):
            await self._fail(job, "INDEX_CORRUPTED")  # nothing can be stored in it
            return
        seq = state.seq
        try:
            scanned = await scan_all(READ, self._notes, state.catalog, state.health)
            scanned.began_seq = seq
            if not scanned.roots:
                raise scanned.gone[VAULT]
            await record_gone(self._ledger, scanned.gone)
            if job.mode == "reindex":
                await self._rebuild(job, scanned)
            else:
                await self._update(job, scanned)
        except VaultGone as why:  # before the job began, or in the middle of it
            await self._ledger.journal.append(NAME, unavailable_fact(why))
            await self._fail(job, unavailable_error(why).code)

    async def _update(self, job: Job, scanned: VaultScan) -> None:
        """Bring the index that serves up to date with the vault."""
        catalog = self._ledger.state.catalog
        read_all = job.mode != "sync" or catalog.needs_full_scan
        known = stored_files(catalog)
        moves = await self._find_moves(scanned, known)
        accepts = job.accepts_deletions_in
        plan = self._plan(scanned, known, accepts, read_all=read_all, moves=moves)
        await self._hold.record(NAME, plan.held)
        self._hold.accept(accepts)
        removed = filter(self._notes.includes, plan.removals)
        self._hold.count_removed(p for p in removed if not accepts(self._notes.collection_of(p)))
        quick, put_off = put_off_documents(plan)
        await self._start(job, scanned, quick, plan)
        await self._builder.build(
            job.id,
            quick,
            again=read_all,
            urgent=False,
            accepts=accepts,
            put_off=put_off,
        )

    async def _rebuild(self, job: Job, scanned: VaultScan) -> None:
        """Build an index next to the one that serves, or continue one that was interrupted."""
        catalog = self._ledger.state.catalog
        moves = await self._find_moves(scanned, catalog.files)
        accepts = job.accepts_deletions_in
        differing = self._plan(scanned, catalog.files, accepts, moves=moves)
        if not is_damaged(self._ledger.state):
            await self._hold.record(NAME, differing.held)
            # A new index would lose these notes.
            if differing.held or hides_known_notes(scanned, catalog.files, self._notes.includes):
                await self._fail(job, why_refused(differing, scanned))
                return
        building = catalog.building
        if building is None or not self._can_continue(building, job):
            building = Building(generation=new_id())
        plan = documents_last(self._plan(scanned, building.files, lambda collection: True))
        await self._start(job, scanned, plan, differing)
        try:
            await self._builder.build(
                job.id,
                plan,
                again=False,
                urgent=False,
                generation=building.generation,
                accepts=accepts,
                before_document=self._sync_saved_notes,
            )
        except NewIndexWouldLoseNotes:
            await self._fail(job, "DELETIONS_HELD")

    async def _sync_saved_notes(self) -> None:
        """Before each document of a reindex, which has read all notes then: sync the notes that
        changed meanwhile, in a job of their own. They go into both indexes."""
        state = self._ledger.state
        if not self._waiting_notes():
            return
        for batch in self._batches.values():  # the catalog must have all that was read
            await self._batches.wait_until_dropped(batch.batch_id)
        may_sync = state.catalog.index is not None and not state.pause.holds
        if may_sync and not is_damaged(state) and (waiting := self._waiting_notes()):
            await self._sync_waiting(waiting)

    def _can_continue(self, building: Building, job: Job) -> bool:
        is_same_chunking = building.fingerprint == self._notes.fingerprint
        is_same_model = building.is_chosen_by(embedding_choice(self._settings.current.embedding))
        is_whole = not self._ledger.state.catalog.needs_full_scan
        return building.job_id == job.id and is_same_chunking and is_same_model and is_whole

    def _plan(
        self,
        scanned: VaultScan,
        known: Mapping[str, Entry],
        accepts: Callable[[str], bool],
        *,
        read_all: bool = False,
        moves: Moves | None = None,
    ) -> SyncPlan:
        plan = plan_sync(
            scanned.notes,
            known,
            read_all=read_all,
            includes=self._notes.includes,
            may_exist=scanned.may_exist,
            moves=moves or {},
            paths=scanned.paths,
        )
        return self._hold.apply_to(plan, known, scanned, count_recent=True, accepts=accepts)

    async def _find_moves(self, scanned: VaultScan, known: Mapping[str, Entry]) -> Moves:
        return await moves_in_scan(self._notes, scanned, known, includes=self._notes.includes)

    async def _start(
        self, job: Job, scanned: VaultScan, plan: SyncPlan, differing: SyncPlan
    ) -> None:
        """Record the plan, and how the vault differs from the index that serves."""
        for skipped in skipped_facts(scanned, self._ledger.state.catalog.skipped):
            await self._ledger.journal.append(NAME, skipped)
        fact = scanned_fact(scanned, differing, differing.upserts)
        await self._ledger.journal.append(NAME, fact)
        started = JobStarted(
            job_id=job.id,
            mode=job.mode,
            files_planned=len(plan.upserts),
            files_removed=len(plan.removals),
        )
        await self._ledger.journal.append(NAME, started)
        crashpoint("job.after_plan")

    async def _fail(self, job: Job, code: str) -> None:
        await end_unplanned_job(self._ledger, NAME, job, code)

    # Notes that the watcher announced

    async def _read_documents(self, paths: list[str]) -> None:
        """Read a few of these documents, which take long."""
        await self._sync_waiting(paths, slow=True)
        waiting = self._ledger.state.catalog.waiting
        if all(path in waiting for path in paths):  # none could be read: do not try at once again
            self._woken.clear()
            await wait_until_set(self._woken, self._clock, RETRY_S)

    def _should_end_early(self) -> bool:
        """Whether the documents of a slow job have to wait: for notes, a job or a pause."""
        state = self._ledger.state
        return bool(len(state.jobs.open) > 1 or state.pause.holds or self._waiting_notes())

    async def _sync_waiting(self, paths: list[str], *, slow: bool = False) -> None:
        """Sync just these paths. This job has no request, so it gets its id here. If they are
        `slow`, it reads a few of them, and ends as soon as something else is to be done."""
        journal = self._ledger.journal
        try:
            gone = await verify_roots(READ, self._notes, paths)
            where = self._notes.collection_of
            if gone and all(where(path) in gone for path in paths):
                raise next(iter(gone.values()))
            await record_gone(self._ledger, gone)
            plan, vanished = await self._plan_waiting([p for p in paths if where(p) not in gone])
        except VaultGone as why:
            await record_gone(self._ledger, {why.collection: why})
            await self._clock.sleep(RETRY_S)
            return
        if slow:
            plan = first_documents(plan, vanished)
        if not plan.upserts:
            return
        job_id, planned = new_id(), len(plan.upserts)
        started = JobStarted(
            job_id=job_id, mode="sync", files_planned=planned, files_removed=0, slow=slow
        )
        await journal.append(NAME, started)
        try:
            await self._builder.build(
                job_id,
                plan,
                again=False,
                urgent=planned <= URGENT_FILES and not slow,
                judged=vanished,
                should_end=self._should_end_early if slow else None,
            )
        except VaultGone as why:
            await journal.append(NAME, unavailable_fact(why))
            if job := self._ledger.state.jobs.find_open(job_id):
                await self._fail(job, unavailable_error(why).code)
        await self._wait_until_finished(job_id)

    async def _plan_waiting(self, paths: list[str]) -> tuple[SyncPlan, set[str]]:
        """The plan for these paths, without the held ones; and those that have vanished."""
        catalog = self._ledger.state.catalog
        stats = await stat_notes(READ, self._notes, filter(self._notes.includes, paths))
        moves = await moves_among(self._notes, catalog, stats, holding=self._hold.is_active)
        old = set(moves.values())
        vanished = [
            path
            for path, stat in stats.items()
            if stat is None and path not in old and catalog.is_stored(path)
        ]
        moves |= await self._builder.judge_vanished(vanished)
        old.update(moves.values())
        self._hold.release(old)
        candidates = dict.fromkeys([*moves, *paths])
        upserts = [p for p in candidates if p not in old and not self._hold.is_held(p)]
        return SyncPlan(upserts, [], moves=moves), set(vanished)
