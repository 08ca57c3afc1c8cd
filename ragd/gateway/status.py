"""What the daemon says of itself: the folds, and what only the living process knows. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field, structs

from ragd.embed.providers.model_choice import named
from ragd.errors import CODES, HEALTHY, SEVERITY, UNAVAILABLE, worse
from ragd.folds import State, progress
from ragd.folds.catalog import Catalog
from ragd.folds.health_reasons import forced_state
from ragd.folds.jobs import Job
from ragd.health.explanation import explain, language_hint, passed_over
from ragd.protocol.envelope import Envelope, ErrorBody, Meta, error_body

LISTED_MAX = 100


class Footprint(Struct, frozen=True):
    """What must not grow for as long as it runs. None where the system does not tell."""

    memory_bytes: int | None
    descriptors: int | None
    threads: int
    tasks: int


class Live(Struct):
    """What no fold can know: this process and its present surroundings."""

    version: str
    pid: int
    run: str
    started_at: str
    uptime_s: int
    vault_path: str
    provider: str
    model: str = ""  # the configured one
    language: str = "auto"  # `embedding.language`
    index_digest: str | None = None  # of the model whose vectors are in the open index
    actors: Mapping[str, str] = field(default_factory=dict)
    process: Footprint | None = None
    needs_restart: list[str] = field(default_factory=list)  # settings that are not in force yet
    config_refused: str | None = None  # why what config.json says now is not in force
    vectors_made: Mapping[str, int] = progress.NOTHING  # by generation; no fact tells them yet
    full_since: str | None = None
    oldest_seq: int = 1
    snapshot_seq: int = 0


class Reason(Struct, frozen=True):
    """Something that is not as it should be, the state it forces, and since when."""

    code: str
    state: str
    since: str | None


def reasons(state: State, live: Live) -> list[Reason]:
    """What is wrong now, worst first; a full disk counts though it cannot be recorded."""
    health = state.health
    if is_recorded(state, live):
        raised = health.reasons
        found = [Reason(c, health.states[c], raised[c].since) for c in health.worst_first]
    else:
        found = [Reason("STARTING", UNAVAILABLE, live.started_at)]
    if live.full_since is not None and all(reason.code != "DISK_FULL" for reason in found):
        forced = forced_state("DISK_FULL", state.catalog)
        found.append(Reason("DISK_FULL", forced, live.full_since))
        found.sort(key=lambda reason: (-SEVERITY[reason.state], health.position(reason.code)))
    return found


def is_recorded(state: State, live: Live) -> bool:
    """Whether this run's start is in the log: before that, the folds speak of the last run."""
    return state.runs.id == live.run


def verdict(state: State, live: Live) -> tuple[str, list[str]]:
    """The health now, and its reasons' codes, worst first."""
    found = reasons(state, live)
    health = HEALTHY
    for reason in found:
        health = worse(health, reason.state)
    return health, [reason.code for reason in found]


def meta(state: State, query_time_ms: int = 0, chunks_scanned: int = 0) -> Meta:
    """The envelope's meta, from the catalog."""
    index = state.catalog.index
    version = f"{index.generation}.{state.catalog.table_version}" if index is not None else ""
    return Meta(query_time_ms, chunks_scanned, version, state.catalog.newest_mtime)


def status(state: State, live: Live, query_time_ms: int = 0) -> Envelope:
    """The answer of obsidian_rag_status and of GET /v1/status."""
    health, codes = verdict(state, live)
    catalog = state.catalog
    crashes = state.runs.crashes if is_recorded(state, live) else {}
    data: dict[str, Any] = {
        "plugin_health": health,
        "total_docs": catalog.documents,
        "total_chunks": catalog.chunks,
        "chunks_embedded": catalog.chunks_embedded,
        "chunks_withheld": catalog.chunks_withheld,
        "chunks_pending": catalog.backlog,
        "last_sync": state.sync_result.last_sync,
        "unindexed_files": progress.unindexed(state),
        "ollama_status": _ollama(state, live),
        "active_job": _active(state, live.vectors_made),
        "last_job": _last(state),
        "paused": paused(state),
        "needs_restart": live.needs_restart,
        "config_refused": live.config_refused,
        "reasons": [_told(reason, state, live) for reason in reasons(state, live)],
        "version": live.version,
        "pid": live.pid,
        "run": live.run,
        "started_at": live.started_at,
        "uptime_s": live.uptime_s,
        "vault": {
            "path": live.vault_path,
            "found": _vault_found(state, live),
            "watch": state.health.watch if is_recorded(state, live) else None,
            "templates": catalog.templates,
            "languages": catalog.languages,
        },
        "index": _index(catalog, live),
        "building": _building(catalog),
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
        "skipped": _listed(catalog.skipped, "reason"),
        "failed": _listed(catalog.failed, "code"),
    }
    return Envelope(health, data, error_of(codes, state, live), meta(state, query_time_ms))


LEFT_OUT_WHEN_SHORT = ("actors", "process", "log", "pid", "run", "started_at", "uptime_s")
LISTED_WHEN_SHORT = 5


def short(envelope: Envelope) -> Envelope:
    """A status for a model: without what only helps to find a fault in the daemon itself."""
    data = {name: value for name, value in envelope.data.items() if name not in LEFT_OUT_WHEN_SHORT}
    for name in ("skipped", "failed"):
        data[name] = {**data[name], "files": data[name]["files"][:LISTED_WHEN_SHORT]}
    return structs.replace(envelope, data=data)


def error_of(codes: Sequence[str], state: State, live: Live) -> ErrorBody | None:
    """The first of these codes, in words."""
    return error_body(codes[0], *explain(codes[0], state, live.model)) if codes else None


def paused(state: State) -> dict[str, Any] | None:
    """Since when and up to when syncing is held, if it is."""
    pause = state.pause
    return {"since": pause.since, "until": pause.until} if pause.holds else None


def job_data(job: Job) -> dict[str, Any]:
    """One job, open or ended."""
    return _finished(job) if job.phase == "finished" else _open(job)


def _works(state: State, live: Live, dependency: str, works: Any, lost: Any, unknown: Any) -> Any:
    if (
        not is_recorded(state, live)
        or dependency not in state.health.seen | state.health.lost.keys()
    ):
        return unknown
    return lost if dependency in state.health.lost else works


def _vault_found(state: State, live: Live) -> bool | None:
    """None while nobody can tell: it was not looked at yet, or it does not answer."""
    found: bool | None = _works(state, live, "vault", True, False, None)
    hangs = state.health.vault_code == "VAULT_NOT_RESPONDING"
    return None if found is False and hangs else found


def _ollama(state: State, live: Live) -> str:
    """A server that answers is up, also when it does not have the model."""
    lost = state.health.lost.get("ollama")
    if is_recorded(state, live) and lost is not None and lost.code == "OLLAMA_MODEL_MISSING":
        return "up"
    return str(_works(state, live, "ollama", "up", "down", "unknown"))


def _told(reason: Reason, state: State, live: Live) -> dict[str, Any]:
    message, suggestion = explain(reason.code, state, live.model)
    return {
        "code": reason.code,
        "state": reason.state,
        "since": reason.since,
        "message": message,
        "suggestion": suggestion,
        "recoverable": CODES[reason.code].recoverable,
    }


def _index(catalog: Catalog, live: Live) -> dict[str, Any] | None:
    """The index that serves; the model's digest is known while it is open."""
    index = catalog.index
    if index is None:
        return None
    model = named(index.model) if index.provider == "embedded" else None
    return {
        "generation": index.generation,
        "provider": index.provider,
        "model": index.model,
        "dimensions": index.dimensions,
        "fingerprint": index.fingerprint,
        "digest": live.index_digest,
        "passed_over": passed_over(index, live.model),
        "language": model.language if model is not None else None,
        "language_hint": language_hint(index, catalog.languages, live.language),
    }


def _building(catalog: Catalog) -> dict[str, Any] | None:
    """The index that is built beside the one that serves."""
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


def _active(state: State, made: Mapping[str, int]) -> dict[str, Any] | None:
    """The job that runs or waits to; else the one whose vectors are being made."""
    if job := state.jobs.active:
        return _open(job)
    job = progress.makes_vectors(state)
    if job is None:
        return None
    now = progress.line(state, job, made)
    counts = {"current": now["current"], "total": now["total"]}
    share = now["current"] / max(now["total"], 1)
    return {**_open(job), "phase": "vectors", "progress": share, **counts}


def _last(state: State) -> dict[str, Any] | None:
    """The job that ended last; not the one that is shown as active."""
    filling = None if state.jobs.active else progress.makes_vectors(state)
    ended = [job for job in state.jobs.finished if job is not filling]
    if not ended:
        return None
    return _finished(max(ended, key=lambda job: job.ended_at or job.finished_at or ""))


def _open(job: Job) -> dict[str, Any]:
    counts = {"current": job.files_stored, "total": job.files_planned}
    return {
        "id": job.id,
        "mode": job.mode,
        "phase": job.phase,
        "progress": job.progress,
        **counts,
    }


def _finished(job: Job) -> dict[str, Any]:
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


def _listed(files: dict[str, str], what: str) -> dict[str, Any]:
    first = sorted(files.items())[:LISTED_MAX]
    return {"total": len(files), "files": [{"path": path, what: why} for path, why in first]}
