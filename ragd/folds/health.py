"""How well the daemon can serve, and why: a fold. Pure; time enters only as a fact.

`REASONS` is the whole table. A reason holds or not after each record; the state is the worst of
those that hold, and no reasons is `healthy`. What a reason says to a person is in ragd.errors.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field, structs

from ragd.errors import CODES, DEGRADED, HEALTHY, SEVERITY, UNAVAILABLE, worse
from ragd.eventlog.frame import Record
from ragd.events import (
    BatchStored,
    ConfigReloaded,
    DaemonStarted,
    DeletionsHeld,
    Dependency,
    DependencyLost,
    DependencyRecovered,
    EmbeddingFailed,
    FileFailed,
    FilesChanged,
    FileSkipped,
    IndexActivated,
    IndexLost,
    JobFinished,
    SegmentQuarantined,
    VaultScanned,
    VaultUnavailable,
    VectorsFilled,
    VectorsRecounted,
    WatchLost,
    WatchStarted,
)
from ragd.folds.catalog import Catalog


class Lost(Struct, frozen=True):
    """A dependency that does not work: as which code, and since when.

    `configured`, `made`: sizes of vectors, where these two differ.
    """

    code: str
    since: str
    configured: int = 0
    made: int = 0


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
    vault_suspect: bool = False  # its root answers, but is empty or on another device
    watch_lost: bool = False
    watch: str | None = None  # how changes are noticed: native or polling
    quarantined: bool = False
    deletions_held: int = 0
    job_failed: bool = False
    job_code: str = ""  # why the job failed, if that is known
    index_removed: bool = False  # there was an index, and its folder is gone
    reasons: dict[str, Raised] = field(default_factory=dict)
    state: str = HEALTHY

    @property
    def is_vault_lost(self) -> bool:
        return self.vault_suspect or "vault" in self.lost

    @property
    def vault_code(self) -> str | None:
        """Why the vault cannot be used, if it cannot."""
        if not self.is_vault_lost:
            return None
        lost = self.lost.get("vault")
        hangs = lost is not None and lost.code == "VAULT_NOT_RESPONDING"
        return "VAULT_NOT_RESPONDING" if hangs else "VAULT_NOT_FOUND"

    @property
    def worst_first(self) -> list[str]:
        """The codes that hold: the worst first, and causes before their effects."""
        return sorted(
            self.reasons, key=lambda code: (-SEVERITY[self.states[code]], self.order(code))
        )

    def order(self, code: str) -> int:
        """By the table. A failed job comes last where another reason says why it failed."""
        is_explained = code == "INDEXER_FAILED" and self.job_code in self.reasons
        return len(REASONS) if is_explained else _ORDER[code]

    # Set by `settle`: the state each present reason forces.
    states: dict[str, str] = field(default_factory=dict)


Condition = Callable[[Health, Catalog], bool]

DEPENDENCY_OF: Mapping[str, Dependency] = {"ollama": "ollama", "embedded": "embedder"}  # provider


class Reason(Struct, frozen=True):
    """One line of the table.

    `dependencies`: those whose loss it tells of. `without_index`: the state it forces while no
    documents serve.
    """

    code: str
    holds: Condition
    raised_by: tuple[type, ...]
    cleared_by: tuple[type, ...]
    dependencies: tuple[str, ...] = ()
    without_index: str | None = None

    def state(self, catalog: Catalog) -> str:
        if self.without_index is not None and not catalog.documents:
            return self.without_index
        declared = CODES[self.code].status
        assert declared is not None
        return declared

    def since(self, health: Health, record: Record) -> str:
        lost = [health.lost[name].since for name in self.dependencies if name in health.lost]
        return min(lost, default=record.ts)


def _is_lost_as(dependency: str, code: str) -> Condition:
    def holds(health: Health, catalog: Catalog) -> bool:
        lost = health.lost.get(dependency)
        return lost is not None and lost.code == code

    return holds


def _is_lost_but_not_as(dependency: str, code: str) -> Condition:
    """A loss under a code that this version does not know is a loss, too."""
    is_that = _is_lost_as(dependency, code)
    return lambda health, catalog: dependency in health.lost and not is_that(health, catalog)


def _matters(provider: str, is_lost: Condition) -> Condition:
    """A provider's absence matters if the index is in its space, or if it is to build the first."""

    def holds(health: Health, catalog: Catalog) -> bool:
        wanted = catalog.index.provider if catalog.index is not None else health.provider
        return wanted == provider and is_lost(health, catalog)

    return holds


def _index_missing(health: Health) -> bool:
    lost = health.lost.get("index")
    return lost is not None and lost.code == "INDEX_NOT_FOUND"


_index_foreign = _is_lost_as("index", "INDEX_OF_ANOTHER_VAULT")


def _index_damaged(health: Health, catalog: Catalog) -> bool:
    """An index that is there, is ours and does not serve is damaged, whatever the probe says."""
    unusable = "index" in health.lost and not _index_missing(health)
    return unusable and not _index_foreign(health, catalog)


def _no_documents(health: Health, catalog: Catalog) -> bool:
    if health.starting or _index_damaged(health, catalog) or _index_foreign(health, catalog):
        return False
    # What a table is said to hold before it serves (it is taken over without a log) does not count.
    return catalog.index is None or catalog.documents == 0 or _index_missing(health)


def _vault_is(code: str) -> Condition:
    return lambda health, catalog: health.vault_code == code


def _vectors_pending(health: Health, catalog: Catalog) -> bool:
    return catalog.backlog > 0 and "vectors" in health.lost


def _stale(health: Health, catalog: Catalog) -> bool:
    return "scan" in health.lost or (bool(catalog.waiting) and "freshness" in health.lost)


LOST, RECOVERED = DependencyLost, DependencyRecovered

# In this order they are named when they are equally bad: causes before their effects.
REASONS: tuple[Reason, ...] = (
    Reason(
        "STARTING",
        lambda health, catalog: health.starting,
        (DaemonStarted,),
        (RECOVERED, LOST, IndexActivated, IndexLost),
    ),
    Reason(
        "VAULT_NOT_FOUND",
        _vault_is("VAULT_NOT_FOUND"),
        (VaultUnavailable, LOST),
        (VaultScanned, RECOVERED, LOST, DaemonStarted),
        dependencies=("vault",),
        without_index=UNAVAILABLE,
    ),
    Reason(
        "VAULT_NOT_RESPONDING",
        _vault_is("VAULT_NOT_RESPONDING"),
        (LOST,),
        (VaultScanned, VaultUnavailable, RECOVERED, LOST, DaemonStarted),
        dependencies=("vault",),
        without_index=UNAVAILABLE,
    ),
    Reason(
        "DISK_FULL",
        lambda health, catalog: bool({"disk", "store"} & health.lost.keys()),
        (LOST,),
        (RECOVERED, DaemonStarted),
        dependencies=("disk", "store"),
        without_index=UNAVAILABLE,
    ),
    Reason(
        "INDEX_OF_ANOTHER_VAULT",
        _index_foreign,
        (LOST,),
        (RECOVERED, LOST, IndexActivated, IndexLost, JobFinished, DaemonStarted),
        dependencies=("index",),
    ),
    Reason(
        "INDEX_CORRUPTED",
        _index_damaged,
        (LOST,),
        (RECOVERED, LOST, IndexActivated, IndexLost, JobFinished, DaemonStarted),
        dependencies=("index",),
    ),
    Reason(
        "OLLAMA_UNREACHABLE",
        _matters("ollama", _is_lost_but_not_as("ollama", "OLLAMA_MODEL_MISSING")),
        (LOST, EmbeddingFailed, IndexActivated, IndexLost, ConfigReloaded),
        (
            *(RECOVERED, LOST, EmbeddingFailed, IndexActivated, IndexLost),
            *(ConfigReloaded, DaemonStarted),
        ),
        dependencies=("ollama",),
    ),
    Reason(
        "OLLAMA_MODEL_MISSING",
        _matters("ollama", _is_lost_as("ollama", "OLLAMA_MODEL_MISSING")),
        (LOST, EmbeddingFailed, IndexActivated, IndexLost, ConfigReloaded),
        (
            *(RECOVERED, LOST, EmbeddingFailed, IndexActivated, IndexLost),
            *(ConfigReloaded, DaemonStarted),
        ),
        dependencies=("ollama",),
    ),
    Reason(
        "EMBEDDER_UNAVAILABLE",
        _matters("embedded", lambda health, catalog: "embedder" in health.lost),
        (LOST, EmbeddingFailed, IndexActivated, IndexLost, ConfigReloaded),
        (RECOVERED, IndexActivated, IndexLost, ConfigReloaded, DaemonStarted),
        dependencies=("embedder",),
    ),
    Reason(
        "DIMENSIONS_MISMATCH",
        _is_lost_as("model", "DIMENSIONS_MISMATCH"),
        (LOST, EmbeddingFailed),
        (RECOVERED, LOST, EmbeddingFailed, DaemonStarted),
        dependencies=("model",),
    ),
    Reason(
        "INDEX_MODEL_MISMATCH",
        _is_lost_but_not_as("model", "DIMENSIONS_MISMATCH"),
        (LOST, EmbeddingFailed),
        (RECOVERED, LOST, EmbeddingFailed, IndexActivated, IndexLost, DaemonStarted),
        dependencies=("model",),
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
        (DeletionsHeld, IndexLost),
    ),
    Reason(
        "INDEXER_FAILED",
        lambda health, catalog: health.job_failed,
        (JobFinished,),
        (JobFinished,),
        without_index=UNAVAILABLE,
    ),
    Reason(
        "INDEX_NOT_FOUND",
        _no_documents,
        (LOST, RECOVERED, IndexActivated, IndexLost, BatchStored, JobFinished),
        (BatchStored, IndexActivated, RECOVERED, LOST, JobFinished, DaemonStarted),
        dependencies=("index",),
    ),
    Reason(
        "WATCH_LOST",
        lambda health, catalog: health.watch_lost,
        (WatchLost,),
        (WatchStarted, DaemonStarted),
    ),
    Reason(
        "INDEX_STALE",
        _stale,
        (LOST,),
        (
            *(BatchStored, VaultScanned, FileSkipped, FileFailed, FilesChanged),
            *(RECOVERED, IndexLost, DaemonStarted),
        ),
        dependencies=("freshness", "scan"),
    ),
    Reason(
        "VECTORS_PENDING",
        _vectors_pending,
        (LOST,),
        (
            *(VectorsFilled, VectorsRecounted, BatchStored, RECOVERED),
            *(IndexActivated, IndexLost, DaemonStarted),
        ),
        dependencies=("vectors",),
    ),
)

_ORDER = {reason.code: i for i, reason in enumerate(REASONS)}


def forced_state(code: str, catalog: Catalog) -> str:
    """The state that this reason forces while it holds."""
    return REASONS[_ORDER[code]].state(catalog)


_MAKERS = {
    "OLLAMA_UNREACHABLE": "ollama",
    "OLLAMA_MODEL_MISSING": "ollama",
    "EMBEDDER_UNAVAILABLE": "embedder",
    "INDEX_MODEL_MISMATCH": "model",
    "DIMENSIONS_MISMATCH": "model",
}
_CERTAIN = ("DIMENSIONS_MISMATCH",)  # codes that one failed call proves


def _daemon_started(health: Health, event: DaemonStarted, record: Record) -> None:
    """A new run knows nothing of the world yet: probes will tell. What needs a job stays."""
    health.starting = True
    health.provider = event.provider
    health.seen.clear()
    health.lost.clear()
    health.vault_suspect = False
    health.watch_lost = False
    health.watch = None


def _config_reloaded(health: Health, event: ConfigReloaded, record: Record) -> None:
    health.provider = event.provider


def _dependency_lost(health: Health, event: DependencyLost, record: Record) -> None:
    health.seen.add(event.dependency)
    if event.dependency == "index":
        health.starting = False
    lost = Lost(event.code, event.since or record.ts, event.configured, event.made)
    _lose(health, event.dependency, lost)


def _lose(health: Health, dependency: str, lost: Lost) -> None:
    """What is lost for the same reason is lost since it was first said."""
    known = health.lost.get(dependency)
    if known is None or structs.replace(known, since=lost.since) != lost:
        health.lost[dependency] = lost


def _dependency_recovered(health: Health, event: DependencyRecovered, record: Record) -> None:
    health.seen.add(event.dependency)
    if event.dependency == "index":
        health.starting = False
    health.lost.pop(event.dependency, None)


def _embedding_failed(health: Health, event: EmbeddingFailed, record: Record) -> None:
    """A call that failed twice says as much as a probe; a blip says nothing."""
    dependency = _MAKERS.get(event.code)
    if dependency is not None and (event.attempt > 1 or event.code in _CERTAIN):
        _lose(health, dependency, Lost(event.code, record.ts, event.configured, event.made))


def _vault_unavailable(health: Health, event: VaultUnavailable, record: Record) -> None:
    if event.reason in ("missing", "unreadable"):
        _lose(health, "vault", Lost("VAULT_NOT_FOUND", record.ts))
    else:
        health.vault_suspect = True  # a probe of the root would not see that: only a scan can


def _vault_scanned(health: Health, event: VaultScanned, record: Record) -> None:
    health.vault_suspect = False
    for known_now in ("vault", "scan"):
        health.lost.pop(known_now, None)


def _batch_stored(health: Health, event: BatchStored, record: Record) -> None:
    if event.files and _index_missing(health):
        health.lost.pop("index")
        health.index_removed = False


def _watch_lost(health: Health, event: WatchLost, record: Record) -> None:
    health.watch_lost = True
    health.watch = None


def _watch_started(health: Health, event: WatchStarted, record: Record) -> None:
    health.watch_lost = False
    health.watch = event.how


def _segment_quarantined(health: Health, event: SegmentQuarantined, record: Record) -> None:
    health.quarantined = True


def _deletions_held(health: Health, event: DeletionsHeld, record: Record) -> None:
    health.deletions_held = event.count


def _index_activated(health: Health, event: IndexActivated, record: Record) -> None:
    health.starting = False
    health.index_removed = False
    health.lost.pop("index", None)
    _index_model_known(health)


def _index_model_known(health: Health) -> None:
    """Another index, or none, is compared with the model. Sizes are not the index's business."""
    lost = health.lost.get("model")
    if lost is not None and lost.code != "DIMENSIONS_MISMATCH":
        health.lost.pop("model")


def _index_lost(health: Health, event: IndexLost, record: Record) -> None:
    if event.generation:
        return  # not the one that serves
    health.starting = False
    health.lost.pop("index", None)  # nothing there to be damaged: INDEX_NOT_FOUND follows
    _index_model_known(health)
    health.index_removed = event.reason == "missing"
    if event.reason == "missing":  # so that its return is news
        _lose(health, "index", Lost("INDEX_NOT_FOUND", record.ts))
    health.deletions_held = 0


def _job_finished(health: Health, event: JobFinished, record: Record) -> None:
    if event.outcome == "cancelled":
        return
    health.job_failed = event.outcome == "failed"
    health.job_code = event.code
    if health.job_failed:
        return
    if event.mode != "sync":
        health.quarantined = False
    if event.mode == "reindex":
        health.lost.pop("index", None)


HANDLERS: Mapping[type, Callable[[Health, Any, Record], None]] = {
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
        reasons[code] = health.reasons.get(code) or Raised(reason.since(health, record), record.seq)
    health.reasons, health.states, health.state = reasons, states, state
    _forget_what_passed(health, catalog)


def _forget_what_passed(health: Health, catalog: Catalog) -> None:
    """An empty backlog and an indexed change need no word from the monitor to be over."""
    if not catalog.backlog:
        health.lost.pop("vectors", None)
    if not catalog.waiting:
        health.lost.pop("freshness", None)


assert all(CODES[reason.code].status in (DEGRADED, UNAVAILABLE) for reason in REASONS)
