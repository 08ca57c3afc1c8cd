"""The status for an agent that may not see everything. Pure.

It has only fields that are known to show nothing of the other collections: a new field of the whole
status is not in it until it is added here.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ragd.access.scope import Scope
from ragd.folds import State
from ragd.gateway.scope_counts import ScopeCounts
from ragd.gateway.status import answer_meta, explained_error, first_files, reason_data
from ragd.health.current_health import CurrentHealth
from ragd.protocol.envelope import Envelope
from ragd.vault.collection_paths import VAULT

Data = dict[str, Any]

AS_THEY_ARE = ("last_sync", "ollama_status", "paused", "provider")
ABOUT_THE_INDEX = ("generation", "provider", "model", "dimensions", "passed_over", "language")
ABOUT_A_COLLECTION = (
    *("name", "notes", "passages", "state", "last_sync", "waiting", "private", "context"),
)
ABOUT_A_JOB = ("id", "mode", "phase", "outcome", "code", "finished_at")


def scoped_status(
    whole: Envelope,
    state: State,
    scope: Scope,
    counted: ScopeCounts,
    health: CurrentHealth,
    model: str,
) -> Envelope:
    """The status, limited to what is in scope. `health`: of the scope. `model`: as configured."""
    data, stored, catalog = whole.data, counted.stored, state.catalog
    limited: Data = {
        **{name: data[name] for name in AS_THEY_ARE},
        "plugin_health": health.state,
        "reasons": [reason_data(reason, state, model) for reason in health.reasons],
        "total_docs": stored.documents,
        "total_chunks": stored.chunks,
        "chunks_embedded": stored.embedded,
        "chunks_withheld": stored.withheld,
        "chunks_pending": stored.pending,
        "unindexed_files": counted.unindexed,
        "documents_waiting": counted.documents_waiting,
        "kinds": dict(stored.kinds),
        "active_job": _job(data["active_job"], scope),
        "last_job": _job(data["last_job"], scope),
        "vault": _vault(data["vault"], scope),
        "collections": [
            _picked(one, ABOUT_A_COLLECTION)
            for one in data["collections"]
            if one["name"] in scope.names
        ],
        "index": _picked(data["index"], ABOUT_THE_INDEX),
        "building": _picked(data["building"], ("generation",)),
        "skipped": first_files(_in_scope(catalog.skipped, scope), "reason"),
        "failed": first_files(
            _in_scope(catalog.failed, scope), "code", _in_scope(catalog.failures, scope)
        ),
        "version": data["version"],
    }
    about = answer_meta(state, whole.meta.query_time_ms, counted=counted)
    error = explained_error(health.codes, state, model)
    return Envelope(health.state, limited, error, about)


def _job(job: Data | None, scope: Scope) -> Data | None:
    """A job without its numbers: they count the notes of all collections."""
    if job is None:
        return None
    found = _picked(job, [name for name in ABOUT_A_JOB if name in job]) or {}
    if "errors" in job:
        found["errors"] = [error for error in job["errors"] if scope.includes(error.file)]
    return found


def _vault(vault: Data, scope: Scope) -> Data | None:
    if VAULT not in scope.names:
        return None
    templates = [one for one in vault["templates"] if scope.includes(one.path)]
    return {**(_picked(vault, ("path", "found", "watch")) or {}), "templates": templates}


def _in_scope(listed: Mapping[str, str], scope: Scope) -> dict[str, str]:
    return {path: why for path, why in listed.items() if scope.includes(path)}


def _picked(data: Data | None, names: Iterable[str]) -> Data | None:
    return None if data is None else {name: data[name] for name in names}
