"""The batcher: turns changes and requests into batches of notes, one job at a time.

What is left to do is a fold of the log. So after a crash, an interrupted job is planned again with
what is still missing. The batcher never makes a vector and never stores a note.
"""

import asyncio
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Protocol

import structlog

from ragd.batch.auto_jobs import AutoJob, AutoJobs, is_damaged
from ragd.batch.batch_builder import NAME, BatchBuilder, BatchReader, NewIndexWouldLoseNotes
from ragd.batch.change_times import ChangeTimes
from ragd.batch.deletion_hold import DeletionHold
from ragd.batch.in_flight import Batch, Payloads
from ragd.batch.moved_notes import Moves, moves_among, moves_in_scan
from ragd.batch.sync_plan import SyncPlan, plan_sync
from ragd.clock import Clock, new_id
from ragd.config.live_settings import Settings
from ragd.events import (
    ActorCrashed,
    ConfigReloaded,
    DependencyLost,
    DependencyRecovered,
    FilesChanged,
    FileSkipped,
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
from ragd.runtime.crash_points import crashpoint
from ragd.runtime.wait_for_event import wait_until_set
from ragd.state.job_endings import end_unplanned_job
from ragd.state.job_requests import request_job
from ragd.state.ledger import Ledger
from ragd.vault.note_reader import VaultGone, VaultScan
from ragd.vault.threads import READ, unavailable_error, unavailable_fact

SKIPPED_MAX = 10_000
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
        self._job_requested = asyncio.Event()

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
            if isinstance(record.event, JobRequested):
                self._job_requested.set()
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
            elif self._waiting_paths() and not is_damaged(state):
                await self._collect()
                if state.jobs.active is None and not state.pause.holds:
                    # Otherwise the requested job reads these notes, too.
                    await self._sync_waiting(self._waiting_paths())
            elif is_damaged(state) or not await self._change_times.fill_some():
                await self._woken.wait()

    async def _request(self, needed: AutoJob) -> None:
        await self._clock.sleep(RETRY_S if needed.origin == "retry" else 0)
        await request_job(partial(self._ledger.journal.append, NAME), needed.mode, needed.origin)

    async def _collect(self) -> None:
        """Wait a moment for more changes, but not while a requested job waits."""
        self._job_requested.clear()
        await wait_until_set(
            self._job_requested, self._clock, self._settings.current.watch.collect_s
        )

    def _waiting_paths(self) -> list[str]:
        """The changed notes, without those that vanished and are held."""
        self._hold.forget_if_over()
        waiting = self._ledger.state.catalog.waiting
        return [path for path in waiting if not self._hold.is_held(path)]

    async def _wait_until_finished(self, job_id: str) -> None:
        """One job at a time: the next one begins when the last batch of this one is stored."""
        while self._ledger.state.jobs.find_open(job_id) is not None:
            self._woken.clear()
            await self._woken.wait()

    # Jobs that scan the whole vault

    async def _run_job(self, job: Job) -> None:
        state = self._ledger.state
        if job.mode != "reindex" and is_damaged(state):
            await self._fail(job, "INDEX_CORRUPTED")  # nothing can be stored in it
            return
        nothing_yet = not state.catalog.holds_notes
        seq = state.seq
        try:
            scanned = await READ.run(self._notes.scan, may_be_empty=nothing_yet)
            scanned.began_seq = seq
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
        plan = self._plan(scanned, known, job.accept_deletions, read_all=read_all, moves=moves)
        await self._hold.record(NAME, plan.held)
        if job.accept_deletions:
            self._hold.accept()
        else:
            self._hold.count_removed(sum(map(self._notes.includes, plan.removals)))
        await self._start(job, scanned, plan, plan)
        await self._builder.build(
            job.id,
            plan,
            again=read_all,
            urgent=False,
            deletions_accepted=job.accept_deletions,
        )

    async def _rebuild(self, job: Job, scanned: VaultScan) -> None:
        """Build an index next to the one that serves, or continue one that was interrupted."""
        catalog = self._ledger.state.catalog
        moves = await self._find_moves(scanned, catalog.files)
        differing = self._plan(scanned, catalog.files, job.accept_deletions, moves=moves)
        if not is_damaged(self._ledger.state):
            await self._hold.record(NAME, differing.held)
            if differing.held or self._hides_known_notes(scanned):  # a new index would lose them
                await self._fail(job, "DELETIONS_HELD" if differing.held else "")
                return
        building = catalog.building
        if building is None or not self._can_continue(building, job):
            building = Building(generation=new_id())
        plan = self._plan(scanned, building.files, accept_deletions=True)
        await self._start(job, scanned, plan, differing)
        try:
            await self._builder.build(
                job.id,
                plan,
                again=False,
                urgent=False,
                generation=building.generation,
                deletions_accepted=job.accept_deletions,
            )
        except NewIndexWouldLoseNotes:
            await self._fail(job, "DELETIONS_HELD")

    def _hides_known_notes(self, scanned: VaultScan) -> bool:
        """Whether the index has notes in folders that cannot be read now."""
        unreadable = tuple(f"{folder}/" for folder in scanned.unreadable_folders)
        return any(path.startswith(unreadable) for path in self._ledger.state.catalog.files)

    def _can_continue(self, building: Building, job: Job) -> bool:
        is_same_chunking = building.fingerprint == self._notes.fingerprint
        is_whole = not self._ledger.state.catalog.needs_full_scan
        return building.job_id == job.id and is_same_chunking and is_whole

    def _plan(
        self,
        scanned: VaultScan,
        known: Mapping[str, Entry],
        accept_deletions: bool,
        *,
        read_all: bool = False,
        moves: Moves | None = None,
    ) -> SyncPlan:
        plan = plan_sync(
            scanned.notes,
            known,
            read_all=read_all,
            denied=self._denied_paths(known),
            unreadable_folders=scanned.unreadable_folders,
            moves=moves or {},
        )
        if accept_deletions:
            return plan
        return self._hold.apply_to(plan, len(known), scanned.identity[0], count_recent=True)

    async def _find_moves(self, scanned: VaultScan, known: Mapping[str, Entry]) -> Moves:
        return await moves_in_scan(self._notes, scanned, known, denied=self._denied_paths(known))

    def _denied_paths(self, known: Iterable[str]) -> list[str]:
        return [path for path in known if not self._notes.includes(path)]

    async def _start(
        self, job: Job, scanned: VaultScan, plan: SyncPlan, differing: SyncPlan
    ) -> None:
        """Record the plan, and how the vault differs from the index that serves."""
        await self._record_skipped(scanned)
        await self._ledger.journal.append(NAME, _scanned_fact(scanned, differing))
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

    async def _record_skipped(self, scanned: VaultScan) -> None:
        """Record why files are skipped, once for each file and reason."""
        known = self._ledger.state.catalog.skipped
        for path, reason in scanned.skipped:
            if known.get(path) != reason and len(known) < SKIPPED_MAX:
                await self._ledger.journal.append(NAME, FileSkipped(path=path, reason=reason))

    # Notes that the watcher announced

    async def _sync_waiting(self, paths: list[str]) -> None:
        """Sync just these paths. This job has no request, so it gets its id here."""
        journal = self._ledger.journal
        try:
            await READ.run(self._notes.verify_root)
            plan, vanished = await self._plan_waiting(paths)
        except VaultGone as why:
            if "vault" not in self._ledger.state.health.lost:
                await journal.append(NAME, unavailable_fact(why))
            await self._clock.sleep(RETRY_S)
            return
        if not plan.upserts:
            return
        job_id, planned = new_id(), len(plan.upserts)
        started = JobStarted(job_id=job_id, mode="sync", files_planned=planned, files_removed=0)
        await journal.append(NAME, started)
        try:
            urgent = planned <= URGENT_FILES
            await self._builder.build(job_id, plan, again=False, urgent=urgent, judged=vanished)
        except VaultGone as why:
            await journal.append(NAME, unavailable_fact(why))
            if job := self._ledger.state.jobs.find_open(job_id):
                await self._fail(job, unavailable_error(why).code)
        await self._wait_until_finished(job_id)

    async def _plan_waiting(self, paths: list[str]) -> tuple[SyncPlan, set[str]]:
        """The plan for these paths, without the held ones; and those that have vanished."""
        catalog = self._ledger.state.catalog
        stats = await READ.run(self._notes.stat_notes, filter(self._notes.includes, paths))
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


def _scanned_fact(scanned: VaultScan, differing: SyncPlan) -> VaultScanned:
    return VaultScanned(
        files=len(scanned.notes),
        changed=len(differing.upserts),
        removed=len(differing.removals) + differing.held + len(differing.moves),
        newest_mtime=scanned.newest_mtime,
        began=scanned.began,
        began_seq=scanned.began_seq,
        device=scanned.identity[0],
        templates=scanned.templates,
        languages=scanned.languages,
        code_percent=scanned.code_percent,
    )
