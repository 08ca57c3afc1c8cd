"""Which dependencies work, and which health reasons follow: a fold. Pure; it reads no clock.

Each handler applies one fact to the state of a dependency. `update_reasons` then applies the
table in health_reasons.py.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from msgspec import structs

from ragd.errors import HEALTHY, worse
from ragd.eventlog.frame import Record
from ragd.events import (
    BatchStored,
    ConfigReloaded,
    DaemonStarted,
    DeletionsHeld,
    DependencyLost,
    DependencyRecovered,
    EmbeddingFailed,
    GoneReason,
    IndexActivated,
    IndexLost,
    JobFinished,
    SegmentQuarantined,
    VaultScanned,
    VaultUnavailable,
    WatchLost,
    WatchStarted,
)
from ragd.folds.catalog import Catalog
from ragd.folds.health_reasons import (
    REASONS,
    Health,
    LostCollection,
    LostDependency,
    RaisedReason,
)
from ragd.vault.collection_paths import VAULT

_DEPENDENCY_OF_CODE = {
    "OLLAMA_UNREACHABLE": "ollama",
    "OLLAMA_MODEL_MISSING": "ollama",
    "EMBEDDER_UNAVAILABLE": "embedder",
    "INDEX_MODEL_MISMATCH": "model",
    "DIMENSIONS_MISMATCH": "model",
}
_CERTAIN_AT_ONCE = ("DIMENSIONS_MISMATCH",)  # one failed call proves these


def _daemon_started(health: Health, event: DaemonStarted, record: Record) -> None:
    """A new run has probed nothing yet. Reasons that only a job can clear stay."""
    health.starting = True
    health.provider = event.provider
    health.seen.clear()
    health.lost.clear()
    health.vault_suspect = False
    health.watch_lost = False
    health.watch = None
    health.lost_collections.clear()
    health.watches.clear()
    health.unwatched.clear()


def _config_reloaded(health: Health, event: ConfigReloaded, record: Record) -> None:
    health.provider = event.provider
    _forget_collections(health, event.collections)


def _forget_collections(health: Health, kept: Collection[str]) -> None:
    """Only these collections are configured, besides the vault."""
    for known in (health.lost_collections, health.watches):
        for name in [name for name in known if name not in kept]:
            del known[name]
    health.unwatched.intersection_update(kept)
    if any(name not in (*kept, VAULT) for name in health.held):
        health.held = {name: health.held[name] for name in health.held if name in (*kept, VAULT)}
        health.deletions_held = sum(health.held.values())


def _dependency_lost(health: Health, event: DependencyLost, record: Record) -> None:
    if event.collection:
        _lose_collection(health, event.collection, "not_responding", record)
        return
    health.seen.add(event.dependency)
    if event.dependency == "index":
        health.starting = False
    lost = LostDependency(event.code, event.since or record.ts, event.configured, event.made)
    _lose(health, event.dependency, lost)


def _lose(health: Health, dependency: str, lost: LostDependency) -> None:
    """A dependency that is lost with the same code again keeps its `since`."""
    known = health.lost.get(dependency)
    if known is None or structs.replace(known, since=lost.since) != lost:
        health.lost[dependency] = lost


def _lose_collection(
    health: Health,
    name: str,
    reason: GoneReason | Literal["not_responding"],
    record: Record,
) -> None:
    """A collection that is lost for another reason keeps its `since`."""
    known = health.lost_collections.get(name)
    since = known.since if known is not None else record.ts
    health.lost_collections[name] = LostCollection(reason, since)


def _dependency_recovered(health: Health, event: DependencyRecovered, record: Record) -> None:
    if event.collection:
        lost = health.lost_collections.get(event.collection)
        if lost is not None and not lost.is_suspect:
            del health.lost_collections[event.collection]
        return
    health.seen.add(event.dependency)
    if event.dependency == "index":
        health.starting = False
    health.lost.pop(event.dependency, None)


def _embedding_failed(health: Health, event: EmbeddingFailed, record: Record) -> None:
    """A call that failed twice counts as much as a probe. A single failure does not count."""
    dependency = _DEPENDENCY_OF_CODE.get(event.code)
    if dependency is not None and (event.attempt > 1 or event.code in _CERTAIN_AT_ONCE):
        _lose(
            health, dependency, LostDependency(event.code, record.ts, event.configured, event.made)
        )


def _vault_unavailable(health: Health, event: VaultUnavailable, record: Record) -> None:
    if event.collection:
        _lose_collection(health, event.collection, event.reason, record)
    else:
        _lose_vault(health, event.reason, record)


def _lose_vault(health: Health, reason: str, record: Record) -> None:
    if reason == "not_responding":
        _lose(health, "vault", LostDependency("VAULT_NOT_RESPONDING", record.ts))
    elif reason in ("missing", "unreadable", "overlaps"):
        _lose(health, "vault", LostDependency("VAULT_NOT_FOUND", record.ts))
    else:
        health.vault_suspect = True  # only a scan can clear it: a probe sees no difference


def _vault_scanned(health: Health, event: VaultScanned, record: Record) -> bool:
    before = _inputs_of_scan(health)
    health.lost.pop("scan", None)
    _forget_collections(health, [one.collection for one in event.collections])
    found = {one.collection for one in event.collections if not one.gone}
    if not event.collections or VAULT in found:
        health.vault_suspect = False
        health.lost.pop("vault", None)
    for one in event.collections:
        if one.collection == VAULT:
            if one.gone:
                _lose_vault(health, one.gone, record)
        elif one.gone:
            _lose_collection(health, one.collection, one.gone, record)
        else:
            health.lost_collections.pop(one.collection, None)
    return before != _inputs_of_scan(health)


def _inputs_of_scan(health: Health) -> tuple[object, ...]:
    """What a scan can change, as far as a reason reads it."""
    return (
        health.lost.copy(),
        health.vault_suspect,
        health.deletions_held,
        bool(health.unwatched),
        bool(health.lost_collections),
    )


def _batch_stored(health: Health, event: BatchStored, record: Record) -> bool:
    if not event.files or not health.is_index_missing:
        return False
    health.lost.pop("index")
    health.index_removed = False
    return True


def _watch_lost(health: Health, event: WatchLost, record: Record) -> None:
    if event.collection:
        health.unwatched.add(event.collection)
        health.watches.pop(event.collection, None)
        return
    health.watch_lost = True
    health.watch = None


def _watch_started(health: Health, event: WatchStarted, record: Record) -> None:
    if event.collection:
        health.unwatched.discard(event.collection)
        health.watches[event.collection] = event.how
        return
    health.watch_lost = False
    health.watch = event.how


def _segment_quarantined(health: Health, event: SegmentQuarantined, record: Record) -> None:
    health.quarantined = True


def _deletions_held(health: Health, event: DeletionsHeld, record: Record) -> None:
    health.deletions_held = event.count
    health.held = {one.collection: one.count for one in event.collections if one.count}


def _index_activated(health: Health, event: IndexActivated, record: Record) -> None:
    health.starting = False
    health.index_removed = False
    health.lost.pop("index", None)
    _forget_model_mismatch(health)


def _forget_model_mismatch(health: Health) -> None:
    """Another index serves, or none, so the previous one's mismatch no longer matters. A wrong
    `embedding.dimensions` still does."""
    lost = health.lost.get("model")
    if lost is not None and lost.code != "DIMENSIONS_MISMATCH":
        health.lost.pop("model")


def _index_lost(health: Health, event: IndexLost, record: Record) -> None:
    if event.generation:
        return  # it was still being built
    health.starting = False
    health.lost.pop("index", None)  # no longer damaged: INDEX_NOT_FOUND follows
    _forget_model_mismatch(health)
    health.index_removed = event.reason == "missing"
    if event.reason == "missing":  # so that its return is recorded
        _lose(health, "index", LostDependency("INDEX_NOT_FOUND", record.ts))
    health.deletions_held = 0
    health.held = {}


def _job_finished(health: Health, event: JobFinished, record: Record) -> bool:
    if event.outcome == "cancelled":
        return False
    before = health.job_failed, health.quarantined, "index" in health.lost
    health.job_failed = event.outcome == "failed"
    health.job_code = event.code
    if not health.job_failed and event.mode != "sync":
        health.quarantined = False
        if event.mode == "reindex":
            health.lost.pop("index", None)
    return before != (health.job_failed, health.quarantined, "index" in health.lost)


# The facts of every sync return whether they changed anything that a reason reads. After all
# others, which are rare, the reasons are computed again.
HANDLERS: Mapping[type, Callable[[Health, Any, Record], bool | None]] = {
    DaemonStarted: _daemon_started,
    ConfigReloaded: _config_reloaded,
    DependencyLost: _dependency_lost,
    DependencyRecovered: _dependency_recovered,
    EmbeddingFailed: _embedding_failed,
    VaultUnavailable: _vault_unavailable,
    VaultScanned: _vault_scanned,
    WatchLost: _watch_lost,
    WatchStarted: _watch_started,
    SegmentQuarantined: _segment_quarantined,
    DeletionsHeld: _deletions_held,
    BatchStored: _batch_stored,
    IndexActivated: _index_activated,
    IndexLost: _index_lost,
    JobFinished: _job_finished,
}


def update_reasons(health: Health, catalog: Catalog, record: Record) -> None:
    """Compute which reasons hold now. One that held already keeps its `since`."""
    reasons: dict[str, RaisedReason] = {}
    states: dict[str, str] = {}
    state = HEALTHY
    for reason in REASONS:
        if not reason.holds(health, catalog):
            continue
        code = reason.code
        states[code] = reason.state(catalog)
        state = worse(state, states[code])
        reasons[code] = health.reasons.get(code) or RaisedReason(
            reason.since(health, record), record.seq
        )
    health.reasons, health.states, health.state = reasons, states, state
    _forget_solved(health, catalog)


def _forget_solved(health: Health, catalog: Catalog) -> None:
    """Clear what no probe has to confirm: no vector is missing, or no change waits."""
    if not catalog.backlog:
        health.lost.pop("vectors", None)
    if "freshness" in health.lost and not catalog.has_waiting_notes:
        health.lost.pop("freshness")
