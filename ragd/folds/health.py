"""How well the daemon can serve, and why: a fold. Pure; time enters only as a fact.

`REASONS` is the whole table. A reason holds or not after each record; the state is the worst of
those that hold, and no reasons is `healthy`. What a reason says to a person is in ragd.errors.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from ragd.errors import CODES, DEGRADED, HEALTHY, SEVERITY, UNAVAILABLE, worse
from ragd.eventlog.frame import Record
from ragd.events import (
    BatchStored,
    ConfigReloaded,
    DaemonStarted,
    DeletionsHeld,
    DependencyLost,
    DependencyRecovered,
    FileFailed,
    FileSkipped,
    IndexActivated,
    IndexLost,
    JobFinished,
    SegmentQuarantined,
    VaultScanned,
    VaultUnavailable,
    VectorsFilled,
    WatchLost,
    WatchStarted,
)
from ragd.folds.catalog import Catalog


class Lost(Struct, frozen=True):
    """A dependency that does not work: as which code, and since when."""

    code: str
    since: str


class Raised(Struct, frozen=True):
    """A reason that holds: since when, and the record that raised it."""

    since: str
    seq: int


class Health(Struct):
    """What the folded facts say about each dependency, and the reasons that follow."""

    starting: bool = False
    provider: str = "auto"  # as configured
    seen: set[str] = field(default_factory=set)  # dependencies this run has looked at
    lost: dict[str, Lost] = field(default_factory=dict)
    watch_lost: bool = False
    quarantined: bool = False
    deletions_held: int = 0
    job_failed: bool = False
    reasons: dict[str, Raised] = field(default_factory=dict)
    state: str = HEALTHY

    @property
    def worst_first(self) -> list[str]:
        """The codes that hold, the one to name first in front."""
        return sorted(self.reasons, key=lambda code: (-SEVERITY[self.states[code]], _ORDER[code]))

    # Set by `settle`: the state each present reason forces.
    states: dict[str, str] = field(default_factory=dict)


Condition = Callable[[Health, Catalog], bool]


class Reason(Struct, frozen=True):
    """One line of the table. `without_index`: the state it forces while no documents serve."""

    code: str
    holds: Condition
    raised_by: tuple[type, ...]
    cleared_by: tuple[type, ...]
    without_index: str | None = None

    def state(self, catalog: Catalog) -> str:
        if self.without_index is not None and not catalog.documents:
            return self.without_index
        declared = CODES[self.code].status
        assert declared is not None
        return declared


def _is_lost(dependency: str, code: str) -> Condition:
    def holds(health: Health, catalog: Catalog) -> bool:
        lost = health.lost.get(dependency)
        return lost is not None and lost.code == code

    return holds


def _provider_lost(dependency: str, code: str, provider: str) -> Condition:
    """A provider's absence matters if the index is in its space, or if it is to build the first."""
    lost = _is_lost(dependency, code)

    def holds(health: Health, catalog: Catalog) -> bool:
        wanted = catalog.index.provider if catalog.index is not None else health.provider
        return wanted == provider and lost(health, catalog)

    return holds


def _no_documents(health: Health, catalog: Catalog) -> bool:
    if health.starting or "INDEX_CORRUPTED" in _index_codes(health):
        return False
    return catalog.documents == 0 or "INDEX_NOT_FOUND" in _index_codes(health)


def _index_codes(health: Health) -> tuple[str, ...]:
    lost = health.lost.get("index")
    return (lost.code,) if lost is not None else ()


def _vectors_pending(health: Health, catalog: Catalog) -> bool:
    return catalog.backlog > 0 and "vectors" in health.lost


def _stale(health: Health, catalog: Catalog) -> bool:
    return bool(catalog.waiting) and "freshness" in health.lost


LOST, RECOVERED = DependencyLost, DependencyRecovered

REASONS: tuple[Reason, ...] = (
    Reason(
        "STARTING",
        lambda health, catalog: health.starting,
        (DaemonStarted,),
        (RECOVERED, LOST, IndexActivated, IndexLost),
    ),
    Reason(
        "INDEX_CORRUPTED",
        _is_lost("index", "INDEX_CORRUPTED"),
        (LOST,),
        (RECOVERED, IndexActivated, IndexLost),
    ),
    Reason(
        "INDEX_NOT_FOUND",
        _no_documents,
        (DaemonStarted, LOST, IndexLost, BatchStored),
        (BatchStored, RECOVERED, IndexActivated),
    ),
    Reason(
        "INDEXER_FAILED",
        lambda health, catalog: health.job_failed,
        (JobFinished,),
        (JobFinished,),
        without_index=UNAVAILABLE,
    ),
    Reason(
        "VAULT_NOT_FOUND",
        _is_lost("vault", "VAULT_NOT_FOUND"),
        (VaultUnavailable, LOST),
        (VaultScanned, RECOVERED),
        without_index=UNAVAILABLE,
    ),
    Reason(
        "OLLAMA_UNREACHABLE",
        _provider_lost("ollama", "OLLAMA_UNREACHABLE", "ollama"),
        (LOST,),
        (RECOVERED, IndexActivated, ConfigReloaded),
    ),
    Reason(
        "EMBEDDER_UNAVAILABLE",
        _provider_lost("embedder", "EMBEDDER_UNAVAILABLE", "embedded"),
        (LOST,),
        (RECOVERED, IndexActivated, ConfigReloaded),
    ),
    Reason(
        "INDEX_MODEL_MISMATCH",
        _is_lost("model", "INDEX_MODEL_MISMATCH"),
        (LOST,),
        (RECOVERED, IndexActivated),
    ),
    Reason(
        "DISK_FULL",
        _is_lost("disk", "DISK_FULL"),
        (LOST,),
        (RECOVERED,),
    ),
    Reason(
        "LOG_QUARANTINED",
        lambda health, catalog: health.quarantined,
        (SegmentQuarantined,),
        (JobFinished,),
    ),
    Reason(
        "DELETIONS_HELD",
        lambda health, catalog: health.deletions_held > 0,
        (DeletionsHeld,),
        (DeletionsHeld, JobFinished),
    ),
    Reason(
        "INDEX_STALE",
        _stale,
        (LOST,),
        (BatchStored, VaultScanned, FileSkipped, FileFailed, RECOVERED),
    ),
    Reason(
        "WATCH_LOST",
        lambda health, catalog: health.watch_lost,
        (WatchLost,),
        (WatchStarted,),
    ),
    Reason(
        "VECTORS_PENDING",
        _vectors_pending,
        (LOST,),
        (VectorsFilled, BatchStored, RECOVERED),
    ),
)

_ORDER = {reason.code: i for i, reason in enumerate(REASONS)}


def _daemon_started(health: Health, event: DaemonStarted, record: Record) -> None:
    """A new run knows nothing of the world yet: probes will tell. What needs a job stays."""
    health.starting = True
    health.provider = event.provider
    health.seen.clear()
    health.lost.clear()
    health.watch_lost = False


def _config_reloaded(health: Health, event: ConfigReloaded, record: Record) -> None:
    health.provider = event.provider


def _dependency_lost(health: Health, event: DependencyLost, record: Record) -> None:
    health.seen.add(event.dependency)
    if event.dependency == "index":
        health.starting = False
    known = health.lost.get(event.dependency)
    if known is None or known.code != event.code:
        health.lost[event.dependency] = Lost(event.code, event.since or record.ts)


def _dependency_recovered(health: Health, event: DependencyRecovered, record: Record) -> None:
    health.seen.add(event.dependency)
    if event.dependency == "index":
        health.starting = False
    health.lost.pop(event.dependency, None)


def _vault_unavailable(health: Health, event: VaultUnavailable, record: Record) -> None:
    health.lost.setdefault("vault", Lost("VAULT_NOT_FOUND", record.ts))


def _vault_scanned(health: Health, event: VaultScanned, record: Record) -> None:
    health.lost.pop("vault", None)


def _watch_lost(health: Health, event: WatchLost, record: Record) -> None:
    health.watch_lost = True


def _watch_started(health: Health, event: WatchStarted, record: Record) -> None:
    health.watch_lost = False


def _segment_quarantined(health: Health, event: SegmentQuarantined, record: Record) -> None:
    health.quarantined = True


def _deletions_held(health: Health, event: DeletionsHeld, record: Record) -> None:
    health.deletions_held = event.count


def _index_activated(health: Health, event: IndexActivated, record: Record) -> None:
    health.starting = False
    health.lost.pop("index", None)
    health.lost.pop("model", None)


def _index_lost(health: Health, event: IndexLost, record: Record) -> None:
    health.starting = False
    health.lost.pop("index", None)  # nothing there to be damaged: INDEX_NOT_FOUND follows


def _job_finished(health: Health, event: JobFinished, record: Record) -> None:
    if event.outcome == "cancelled":
        return
    health.job_failed = event.outcome == "failed"
    if health.job_failed:
        return
    if event.mode != "sync":
        health.quarantined = False
    if event.mode == "reindex":
        health.deletions_held = 0
        health.lost.pop("index", None)


HANDLERS: Mapping[type, Callable[[Health, Any, Record], None]] = {
    DaemonStarted: _daemon_started,
    ConfigReloaded: _config_reloaded,
    DependencyLost: _dependency_lost,
    DependencyRecovered: _dependency_recovered,
    VaultUnavailable: _vault_unavailable,
    VaultScanned: _vault_scanned,
    WatchLost: _watch_lost,
    WatchStarted: _watch_started,
    SegmentQuarantined: _segment_quarantined,
    DeletionsHeld: _deletions_held,
    IndexActivated: _index_activated,
    IndexLost: _index_lost,
    JobFinished: _job_finished,
}


def settle(health: Health, catalog: Catalog, record: Record) -> None:
    """See which reasons hold now; one that held already keeps its `since`."""
    reasons: dict[str, Raised] = {}
    states: dict[str, str] = {}
    state = HEALTHY
    for reason in REASONS:
        if not reason.holds(health, catalog):
            continue
        code = reason.code
        states[code] = reason.state(catalog)
        state = worse(state, states[code])
        reasons[code] = health.reasons.get(code) or Raised(_since(health, code, record), record.seq)
    health.reasons, health.states, health.state = reasons, states, state
    _forget_what_passed(health, catalog)


def _since(health: Health, code: str, record: Record) -> str:
    return next((lost.since for lost in health.lost.values() if lost.code == code), record.ts)


def _forget_what_passed(health: Health, catalog: Catalog) -> None:
    """An empty backlog and an indexed change need no word from the monitor to be over."""
    if not catalog.backlog:
        health.lost.pop("vectors", None)
    if not catalog.waiting:
        health.lost.pop("freshness", None)


assert all(CODES[reason.code].status in (DEGRADED, UNAVAILABLE) for reason in REASONS)
