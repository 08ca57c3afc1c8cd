"""What happened, as a page shows it: changes of health with their causes, jobs, runs, and counts.

It is made from records and the state after each. It reads no files, and every list has a limit.
"""

from typing import Any

import msgspec
from msgspec import Struct, field

from ragd.errors import HEALTHY
from ragd.eventlog.frame import Record
from ragd.events import (
    DaemonStarted,
    DaemonStopped,
    IndexActivated,
    IndexLost,
    JobFinished,
    JobRequested,
    JobStarted,
    VectorsFilled,
)
from ragd.folds import State
from ragd.folds.jobs import Job
from ragd.folds.progress import outcome_of

MOST_CHANGES = 4_000
MOST_JOBS = 2_000
MOST_RUNS = 1_000
MOST_POINTS = 4_000
_MINUTE = len("2026-11-15T14:30")
_POINTED = (DaemonStarted, JobStarted, JobFinished, IndexActivated, IndexLost)


class HealthStep(Struct, frozen=True):
    """Record `seq` changed the health. `cause`: that record, with the lengths of its lists."""

    seq: int
    ts: str
    before: str
    after: str
    reasons: list[str]  # that hold after it, the worst first
    cause: dict[str, Any]


class JobBar(Struct, frozen=True):
    """A job from its request to its end; `ended_at` is when its vectors were complete, too."""

    id: str
    mode: str
    asked: bool  # a client requested it, not the daemon itself
    requested_at: str
    started_at: str | None
    finished_at: str | None
    ended_at: str | None
    outcome: str | None
    code: str | None
    indexed_files: int
    removed_files: int
    errors_total: int


class RunBar(Struct, frozen=True):
    """A run of the daemon. `ended`: `stopped`, `crashed`, or null while it runs."""

    id: str
    version: str
    started_at: str
    ended_at: str | None = None
    ended: str | None = None


class HistoryPoint(Struct, frozen=True):
    """The health and the counts after record `seq`."""

    seq: int
    ts: str
    state: str
    notes: int
    passages: int
    vectors: int
    waiting: int


class HistoryPart(Struct):
    """What happened between two records. `state`, `reasons`: the health before the first change."""

    state: str = HEALTHY
    reasons: list[str] = field(default_factory=list)
    first_ts: str | None = None
    changes: list[HealthStep] = field(default_factory=list)
    jobs: dict[str, JobBar] = field(default_factory=dict)
    runs: list[RunBar] = field(default_factory=list)
    points: list[HistoryPoint] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)


class History:
    """Collects what happened, record by record."""

    def __init__(self, before: State | None = None) -> None:
        """`before`: the state before the first record; None: the log is empty until then."""
        self.part = HistoryPart()
        self._health = HEALTHY
        self._reasons: list[str] = []
        self._last_ts = ""
        self._filling: set[str] = set()
        if before is not None:
            self._start_from(before)

    def _start_from(self, state: State) -> None:
        health, runs = state.health, state.runs
        self._health, self._reasons = health.state, health.worst_first
        self.part.state, self.part.reasons = self._health, self._reasons
        self._last_ts = state.last_ts or ""
        self._filling = {job.id for job in state.jobs.finished if job.fills}
        if runs.id is not None and runs.stopped_at is None:
            self.part.runs.append(RunBar(runs.id, runs.version or "", runs.started_at or ""))

    def add(self, record: Record, state: State) -> None:
        """Compare the state after this record with the one before it."""
        self.part.first_ts = self.part.first_ts or record.ts
        changed = self._add_change(record, state)
        self._add_job(record, state)
        self._add_run(record)
        self._add_point(record, state, always=changed or isinstance(record.event, _POINTED))
        self._last_ts = record.ts

    def _add_change(self, record: Record, state: State) -> bool:
        after, reasons = state.health.state, state.health.worst_first
        changed = after != self._health or set(reasons) != set(self._reasons)
        if changed:
            step = HealthStep(record.seq, record.ts, self._health, after, reasons, _cause(record))
            self.part.changes.append(step)
            if len(self.part.changes) > MOST_CHANGES:
                first = self.part.changes.pop(0)
                self.part.state, self.part.reasons = first.after, first.reasons
        self._health, self._reasons = after, reasons
        return changed

    def _add_job(self, record: Record, state: State) -> None:
        event = record.event
        if isinstance(event, JobRequested | JobStarted | JobFinished):
            self._put_job(state.jobs.find(event.job_id))
        elif isinstance(event, VectorsFilled | IndexActivated | IndexLost):
            for job_id in tuple(self._filling):
                self._put_job(state.jobs.find(job_id))

    def _put_job(self, job: Job | None) -> None:
        if job is None:
            return
        jobs = self.part.jobs
        jobs[job.id] = _bar(job)
        self._filling.discard(job.id)
        if job.fills:
            self._filling.add(job.id)
        if len(jobs) > MOST_JOBS:
            del jobs[next(iter(jobs))]

    def _add_run(self, record: Record) -> None:
        event, runs = record.event, self.part.runs
        if isinstance(event, DaemonStarted):
            if runs and runs[-1].ended_at is None:
                runs[-1] = _ended(runs[-1], self._last_ts, "crashed")
            runs.append(RunBar(record.run, event.version, record.ts))
            del runs[:-MOST_RUNS]
        elif isinstance(event, DaemonStopped) and runs:
            runs[-1] = _ended(runs[-1], record.ts, "stopped")

    def _add_point(self, record: Record, state: State, *, always: bool) -> None:
        """A point at every change of health and at the ends of jobs; else one for each minute in
        which the counts changed. If there are too many, every other one is dropped."""
        points = self.part.points
        last = points[-1] if points else None
        if last is not None and not always and last.ts[:_MINUTE] == record.ts[:_MINUTE]:
            return
        catalog = state.catalog
        counts = (catalog.documents, catalog.chunks, catalog.chunks_embedded, len(catalog.waiting))
        if last is None or always or counts != _counts(last):
            points.append(HistoryPoint(record.seq, record.ts, state.health.state, *counts))
        if len(points) > MOST_POINTS:
            del points[1:-1:2]


def joined(past: HistoryPart, live: HistoryPart) -> HistoryPart:
    """Two parts in a row as one; the second began with the state at the end of the first."""
    known = {run.id for run in live.runs}
    return HistoryPart(
        past.state,
        past.reasons,
        past.first_ts or live.first_ts,
        [*past.changes, *live.changes],
        past.jobs | live.jobs,
        [*(run for run in past.runs if run.id not in known), *live.runs],
        [*past.points, *live.points],
        past.damage,
    )


def _cause(record: Record) -> dict[str, Any]:
    event = msgspec.to_builtins(record.event)
    short = {name: len(one) if isinstance(one, list) else one for name, one in event.items()}
    return {"seq": record.seq, "ts": record.ts, "actor": record.actor, "event": short}


def _bar(job: Job) -> JobBar:
    is_over = job.phase == "finished"
    return JobBar(
        job.id,
        job.mode,
        job.asked,
        job.requested_at,
        job.started_at,
        job.finished_at,
        job.ended_at if is_over and not job.fills else None,
        outcome_of(job) if is_over else None,
        job.code or None,
        job.indexed_files if is_over else job.files_stored,
        job.files_removed,
        job.errors_total,
    )


def _ended(run: RunBar, at: str, how: str) -> RunBar:
    return RunBar(run.id, run.version, run.started_at, at or run.started_at, how)


def _counts(point: HistoryPoint) -> tuple[int, int, int, int]:
    return point.notes, point.passages, point.vectors, point.waiting
