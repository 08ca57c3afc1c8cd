"""Turns changes and requests into batches of read, cut notes. It never embeds and never stores.

One job at a time. What is left to do is a fold of the log, so after a crash the work is formed
again from there: a job that was running plans what is still missing.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Protocol

import structlog

from ragd.batch import batch_builder
from ragd.batch.auto_jobs import Wishes, is_damaged
from ragd.batch.batch_builder import NAME, DeletionsHeldBack, Former
from ragd.batch.change_times import ChangeTimes
from ragd.batch.deletion_hold import Deletions
from ragd.batch.in_flight import Batch, Payloads
from ragd.batch.moved_notes import Moves, moves_among, moves_in_scan
from ragd.batch.sync_plan import Plan, plan
from ragd.clock import Clock, new_id
from ragd.config.live_settings import Settings
from ragd.events import (
    ActorCrashed,
    ConfigReloaded,
    DeletionsHeld,
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
from ragd.state.ledger import Ledger
from ragd.vault.files import FileStat
from ragd.vault.note_reader import VaultGone, VaultScan
from ragd.vault.threads import READ, unavailable_error, unavailable_fact

SKIPPED_MAX = 10_000
RETRY_S = 5.0
URGENT_FILES = 50  # up to so many saved notes are worth a short wait for their vectors

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
    """Whoever was to take our batches has crashed: they have to be formed again."""


class Notes(batch_builder.Notes, Protocol):
    """What the batcher asks of the vault; what looks at files runs in a thread."""

    @property
    def fingerprint(self) -> str: ...

    def scan(self, *, may_be_empty: bool) -> VaultScan: ...

    def verify_root(self) -> None: ...

    def includes(self, path: str) -> bool: ...

    def stat_notes(self, paths: Iterable[str]) -> Mapping[str, FileStat | None]: ...


class Batcher:
    """Forms the work, one job after the other."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        notes: Notes,
        payloads: Payloads[Batch],
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._notes = notes
        self._payloads = payloads
        self._deletions = Deletions(clock)
        self._former = Former(ledger, notes, payloads, self._deletions)
        self._woken = asyncio.Event()
        self._asked = asyncio.Event()  # for a job
        self._change_times = ChangeTimes(ledger, notes)
        self._wishes = Wishes(ledger, settings, notes)

    async def run(self) -> None:
        """Form batches. When an actor that takes them crashes, start over: that is no crash of the
        batcher, so it does not count towards the limit of crashes."""
        is_broken = True
        while is_broken:
            is_broken = False
            position = self._ledger.state.seq
            self._payloads.drop_all()
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._listen(position))
                    group.create_task(self._work())
            except* PipelineBroken:
                is_broken = True
                log.info("the batches are formed again")

    async def _listen(self, position: int) -> None:
        async for record in self._ledger.journal.follow(position, _WAKE):
            if isinstance(record.event, ActorCrashed) and record.event.name in PIPELINE:
                raise PipelineBroken
            if isinstance(record.event, FilesChanged):
                there = (c.path for c in record.event.changes if c.kind != "deleted")
                self._deletions.release(there)
            if isinstance(record.event, JobRequested):
                self._asked.set()
            if isinstance(record.event, DependencyRecovered):
                self._wishes.take_heart()
            self._woken.set()

    async def _work(self) -> None:
        state = self._ledger.state
        while True:
            self._woken.clear()
            if job := state.jobs.active:
                await self._run(job)
                await self._until_finished(job.id)
            elif state.pause.holds:
                await self._woken.wait()
            elif wanted := self._wishes.next_job():
                await self._clock.sleep(RETRY_S if wanted.origin == "retry" else 0)
                await self._ledger.journal.append(NAME, wanted)
            elif self._waiting() and not is_damaged(state):
                await self._collect()
                if state.jobs.active is None and not state.pause.holds:
                    # A whole job would take these along.
                    await self._sync_waiting(self._waiting())
            elif is_damaged(state) or not await self._change_times.learn_some():
                await self._woken.wait()

    async def _collect(self) -> None:
        """Wait for changes that come with these; but nobody who asks for a job has to wait."""
        self._asked.clear()
        await wait_until_set(self._asked, self._clock, self._settings.current.watch.collect_s)

    def _waiting(self) -> list[str]:
        """What has changed, without what vanished and is held."""
        if not self._ledger.state.health.deletions_held:
            self._deletions.lifted()
        waiting = self._ledger.state.catalog.waiting
        return [path for path in waiting if not self._deletions.is_held(path)]

    async def _until_finished(self, job_id: str) -> None:
        """One job at a time: the next begins when the store has this one's last batch."""
        while self._ledger.state.jobs.find_open(job_id) is not None:
            self._woken.clear()
            await self._woken.wait()

    # Jobs that look at the whole vault

    async def _run(self, job: Job) -> None:
        state = self._ledger.state
        if job.mode != "reindex" and is_damaged(state):
            await self._give_up(job, "INDEX_CORRUPTED")  # nothing can be stored in it
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
        except VaultGone as why:  # before it began, or in the middle of it
            await self._ledger.journal.append(NAME, unavailable_fact(why))
            await self._give_up(job, unavailable_error(why).code)

    async def _update(self, job: Job, scanned: VaultScan) -> None:
        """Bring the index that serves up to date with the vault."""
        catalog = self._ledger.state.catalog
        read_all = job.mode != "sync" or catalog.needs_full_scan
        known = stored_files(catalog)
        moves = await self._moves(scanned, known)
        todo = self._plan(scanned, known, job.accept_deletions, read_all=read_all, moves=moves)
        await self._hold(todo.held)
        if job.accept_deletions:
            self._deletions.agreed()
        else:
            self._deletions.applied(sum(map(self._notes.includes, todo.removals)))
        await self._start(job, scanned, todo, todo)
        agreed = None if job.accept_deletions else ()
        await self._former.form(job.id, todo, again=read_all, urgent=False, agreed=agreed)

    async def _rebuild(self, job: Job, scanned: VaultScan) -> None:
        """Build an index beside the one that serves; one that was cut off is gone on with."""
        catalog = self._ledger.state.catalog
        moves = await self._moves(scanned, catalog.files)
        differing = self._plan(scanned, catalog.files, job.accept_deletions, moves=moves)
        if not is_damaged(self._ledger.state):
            await self._hold(differing.held)  # a new index would lose them: a person has to agree
            if differing.held or self._hides_known_notes(scanned):
                await self._give_up(job, "DELETIONS_HELD" if differing.held else "")
                return
        building = catalog.building
        if building is None or not self._can_go_on(building, job):
            building = Building(generation=new_id())
        todo = self._plan(scanned, building.files, accept_deletions=True)
        await self._start(job, scanned, todo, differing)
        agreed = None if job.accept_deletions else ()
        try:
            await self._former.form(
                job.id,
                todo,
                again=False,
                urgent=False,
                generation=building.generation,
                agreed=agreed,
            )
        except DeletionsHeldBack:
            await self._give_up(job, "DELETIONS_HELD")

    def _hides_known_notes(self, scanned: VaultScan) -> bool:
        """Whether a folder that cannot be listed has notes in it that a new index would lose."""
        closed = tuple(f"{folder}/" for folder in scanned.unreadable_folders)
        return any(path.startswith(closed) for path in self._ledger.state.catalog.files)

    def _can_go_on(self, building: Building, job: Job) -> bool:
        same_cut = building.fingerprint == self._notes.fingerprint
        whole = not self._ledger.state.catalog.needs_full_scan
        return building.job_id == job.id and same_cut and whole

    def _plan(
        self,
        scanned: VaultScan,
        known: Mapping[str, Entry],
        accept_deletions: bool,
        *,
        read_all: bool = False,
        moves: Moves | None = None,
    ) -> Plan:
        return plan(
            scanned.notes,
            known,
            read_all=read_all,
            accept_deletions=accept_deletions,
            denied=self._denied(known),
            unknown=scanned.unreadable_folders,
            lately=self._deletions.lately,
            holding=self._is_holding(scanned),
            moves=moves or {},
        )

    async def _moves(self, scanned: VaultScan, known: Mapping[str, Entry]) -> Moves:
        return await moves_in_scan(self._notes, scanned, known, denied=self._denied(known))

    def _denied(self, known: Iterable[str]) -> list[str]:
        return [path for path in known if not self._notes.includes(path)]

    def _is_holding(self, scanned: VaultScan) -> bool:
        """Whether nothing may leave the index without a person's word."""
        state = self._ledger.state
        elsewhere = state.catalog.is_elsewhere(scanned.identity[0])
        return state.health.deletions_held > 0 or elsewhere

    async def _hold(self, deletions: int) -> None:
        if deletions != self._ledger.state.health.deletions_held:
            await self._ledger.journal.append(NAME, DeletionsHeld(count=deletions))

    async def _start(self, job: Job, scanned: VaultScan, todo: Plan, differing: Plan) -> None:
        """Say what is to be done, and how the vault differs from the index that serves."""
        await self._report_skipped(scanned)
        await self._ledger.journal.append(NAME, _scanned_fact(scanned, differing))
        started = JobStarted(
            job_id=job.id,
            mode=job.mode,
            files_planned=len(todo.upserts),
            files_removed=len(todo.removals),
        )
        await self._ledger.journal.append(NAME, started)
        crashpoint("job.after_plan")

    async def _give_up(self, job: Job, code: str) -> None:
        """The job cannot even be planned; why, as a code."""
        failed = JobFinished(
            job_id=job.id,
            mode=job.mode,
            outcome="failed",
            indexed_files=0,
            removed_files=0,
            total_chunks=self._ledger.state.catalog.chunks,
            duration_ms=0,
            code=code,
        )
        await self._ledger.journal.append(NAME, failed)

    async def _report_skipped(self, scanned: VaultScan) -> None:
        """Say why files are left out, once each."""
        known = self._ledger.state.catalog.skipped
        for path, reason in scanned.skipped:
            if known.get(path) != reason and len(known) < SKIPPED_MAX:
                await self._ledger.journal.append(NAME, FileSkipped(path=path, reason=reason))

    # What the watcher saw

    async def _sync_waiting(self, paths: list[str]) -> None:
        """A sync of just these paths: nobody asked for it, so it names itself."""
        journal = self._ledger.journal
        try:
            await READ.run(self._notes.verify_root)
            todo, gone = await self._plan_waiting(paths)
        except VaultGone as why:
            if "vault" not in self._ledger.state.health.lost:
                await journal.append(NAME, unavailable_fact(why))
            await self._clock.sleep(RETRY_S)
            return
        if not todo.upserts:
            return
        job_id, planned = new_id(), len(todo.upserts)
        started = JobStarted(job_id=job_id, mode="sync", files_planned=planned, files_removed=0)
        await journal.append(NAME, started)
        try:
            urgent = planned <= URGENT_FILES
            await self._former.form(job_id, todo, again=False, urgent=urgent, agreed=gone)
        except VaultGone as why:
            await journal.append(NAME, unavailable_fact(why))
            if job := self._ledger.state.jobs.find_open(job_id):
                await self._give_up(job, unavailable_error(why).code)
        await self._until_finished(job_id)

    async def _plan_waiting(self, paths: list[str]) -> tuple[Plan, set[str]]:
        """What is to be read and what was moved, without what is held; and which have vanished."""
        catalog = self._ledger.state.catalog
        facts = await READ.run(self._notes.stat_notes, filter(self._notes.includes, paths))
        holding = self._ledger.state.health.deletions_held > 0
        moves = await moves_among(self._notes, catalog, facts, holding=holding)
        old = set(moves.values())
        vanished = [
            path
            for path, fact in facts.items()
            if fact is None and path not in old and catalog.is_stored(path)
        ]
        moves |= await self._former.judge(vanished)
        old.update(moves.values())
        self._deletions.release(old)
        wanted = dict.fromkeys([*moves, *paths])
        upserts = [p for p in wanted if p not in old and not self._deletions.is_held(p)]
        return Plan(upserts, [], moves=moves), set(vanished)


def _scanned_fact(scanned: VaultScan, differing: Plan) -> VaultScanned:
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
    )
