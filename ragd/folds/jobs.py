"""Indexing jobs: requested, running, finished. A fold; pure. It starts and stops nothing.

A job's text is stored first (`JobFinished`); its vectors follow. After every record,
`update_filling` decides which jobs still make vectors, and which are forgotten.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Literal

from msgspec import Struct, field

from ragd.eventlog.frame import Record
from ragd.events import (
    ERRORS_MAX,
    BatchEmbedded,
    BatchStored,
    FileError,
    FileFailed,
    IndexBuilding,
    IndexLost,
    JobCancelRequested,
    JobFinished,
    JobRequested,
    JobStarted,
    Mode,
    Outcome,
    VectorsFilled,
)
from ragd.folds.catalog import Catalog, Table
from ragd.folds.pause import BY_CLIENT
from ragd.folds.times import ms_between

_asked = attrgetter("asked")
FINISHED_KEPT = 20  # jobs that clients requested, and as many of the others
FILLING_KEPT = 100  # jobs of clients whose vectors are still being made


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
    accept_in: list[str] = field(default_factory=list)  # only in these collections; empty: in all
    outcome: Outcome | None = None
    indexed_files: int = 0
    total_chunks: int = 0
    duration_ms: int = 0  # from the start until its text was stored
    errors: list[FileError] = field(default_factory=list)
    errors_total: int = 0
    requested: bool = False  # it scans the whole vault; else it reads only notes that changed
    asked: bool = False  # a client requested it; else the daemon did
    stored_without_vectors: bool = False  # some passages were stored without a vector
    generation: str = ""  # the index that it builds next to the one that serves
    fills: bool = False  # its text is stored, and its index still lacks vectors
    vectors_ms: int = 0  # from the start to the last vector so far
    run: str = ""  # the daemon's run in which the text was stored
    uptime_ms: int = 0  # of that run at that time
    ended_at: str | None = None  # when text and vectors were complete, or it was given up
    code: str = ""  # why it failed
    abandoned: bool = False  # its index was lost or replaced before its vectors were complete
    slow: bool = False  # it reads documents that take long

    def accepts_deletions_in(self, collection: str) -> bool:
        """Whether a person agreed to the deletions in this collection."""
        return self.accept_deletions and (not self.accept_in or collection in self.accept_in)

    @property
    def total_ms(self) -> int:
        """From the start to the last vector; while vectors are being made, to the last so far."""
        return max(self.duration_ms, self.vectors_ms)

    @property
    def progress(self) -> float:
        """0 to 1, by files."""
        if self.phase == "finished":
            return 1.0
        return min(1.0, self.files_stored / self.files_planned) if self.files_planned > 0 else 0.0


class Jobs(Struct):
    """Open jobs in the order of their requests, and the last few that ended."""

    open: list[Job] = field(default_factory=list)
    finished: list[Job] = field(default_factory=list)
    filling: int = 0  # how many finished jobs still make vectors

    @property
    def active(self) -> Job | None:
        """The running job, else the next in line."""
        running = (job for job in self.open if job.phase == "running")
        return next(running, None) or next(iter(self.open), None)

    @property
    def reading_notes(self) -> Job | None:
        """The active job, unless it only reads documents that take long."""
        job = self.active
        return None if job is not None and job.slow and job.phase == "running" else job

    def find(self, job_id: str) -> Job | None:
        """The latest job of this id."""
        for job in reversed(self.open):
            if job.id == job_id:
                return job
        return self.find_finished(job_id)

    def find_finished(self, job_id: str) -> Job | None:
        for job in reversed(self.finished):
            if job.id == job_id:
                return job
        return None

    def find_open(self, job_id: str) -> Job | None:
        for job in self.open:
            if job.id == job_id:
                return job
        return None


def _requested(jobs: Jobs, event: JobRequested, record: Record) -> None:
    job = jobs.find(event.job_id)
    if job is None:
        job = Job(event.job_id, event.mode, event.origin, record.ts)
        job.accept_deletions = event.accept_deletions
        job.accept_in = event.accept_in
        job.requested = True
        jobs.open.append(job)
    job.asked = job.asked or event.origin == BY_CLIENT  # a client may join the daemon's own job


def _started(jobs: Jobs, event: JobStarted, record: Record) -> None:
    job = jobs.find_open(event.job_id)
    if job is None:
        before = jobs.find_finished(event.job_id)
        job = Job(event.job_id, event.mode, record.actor, record.ts)
        if before is not None:
            job.requested, job.asked = before.requested, before.asked
        jobs.open.append(job)
    job.phase = "running"
    job.mode = event.mode
    job.started_at = job.started_at or record.ts
    job.files_planned = event.files_planned
    job.slow = event.slow
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
        job.files_removed += len(event.removed) - event.moved
        for file in event.files:
            if file.embedded < file.chunks:
                job.stored_without_vectors = True
                break


def _building(jobs: Jobs, event: IndexBuilding, record: Record) -> None:
    if job := jobs.find_open(event.job_id):
        job.generation = event.generation


def _failed(jobs: Jobs, event: FileFailed, record: Record) -> None:
    """Only one job reads at a time, so a file that fails belongs to it: the one that began last."""
    running = [job for job in jobs.open if job.phase == "running"]
    if running:
        job = running[-1]
        job.errors_total += 1
        if len(job.errors) < ERRORS_MAX:
            job.errors.append(FileError(event.path, event.detail))


def _finished(jobs: Jobs, event: JobFinished, record: Record) -> None:
    job = jobs.find(event.job_id)
    if job is None:
        job = Job(event.job_id, event.mode, record.actor, record.ts)
    elif job.phase == "finished":
        jobs.finished.remove(job)  # recorded twice: the later record counts
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
    job.code = event.code
    job.errors_total = max(event.errors_total, len(event.errors))
    job.run, job.uptime_ms = record.run, event.uptime_ms
    job.ended_at, job.abandoned = record.ts, False
    jobs.finished.append(job)


def update_filling(jobs: Jobs, event: object, record: Record, catalog: Catalog) -> None:
    """Decide which jobs still make vectors. The catalog has applied the record before."""
    is_filling = jobs.filling > 0
    if isinstance(event, JobFinished):
        ended = jobs.finished[-1]  # the handler has put it there
        ended.fills = event.outcome in ("complete", "partial") and _lacks_vectors(ended, catalog)
        is_filling = is_filling or ended.fills
    elif not is_filling:
        return
    if is_filling:
        for job in jobs.finished:
            if job.fills:
                _update_one(job, event, record, catalog)
    _evict(jobs, catalog)
    jobs.filling = sum(job.fills for job in jobs.finished) if is_filling else 0


def _lacks_vectors(job: Job, catalog: Catalog) -> bool:
    """Whether vectors for this job are still missing. A client's job waits for all of them, the
    daemon's own job only for those of the notes that it stored."""
    if is_building(job, catalog):
        return True
    return (job.asked or job.stored_without_vectors) and catalog.notes_lack_vectors


def is_building(job: Job, catalog: Catalog) -> bool:
    """Whether the index that this job builds does not serve yet."""
    return catalog.building is not None and catalog.building.job_id == job.id


def table_of(job: Job, catalog: Catalog) -> Table:
    """The table that has the job's notes."""
    building = catalog.building
    return building if building is not None and building.job_id == job.id else catalog


def _update_one(job: Job, event: object, record: Record, catalog: Catalog) -> None:
    if isinstance(event, VectorsFilled) and _is_about(job, event, catalog):
        job.vectors_ms = max(job.vectors_ms, _took_ms(job, event, record))
    if is_building(job, catalog):
        return
    serving = catalog.index.generation if catalog.index is not None else ""
    lost = isinstance(event, IndexLost) and not event.generation
    if lost or (job.generation and job.generation != serving):
        job.abandoned = True
    elif catalog.notes_lack_vectors:
        return
    job.fills, job.ended_at = False, record.ts


def _took_ms(job: Job, event: VectorsFilled, record: Record) -> int:
    """From the job's start to this fill; within one run, by the monotonic clock."""
    if job.run == record.run and 0 < job.uptime_ms <= event.uptime_ms:
        return job.duration_ms + event.uptime_ms - job.uptime_ms
    return ms_between(job.started_at, record.ts)


def _is_about(job: Job, event: VectorsFilled, catalog: Catalog) -> bool:
    building = catalog.building
    built = building.generation if building is not None else ""
    return (bool(built) and event.generation == built) is is_building(job, catalog)


def _evict(jobs: Jobs, catalog: Catalog) -> None:
    """Forget old jobs, but none that builds an index. The daemon's own jobs never displace those
    that clients requested."""
    finished = jobs.finished
    if len(finished) <= FINISHED_KEPT:
        return
    if catalog.building is None and not any(map(_asked, finished)):  # nearly always
        for job in finished[:-FINISHED_KEPT]:
            job.fills = False
        del finished[:-FINISHED_KEPT]
        return
    if catalog.building is not None:
        finished = [job for job in finished if not is_building(job, catalog)]
    own = [job for job in finished if not job.asked]
    asked = [job for job in finished if job.asked and not job.fills]
    filling = [job for job in finished if job.asked and job.fills]
    for job in own[:-FINISHED_KEPT] + asked[:-FINISHED_KEPT] + filling[:-FILLING_KEPT]:
        job.fills = False  # so that a client that follows it stops waiting
        for place, one in enumerate(jobs.finished):
            if one is job:
                del jobs.finished[place]
                break


HANDLERS: Mapping[type, Callable[[Jobs, Any, Record], None]] = {
    JobRequested: _requested,
    JobStarted: _started,
    JobCancelRequested: _cancel,
    BatchEmbedded: _embedded,
    BatchStored: _stored,
    IndexBuilding: _building,
    FileFailed: _failed,
    JobFinished: _finished,
}
