"""Indexing jobs: asked for, running, done. A fold; pure. It starts and stops nothing."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct, field

from ragd.eventlog.frame import Record
from ragd.events import (
    ERRORS_MAX,
    BatchEmbedded,
    BatchStored,
    FileError,
    FileFailed,
    JobCancelRequested,
    JobFinished,
    JobRequested,
    JobStarted,
    Mode,
    Outcome,
)

FINISHED_KEPT = 20


class Job(Struct):
    """One job, from the request to the end."""

    id: str
    mode: Mode
    origin: str
    requested_at: str
    phase: Literal["requested", "running", "finished"] = "requested"
    started_at: str | None = None
    finished_at: str | None = None
    files_planned: int = 0
    files_removed: int = 0
    files_embedded: int = 0
    files_stored: int = 0
    chunks_embedded: int = 0
    chunks_cached: int = 0
    cancel_requested: bool = False
    accept_deletions: bool = False
    outcome: Outcome | None = None
    indexed_files: int = 0
    total_chunks: int = 0
    duration_ms: int = 0
    errors: list[FileError] = field(default_factory=list)
    errors_total: int = 0

    @property
    def progress(self) -> float:
        """0 to 1, by files."""
        if self.phase == "finished":
            return 1.0
        return min(1.0, self.files_stored / self.files_planned) if self.files_planned > 0 else 0.0


class Jobs(Struct):
    """Open jobs in the order they were asked for, and the last few that ended."""

    open: list[Job] = field(default_factory=list)
    finished: list[Job] = field(default_factory=list)

    @property
    def active(self) -> Job | None:
        """The running job, else the next in line."""
        running = (job for job in self.open if job.phase == "running")
        return next(running, None) or next(iter(self.open), None)

    def find(self, job_id: str) -> Job | None:
        known = [*self.finished, *self.open]
        return next((job for job in reversed(known) if job.id == job_id), None)

    def find_open(self, job_id: str) -> Job | None:
        return next((job for job in self.open if job.id == job_id), None)


def _requested(jobs: Jobs, event: JobRequested, record: Record) -> None:
    if jobs.find(event.job_id) is None:
        job = Job(event.job_id, event.mode, event.origin, record.ts)
        job.accept_deletions = event.accept_deletions
        jobs.open.append(job)


def _started(jobs: Jobs, event: JobStarted, record: Record) -> None:
    job = jobs.find_open(event.job_id)
    if job is None:
        job = Job(event.job_id, event.mode, record.actor, record.ts)
        jobs.open.append(job)
    job.phase = "running"
    job.mode = event.mode
    job.started_at = job.started_at or record.ts
    job.files_planned = event.files_planned
    # A job that starts again after a crash plans, and so counts, only what is left.
    job.files_embedded = job.files_stored = job.files_removed = 0
    job.chunks_embedded = job.chunks_cached = 0
    job.errors, job.errors_total = [], 0


def _cancel(jobs: Jobs, event: JobCancelRequested, record: Record) -> None:
    if job := jobs.find_open(event.job_id):
        job.cancel_requested = True


def _embedded(jobs: Jobs, event: BatchEmbedded, record: Record) -> None:
    if job := jobs.find_open(event.job_id):
        job.files_embedded += event.files
        job.chunks_embedded += event.chunks
        job.chunks_cached += event.cached


def _stored(jobs: Jobs, event: BatchStored, record: Record) -> None:
    if job := jobs.find_open(event.job_id):
        job.files_stored += len(event.files)
        job.files_removed += len(event.removed)


def _failed(jobs: Jobs, event: FileFailed, record: Record) -> None:
    """One job at a time: what fails, fails in the one that runs."""
    job = jobs.active
    if job is not None and job.phase == "running":
        job.errors_total += 1
        if len(job.errors) < ERRORS_MAX:
            job.errors.append(FileError(event.path, event.detail))


def _finished(jobs: Jobs, event: JobFinished, record: Record) -> None:
    job = jobs.find(event.job_id)
    if job is None:
        job = Job(event.job_id, event.mode, record.actor, record.ts)
    elif job.phase == "finished":
        jobs.finished.remove(job)  # said twice: the later word stands
    else:
        jobs.open.remove(job)
    job.phase = "finished"
    job.finished_at = record.ts
    job.outcome = event.outcome
    job.indexed_files = event.indexed_files
    job.files_removed = event.removed_files
    job.total_chunks = event.total_chunks
    job.duration_ms = event.duration_ms
    job.errors = list(event.errors)
    job.errors_total = max(event.errors_total, len(event.errors))
    jobs.finished.append(job)
    del jobs.finished[:-FINISHED_KEPT]


HANDLERS: Mapping[type, Callable[[Jobs, Any, Record], None]] = {
    JobRequested: _requested,
    JobStarted: _started,
    JobCancelRequested: _cancel,
    BatchEmbedded: _embedded,
    BatchStored: _stored,
    FileFailed: _failed,
    JobFinished: _finished,
}
