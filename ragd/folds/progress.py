"""A job's progress as lines for programs: a pure look at the folds, nothing kept.

A job ends when its text is stored; whoever follows it also sees its vectors come, because only then
is everything found by its meaning too.
"""

from typing import Any

from ragd.errors import WITHOUT_VECTORS
from ragd.folds import State
from ragd.folds.catalog import Building, Table
from ragd.folds.health import DEPENDENCY_OF
from ragd.folds.jobs import Job

STRENGTH = {"sync": 0, "full": 1, "reindex": 2}

# What a job goes through, in this order, and what a program is told that it is.
PHASES = {"queued": "storing", "scan": "storing", "text": "storing", "vectors": "embedding"}


def job_to_join(state: State, mode: str, accept_deletions: bool) -> Job | None:
    """The open job that does all that this request asks for, if there is one."""
    if accept_deletions:
        return None  # it has to look at the vault with other eyes
    open_jobs = [job for job in state.jobs.open if not job.cancel_requested]
    return next((job for job in open_jobs if STRENGTH[job.mode] >= STRENGTH[mode]), None)


def unindexed(state: State) -> int:
    """How many notes are known and not in the index that serves: those that changed, or those that
    the first job of all has still to store."""
    job = state.jobs.active
    catalog, left = state.catalog, 0
    if job is not None and job.mode == "full" and job.phase == "running":
        left_out = len(catalog.skipped) + len(catalog.failed)
        left = job.files_planned - catalog.documents - left_out
    return max(left, catalog.unindexed)


def line(state: State, job: Job) -> dict[str, Any]:
    """Where the job is now."""
    if job.phase == "requested":
        return _progress("scan" if state.jobs.active is job else "queued", 0, 0)
    if job.phase != "finished":
        return _progress("text", job.files_stored, job.files_planned)
    table = _table_of(state, job)
    return _progress("vectors", table.chunks_embedded, table.chunks - table.chunks_barred)


def _building_of(state: State, job: Job) -> Building | None:
    """The table that the job builds, until it serves."""
    building = state.catalog.building
    return building if building is not None and building.job_id == job.id else None


def _table_of(state: State, job: Job) -> Table:
    """Where the job's notes are."""
    return _building_of(state, job) or state.catalog


def is_complete(state: State, job: Job) -> bool:
    """Nothing more is to come: all vectors are there, or nobody can make them now."""
    if job.phase != "finished":
        return False
    if job.outcome in ("failed", "cancelled"):
        return True
    waits = _building_of(state, job) is not None or state.catalog.backlog > 0
    return not waits or state.pause.holds_vectors or _is_provider_lost(state, job)


def _is_provider_lost(state: State, job: Job) -> bool:
    """Nobody makes the vectors that this job's table lacks. What is wrong with the provider of the
    index that serves does not matter to one that is built with another."""
    building = _building_of(state, job)
    if building is None or not building.provider:
        return not state.health.reasons.keys().isdisjoint(WITHOUT_VECTORS)
    return DEPENDENCY_OF.get(building.provider) in state.health.lost


def completion(state: State, job: Job) -> dict[str, Any]:
    """The last line. `outcome` is partial, too, when vectors are missing or deletions are held."""
    held = state.health.deletions_held
    table = _table_of(state, job)
    unfinished = job.outcome == "complete" and (table.backlog or held)
    outcome = "partial" if unfinished else job.outcome
    return {
        "type": "complete",
        "indexed_files": job.indexed_files,
        "total_chunks": table.chunks,
        "duration_ms": job.duration_ms,
        "errors": [{"file": error.file, "message": error.message} for error in job.errors],
        "outcome": outcome,
        "errors_total": job.errors_total,
        "chunks_embedded": table.chunks_embedded,
        "deletions_held": held,
        "barred": table.chunks_barred,
        "withheld": table.chunks_withheld,
    }


def _progress(step: str, current: int, total: int) -> dict[str, Any]:
    return {
        "type": "progress",
        "phase": PHASES[step],
        "current": min(current, total),
        "total": total,
        "step": step,
    }
