"""A job's progress as lines for programs, computed from the folds. It keeps no state.

A job ends when its text is stored. A client that follows it also sees its vectors being made,
because only then are all notes found by meaning, too.
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

# The steps of a job, in this order, and the phase that programs see.
PHASES = {"queued": "storing", "scan": "storing", "text": "storing", "vectors": "embedding"}


def job_to_join(state: State, mode: str, accept_deletions: bool, choice: str) -> Job | None:
    """An open job that does everything this request asks for, if there is one. `choice`: a hash of
    the settings that would choose the model of a new index now."""
    if accept_deletions:
        return None  # no open job removes these notes
    # A job without a request reads only the notes that changed.
    open_jobs = [job for job in state.jobs.open if job.requested and not job.cancel_requested]
    if mode == "reindex" and (outdated := outdated_build(state, choice)) is not None:
        open_jobs = [job for job in open_jobs if job.id != outdated]
    return next((job for job in open_jobs if STRENGTH[job.mode] >= STRENGTH[mode]), None)


def outdated_build(state: State, choice: str) -> str | None:
    """The job that builds an index whose model other settings chose, if there is one."""
    building = state.catalog.building
    return building.job_id if building is not None and not building.is_chosen_by(choice) else None


def count_unindexed(state: State) -> int:
    """How many known notes are not in the index that serves: the changed ones, or those that the
    first job has yet to store."""
    job = state.jobs.active
    catalog, left = state.catalog, 0
    if job is not None and job.mode == "full" and job.phase == "running":
        left_out = len(catalog.skipped) + len(catalog.failed)
        left = job.files_planned - catalog.documents - left_out
    return max(left, catalog.unindexed)


def progress_line(state: State, job: Job, made: Mapping[str, int] = NOTHING) -> dict[str, Any]:
    """How far the job is now. `made`: the number of vectors by generation, with those that no fact
    reports yet."""
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
    """Whether nothing more will happen: all vectors are made, or none can be made now."""
    if job.phase != "finished":
        return False
    return not job.fills or state.pause.holds_vectors or _is_provider_lost(state, job)


def filling_job(state: State) -> Job | None:
    """The first job whose vectors are being made now."""
    filling = (job for job in state.jobs.finished if job.fills)
    return next((job for job in filling if not is_complete(state, job)), None)


def _is_provider_lost(state: State, job: Job) -> bool:
    """Whether the missing vectors of this job cannot be made now. An index that is built with
    another provider does not depend on the one of the index that serves."""
    building = state.catalog.building
    if building is None or not is_building(job, state.catalog) or not building.provider:
        return not state.health.reasons.keys().isdisjoint(WITHOUT_VECTORS)
    return DEPENDENCY_OF.get(building.provider) in state.health.lost


def last_line(state: State, job: Job) -> dict[str, Any]:
    """How the job ended: `complete`, `failed`, or `interrupted` if the daemon stops before."""
    if not is_complete(state, job):
        return _without_success("interrupted", "interrupted", *_INTERRUPTED)
    held = state.health.deletions_held
    table = table_of(job, state.catalog)
    outcome = outcome_of(job)
    if outcome == "complete" and (table.notes_lack_vectors or held):
        outcome = "partial"
    answer = {
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
        return answer | _without_success("failed", outcome, *_cause(state, job))
    if code := _missing_vectors(state, job):
        kind = CODES[code]
        answer |= {"code": code, "message": kind.message, "suggestion": kind.suggestion}
    if outcome == "cancelled":
        return answer | _without_success("failed", outcome, None, "The job was cancelled.", _REST)
    return answer


def _missing_vectors(state: State, job: Job) -> str | None:
    """Why the missing vectors of the job's index are not made, if some are missing."""
    if not table_of(job, state.catalog).backlog:
        return None
    return next((code for code in WITHOUT_VECTORS if code in state.health.reasons), None)


def outcome_of(job: Job) -> str | None:
    """How the job ended. If its index was given up later, it failed."""
    return "failed" if job.abandoned else job.outcome


_INTERRUPTED = (
    None,
    "The daemon is stopping; the job has not ended.",
    "`ragctl start` starts it again, and it continues the job.",
)
_REST = "`ragctl sync` does the rest of it."
_ABANDONED = (
    "INDEXER_FAILED",
    "The index that this job made was lost or replaced before its vectors were complete.",
    "`ragctl status` shows the current index, and whether another job builds it again.",
)
# Health reasons that make a job fail. The first one that holds is reported.
_CAUSES = (
    *("VAULT_NOT_FOUND", "VAULT_NOT_RESPONDING", "INDEX_CORRUPTED", "DELETIONS_HELD", "DISK_FULL"),
    *WITHOUT_VECTORS,
)


def _cause(state: State, job: Job) -> tuple[str, str, str]:
    """Why the job failed: a code, a sentence and a suggestion."""
    if job.abandoned:
        return _ABANDONED
    held = (code for code in _CAUSES if code in state.health.reasons)
    code = job.code if job.code in CODES else next(held, "INDEXER_FAILED")
    return code, CODES[code].message, CODES[code].suggestion


def _without_success(
    kind: str, outcome: str, code: str | None, message: str, suggestion: str
) -> dict[str, Any]:
    cause = {"code": code, "message": message, "suggestion": suggestion}
    return {"type": kind, "outcome": outcome, **cause}


def _progress(step: str, current: int, total: int) -> dict[str, Any]:
    return {
        "type": "progress",
        "phase": PHASES[step],
        "current": min(current, total),
        "total": total,
        "step": step,
    }
