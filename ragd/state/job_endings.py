"""Ends indexing jobs: the only place that records `JobFinished`. It stores and stops nothing."""

from ragd.eventlog.codec import clip_errors
from ragd.events import JobFinished, Outcome
from ragd.folds.jobs import Job
from ragd.state.ledger import Ledger


async def end_unplanned_job(ledger: Ledger, actor: str, job: Job, code: str) -> None:
    """The job failed before or while it was planned; `code` says why, if that is known."""
    failed = JobFinished(
        job_id=job.id,
        mode=job.mode,
        outcome="failed",
        indexed_files=0,
        removed_files=0,
        total_chunks=ledger.state.catalog.chunks,
        duration_ms=0,
        code=code,
    )
    await ledger.journal.append(actor, failed)


async def end_job(
    ledger: Ledger, actor: str, job: Job, outcome: Outcome, total_chunks: int, code: str = ""
) -> None:
    """The job's text is stored, or could not be stored."""
    errors, _ = clip_errors(job.errors)  # a hundred long paths are too many for one record
    finished = JobFinished(
        job_id=job.id,
        mode=job.mode,
        outcome=outcome,
        indexed_files=job.files_stored,
        removed_files=job.files_removed,
        total_chunks=total_chunks,
        duration_ms=ledger.job_duration_ms(job.id, job.started_at),
        errors=errors,
        errors_total=job.errors_total,
        uptime_ms=ledger.uptime_ms,
        code=code,
    )
    await ledger.journal.append(actor, finished)


async def end_cancelled_build(ledger: Ledger, actor: str, job: Job) -> None:
    """The job ended before, and now the index that it was building is given up."""
    cancelled = JobFinished(
        job_id=job.id,
        mode=job.mode,
        outcome="cancelled",
        indexed_files=job.indexed_files,
        removed_files=job.files_removed,
        total_chunks=ledger.state.catalog.chunks,
        duration_ms=ledger.job_duration_ms(job.id, job.started_at),
    )
    await ledger.journal.append(actor, cancelled)
