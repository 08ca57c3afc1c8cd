"""The status that the daemon reports, from the folds and the live state. Pure.

It never reads the disk: everything in it was recorded, or is in `live_state`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import structs

from ragd.embed.providers.model_choice import model_named
from ragd.errors import CODES
from ragd.folds import State, progress
from ragd.folds.catalog import Catalog
from ragd.folds.jobs import Job
from ragd.gateway.collection_status import collections_data
from ragd.gateway.live_state import LiveState
from ragd.gateway.scope_counts import ScopeCounts
from ragd.health.current_health import CurrentReason
from ragd.health.explanation import code_hint, explain, explain_passed_over, language_hint
from ragd.notes.documents.kinds import count_kinds, with_kinds
from ragd.notes.model import code_blocks_of
from ragd.protocol.envelope import Envelope, ErrorBody, Meta, error_body

FILES_MAX = 100
REASONS_MAX = 20
NO_REASONS: Mapping[str, str] = MappingProxyType({})


def answer_meta(
    state: State,
    query_time_ms: int = 0,
    chunks_scanned: int = 0,
    counted: ScopeCounts | None = None,
) -> Meta:
    """The meta of an envelope. `counted`: the numbers of the scope; None: it is everything. The
    version of the table counts changes in all collections, so only an answer about everything has
    it."""
    index, newest = state.catalog.index, state.catalog.newest_mtime
    version = f"{index.generation}.{state.catalog.table_version}" if index is not None else ""
    if counted is not None:
        version, newest = version.partition(".")[0], counted.stored.newest_mtime
    return Meta(query_time_ms, chunks_scanned, version, newest)


def status_envelope(state: State, live: LiveState, query_time_ms: int = 0) -> Envelope:
    """The answer of obsidian_rag_status and of GET /v1/status."""
    health = live.health(state)
    catalog = state.catalog
    crashes = state.runs.crashes if live.is_recorded(state) else {}
    data: dict[str, Any] = {
        "plugin_health": health.state,
        "total_docs": catalog.documents,
        "total_chunks": catalog.chunks,
        "chunks_embedded": catalog.chunks_embedded,
        "chunks_withheld": catalog.chunks_withheld,
        "chunks_pending": catalog.backlog,
        "last_sync": state.sync_result.last_sync,
        "unindexed_files": progress.count_unindexed(state),
        "kinds": count_kinds(catalog.files),
        "documents_waiting": catalog.unread_documents,
        "not_included": _not_included(catalog, live),
        "ollama_status": _ollama_status(state, live),
        "active_job": _active_job(state, live.vectors_made),
        "last_job": _last_job(state),
        "paused": pause_data(state),
        "needs_restart": live.needs_restart,
        "config_refused": live.config_refused,
        "reasons": [reason_data(reason, state, live.model) for reason in health.reasons],
        "version": live.version,
        "pid": live.pid,
        "run": live.run,
        "started_at": live.started_at,
        "uptime_s": live.uptime_s,
        "vault": {
            "path": live.vault_path,
            "found": _vault_found(state, live),
            "watch": state.health.watch if live.is_recorded(state) else None,
            "templates": catalog.templates,
            "languages": catalog.languages,
            "code_percent": catalog.code_percent,
        },
        "collections": collections_data(state, live),
        "index": _index_data(catalog, live),
        "building": _building_data(catalog),
        "provider": live.provider,
        "actors": [
            {
                "name": name,
                "state": doing,
                "crashes": crashes[name].count if name in crashes else 0,
                "last_crash": crashes.get(name),
            }
            for name, doing in live.actors.items()
        ],
        "process": live.process,
        "log": {
            "seq": state.seq,
            "oldest_seq": live.oldest_seq,
            "snapshot_seq": live.snapshot_seq,
            "full_since": live.full_since,
            "unknown_events": state.unknown,
        },
        "skipped": first_files(catalog.skipped, "reason"),
        "failed": first_files(catalog.failed, "code", catalog.failures),
    }
    error = explained_error(health.codes, state, live.model)
    return Envelope(health.state, data, error, answer_meta(state, query_time_ms))


LEFT_OUT_WHEN_SHORT = ("actors", "process", "log", "pid", "run", "started_at", "uptime_s")
FILES_WHEN_SHORT = 5


def short_status(envelope: Envelope) -> Envelope:
    """A status for a language model, without the fields that only help to debug the daemon."""
    data = {name: value for name, value in envelope.data.items() if name not in LEFT_OUT_WHEN_SHORT}
    for name in ("skipped", "failed"):
        data[name] = {**data[name], "files": data[name]["files"][:FILES_WHEN_SHORT]}
    return structs.replace(envelope, data=data)


def explained_error(codes: Sequence[str], state: State, model: str) -> ErrorBody | None:
    """The first of these codes with its message; None without codes. `model`: as configured."""
    return error_body(codes[0], *explain(codes[0], state, model)) if codes else None


def pause_data(state: State) -> dict[str, Any] | None:
    """From when until when syncing is paused; None if it is not."""
    pause = state.pause
    return {"since": pause.since, "until": pause.until} if pause.holds else None


def job_data(job: Job) -> dict[str, Any]:
    """One job, open or finished."""
    return _finished_job(job) if job.phase == "finished" else _open_job(job)


def _by_dependency(
    state: State, live: LiveState, dependency: str, works: Any, lost: Any, unknown: Any
) -> Any:
    """One of three values: the dependency works, is lost, or was not probed in this run."""
    if (
        not live.is_recorded(state)
        or dependency not in state.health.seen | state.health.lost.keys()
    ):
        return unknown
    return lost if dependency in state.health.lost else works


def _vault_found(state: State, live: LiveState) -> bool | None:
    """Whether the vault was found; None if it was not probed yet or does not respond."""
    found: bool | None = _by_dependency(state, live, "vault", True, False, None)
    hangs = state.health.vault_code == "VAULT_NOT_RESPONDING"
    return None if found is False and hangs else found


def _ollama_status(state: State, live: LiveState) -> str:
    """A server that responds is up, even without the model."""
    lost = state.health.lost.get("ollama")
    if live.is_recorded(state) and lost is not None and lost.code == "OLLAMA_MODEL_MISSING":
        return "up"
    return str(_by_dependency(state, live, "ollama", "up", "down", "unknown"))


def reason_data(reason: CurrentReason, state: State, model: str) -> dict[str, Any]:
    """A reason of the health, with its sentences. `model`: as configured."""
    message, suggestion = explain(reason.code, state, model)
    return {
        "code": reason.code,
        "state": reason.state,
        "since": reason.since,
        "message": message,
        "suggestion": suggestion,
        "recoverable": CODES[reason.code].recoverable,
    }


def _index_data(catalog: Catalog, live: LiveState) -> dict[str, Any] | None:
    """The index in use. The model's digest is known while the index is open."""
    index = catalog.index
    if index is None:
        return None
    model = model_named(index.model) if index.provider == "embedded" else None
    return {
        "generation": index.generation,
        "provider": index.provider,
        "model": index.model,
        "dimensions": index.dimensions,
        "fingerprint": index.fingerprint,
        "digest": live.index_digest,
        "passed_over": explain_passed_over(index, live.model),
        "language": model.language if model is not None else None,
        "language_hint": language_hint(index, catalog.languages, live.language),
        "code_blocks": code_blocks_of(index.fingerprint),
        "code_hint": code_hint(index, catalog, live.code_blocks),
    }


def _building_data(catalog: Catalog) -> dict[str, Any] | None:
    """The new index that a reindex builds while the old one is in use."""
    new = catalog.building
    if new is None:
        return None
    return {
        "generation": new.generation,
        "job_id": new.job_id,
        "total_docs": new.documents,
        "total_chunks": new.chunks,
        "chunks_embedded": new.chunks_embedded,
    }


def _active_job(state: State, made: Mapping[str, int]) -> dict[str, Any] | None:
    """The job that runs or waits; else the one whose vectors are being made."""
    if job := state.jobs.active:
        return _open_job(job)
    job = progress.filling_job(state)
    if job is None:
        return None
    now = progress.progress_line(state, job, made)
    counts = {"current": now["current"], "total": now["total"]}
    share = now["current"] / max(now["total"], 1)
    return {**_open_job(job), "phase": "vectors", "progress": share, **counts}


def _last_job(state: State) -> dict[str, Any] | None:
    """The job that ended last, unless it is shown as active."""
    filling = None if state.jobs.active else progress.filling_job(state)
    ended = [job for job in state.jobs.finished if job is not filling]
    if not ended:
        return None
    return _finished_job(max(ended, key=lambda job: job.ended_at or job.finished_at or ""))


def _open_job(job: Job) -> dict[str, Any]:
    counts = {"current": job.files_stored, "total": job.files_planned}
    return {
        "id": job.id,
        "mode": job.mode,
        "phase": job.phase,
        "progress": job.progress,
        **counts,
    }


def _finished_job(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "mode": job.mode,
        "phase": "vectors" if job.fills else job.phase,
        "outcome": progress.outcome_of(job),
        "code": job.code or None,
        "indexed_files": job.indexed_files,
        "removed_files": job.files_removed,
        "total_chunks": job.total_chunks,
        "text_ms": job.duration_ms,
        "duration_ms": job.total_ms,
        "errors": job.errors,
        "errors_total": job.errors_total,
        "finished_at": job.ended_at or job.finished_at,
    }


def _not_included(catalog: Catalog, live: LiveState) -> dict[str, Any]:
    """Files of known kinds that no pattern includes, and the patterns that would include them. No
    patterns are suggested for kinds that are not read by default."""
    kinds = catalog.not_included
    patterns = list(with_kinds(live.file_patterns, kinds))
    wanted = patterns if len(patterns) > len(live.file_patterns) else []
    return {"kinds": kinds, "patterns": wanted}


def first_files(
    files: Mapping[str, str], what: str, reasons: Mapping[str, str] = NO_REASONS
) -> dict[str, Any]:
    """How many files there are, for each reason, the most common first; and the first of them, each
    with its reason or code (`what`). `reasons`: by path, where the values of `files` are codes."""
    first = sorted(files.items())[:FILES_MAX]
    counts = Counter(reasons.get(path, why) for path, why in files.items())
    return {
        "total": len(files),
        "reasons": dict(counts.most_common(REASONS_MAX)),
        "files": [
            {"path": path, what: why, "reason": reasons.get(path, why)} for path, why in first
        ],
    }
