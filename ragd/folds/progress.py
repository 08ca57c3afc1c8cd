"""A job's progress as lines for programs: a pure look at the folds, nothing kept.

A job ends when its text is stored; whoever follows it also sees its vectors come, because only then
is everything found by its meaning too.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ragd.errors import CODES, WITHOUT_VECTORS
from ragd.folds import State
from ragd.folds.catalog import Building
from ragd.folds.health_reasons import DEPENDENCY_OF
from ragd.folds.jobs import Job, is_building, table_of

NOTHING: Mapping[str, int] = MappingProxyType({})
STRENGTH = {"sync": 0, "full": 1, "reindex": 2}

# What a job goes through, in this order, and what a program is told that it is.
PHASES = {"queued": "storing", "scan": "storing", "text": "storing", "vectors": "embedding"}


def job_to_join(state: State, mode: str, accept_deletions: bool) -> Job | None:
    """The open job that does all that this request asks for, if there is one."""
    if accept_deletions:
        return None  # it has to look at the vault with other eyes
    # A job that nobody requested reads only the notes that were just saved.
    open_jobs = [job for job in state.jobs.open if job.requested and not job.cancel_requested]
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


def line(state: State, job: Job, made: Mapping[str, int] = NOTHING) -> dict[str, Any]:
    """Where the job is now. `made`: vectors that no fact tells yet, by generation, counted with
    those that the log knows of."""
    if job.phase == "requested":
        return _progress("scan" if state.jobs.active is job else "queued", 0, 0)
    if job.phase != "finished":
        return _progress("text", job.files_stored, job.files_planned)
    table = table_of(job, state.catalog)
    index = state.catalog.index
    generation = index.generation if index is not None else ""
    if isinstance(table, Building):
        generation = table.generation
    current = max(table.chunks_embedded, made.get(generation, 0))
    return _progress("vectors", current, table.chunks - table.chunks_barred)


def is_complete(state: State, job: Job) -> bool:
    """Nothing more is to come: all vectors are there, or nobody can make them now."""
    if job.phase != "finished":
        return False
    return not job.fills or state.pause.holds_vectors or _is_provider_lost(state, job)


def makes_vectors(state: State) -> Job | None:
    """The job whose vectors are being made now: of several, the first."""
    filling = (job for job in state.jobs.finished if job.fills)
    return next((job for job in filling if not is_complete(state, job)), None)


def _is_provider_lost(state: State, job: Job) -> bool:
    """Nobody makes the vectors that this job's table lacks. What is wrong with the provider of the
    index that serves does not matter to one that is built with another."""
    building = state.catalog.building
    if building is None or not is_building(job, state.catalog) or not building.provider:
        return not state.health.reasons.keys().isdisjoint(WITHOUT_VECTORS)
    return DEPENDENCY_OF.get(building.provider) in state.health.lost


def last_line(state: State, job: Job) -> dict[str, Any]:
    """How the job ended: `complete`, `failed`, or `interrupted` where the daemon stops before."""
    if not is_complete(state, job):
        return _without_success("interrupted", "interrupted", *_INTERRUPTED)
    held = state.health.deletions_held
    table = table_of(job, state.catalog)
    outcome = outcome_of(job)
    if outcome == "complete" and (table.backlog or held):
        outcome = "partial"
    said = {
        "type": "complete",
        "indexed_files": job.indexed_files,
        "total_chunks": table.chunks,
        "text_ms": job.duration_ms,
        "duration_ms": job.total_ms,
        "errors": [{"file": error.file, "message": error.message} for error in job.errors],
        "outcome": outcome,
        "errors_total": job.errors_total,
        "chunks_embedded": table.chunks_embedded,
        "deletions_held": held,
        "barred": table.chunks_barred,
        "withheld": table.chunks_withheld,
    }
    if outcome == "failed":
        return said | _without_success("failed", outcome, *_cause(state, job))
    if code := _missing_vectors(state, job):
        kind = CODES[code]
        said |= {"code": code, "message": kind.message, "suggestion": kind.suggestion}
    if outcome == "cancelled":
        return said | _without_success("failed", outcome, None, "The job was cancelled.", _REST)
    return said


def _missing_vectors(state: State, job: Job) -> str | None:
    """Why nobody makes the vectors that the job's index lacks, if it lacks some."""
    if not table_of(job, state.catalog).backlog:
        return None
    return next((code for code in WITHOUT_VECTORS if code in state.health.reasons), None)


def outcome_of(job: Job) -> str | None:
    """How it ended, as it looks now: an index that was given up is a job that failed."""
    return "failed" if job.abandoned else job.outcome


_INTERRUPTED = (
    None,
    "The daemon is stopping; the job has not ended.",
    "`ragctl start` starts it again, and it goes on with the job.",
)
_REST = "`ragctl sync` does what is left of it."
_ABANDONED = (
    "INDEXER_FAILED",
    "The index that this job made was lost or replaced before its vectors were there.",
    "`ragctl status` shows the index now, and whether another job makes it again.",
)
# What makes a job fail, the first that holds.
_CAUSES = (
    *("VAULT_NOT_FOUND", "VAULT_NOT_RESPONDING", "INDEX_CORRUPTED", "DELETIONS_HELD", "DISK_FULL"),
    *WITHOUT_VECTORS,
)


def _cause(state: State, job: Job) -> tuple[str, str, str]:
    """Why it failed, as the job or else health tells it: a code, a sentence, what to do."""
    if job.abandoned:
        return _ABANDONED
    held = (code for code in _CAUSES if code in state.health.reasons)
    code = job.code if job.code in CODES else next(held, "INDEXER_FAILED")
    return code, CODES[code].message, CODES[code].suggestion


def _without_success(
    kind: str, outcome: str, code: str | None, message: str, suggestion: str
) -> dict[str, Any]:
    said = {"code": code, "message": message, "suggestion": suggestion}
    return {"type": kind, "outcome": outcome, **said}


def _progress(step: str, current: int, total: int) -> dict[str, Any]:
    return {
        "type": "progress",
        "phase": PHASES[step],
        "current": min(current, total),
        "total": total,
        "step": step,
    }
