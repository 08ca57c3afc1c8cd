"""Every reason why the daemon cannot serve fully: what raises it, what clears it. Pure.

`REASONS` is the table; it reads no clock and no disk. After each record, `health.update_reasons`
calls `holds` of every reason: one that no longer holds is cleared. The health state is the worst
state of the reasons that hold. The messages for people are in ragd.errors.
"""

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct, field

from ragd.errors import CODES, DEGRADED, HEALTHY, SEVERITY, UNAVAILABLE
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
    GoneReason,
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
from ragd.vault.collection_paths import VAULT


class LostDependency(Struct, frozen=True):
    """A dependency that does not work: its error code, and since when.

    `configured`, `made`: vector sizes, where these two differ.
    """

    code: str
    since: str
    configured: int = 0
    made: int = 0


class RaisedReason(Struct, frozen=True):
    """A reason that holds: since when, and the record that raised it."""

    since: str
    seq: int


class LostCollection(Struct, frozen=True):
    """A collection that cannot be used: why, and since when."""

    reason: GoneReason | Literal["not_responding"]
    since: str

    @property
    def is_suspect(self) -> bool:
        """Whether its root answers, but is empty or on another device: only a scan can clear it."""
        return self.reason in ("empty", "moved")


class Health(Struct):
    """Which dependencies are lost, and the reasons that hold. Its fold is in health.py."""

    starting: bool = False
    provider: str = "auto"  # as configured
    seen: set[str] = field(default_factory=set)  # dependencies that were probed in this run
    lost: dict[str, LostDependency] = field(default_factory=dict)
    vault_suspect: bool = False  # its root answers, but is empty or on another device
    watch_lost: bool = False
    watch: str | None = None  # how changes are noticed: native or polling
    quarantined: bool = False
    deletions_held: int = 0  # in all collections
    held: dict[str, int] = field(default_factory=dict)  # deletions, by collection
    # Collections besides the vault: which cannot be used, and how the others are watched.
    lost_collections: dict[str, LostCollection] = field(default_factory=dict)
    watches: dict[str, str] = field(default_factory=dict)
    unwatched: set[str] = field(default_factory=set)
    job_failed: bool = False
    job_code: str = ""  # why the job failed, if that is known
    index_removed: bool = False  # the folder of the index that served is gone
    reasons: dict[str, RaisedReason] = field(default_factory=dict)
    state: str = HEALTHY

    # Set by `update_reasons`: the state that each reason in `reasons` forces.
    states: dict[str, str] = field(default_factory=dict)

    @property
    def is_vault_lost(self) -> bool:
        return self.vault_suspect or "vault" in self.lost

    @property
    def vault_code(self) -> str | None:
        """The error code while the vault cannot be used."""
        if not self.is_vault_lost:
            return None
        lost = self.lost.get("vault")
        hangs = lost is not None and lost.code == "VAULT_NOT_RESPONDING"
        return "VAULT_NOT_RESPONDING" if hangs else "VAULT_NOT_FOUND"

    def held_in(self, collection: str) -> int:
        """How many deletions are held in this collection."""
        if not self.held and collection == VAULT:  # older records have only the total
            return self.deletions_held
        return self.held.get(collection, 0)

    def is_lost(self, collection: str) -> bool:
        """Whether the root of this collection cannot be used."""
        return self.is_vault_lost if collection == VAULT else collection in self.lost_collections

    def is_hanging(self, collection: str) -> bool:
        """Whether the disk or mount of this collection does not respond."""
        if collection == VAULT:
            return self.vault_code == "VAULT_NOT_RESPONDING"
        lost = self.lost_collections.get(collection)
        return lost is not None and lost.reason == "not_responding"

    @property
    def worst_first(self) -> list[str]:
        """The codes that hold: the worst first, and causes before their effects."""
        return sorted(
            self.reasons, key=lambda code: (-SEVERITY[self.states[code]], self.position(code))
        )

    @property
    def is_index_missing(self) -> bool:
        """Whether a probe found no index."""
        lost = self.lost.get("index")
        return lost is not None and lost.code == "INDEX_NOT_FOUND"

    def position(self, code: str) -> int:
        """The order in the table. A failed job comes last if another reason explains it."""
        is_explained = code == "INDEXER_FAILED" and self.job_code in self.reasons
        return len(REASONS) if is_explained else _ORDER[code]


Condition = Callable[[Health, Catalog], bool]

DEPENDENCY_OF: Mapping[str, Dependency] = {"ollama": "ollama", "embedded": "embedder"}  # provider


class HealthReason(Struct, frozen=True):
    """One line of the table.

    `holds` alone decides. `raised_by` and `cleared_by` name the facts that can change it: the pages
    of docs/ show them, and tests check them. `dependencies`: the lost ones that it reports.
    `without_index`: the state that it forces while no documents serve.
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
    """Whether it is lost with another code, including codes that this version does not know."""
    is_that = _is_lost_as(dependency, code)
    return lambda health, catalog: dependency in health.lost and not is_that(health, catalog)


def _matters(provider: str, is_lost: Condition) -> Condition:
    """An absent provider matters if it made the index, or is configured to make the first one."""

    def holds(health: Health, catalog: Catalog) -> bool:
        wanted = catalog.index.provider if catalog.index is not None else health.provider
        return wanted == provider and is_lost(health, catalog)

    return holds


_index_foreign = _is_lost_as("index", "INDEX_OF_ANOTHER_VAULT")


def _index_damaged(health: Health, catalog: Catalog) -> bool:
    """An index of this vault that exists and does not serve is damaged, whatever its code."""
    unusable = "index" in health.lost and not health.is_index_missing
    return unusable and not _index_foreign(health, catalog)


def _no_documents(health: Health, catalog: Catalog) -> bool:
    if health.starting or _index_damaged(health, catalog) or _index_foreign(health, catalog):
        return False
    # A table that is adopted without a log has documents before it serves: they do not count yet.
    return catalog.index is None or catalog.documents == 0 or health.is_index_missing


def _vault_is(code: str) -> Condition:
    return lambda health, catalog: health.vault_code == code


def _vectors_pending(health: Health, catalog: Catalog) -> bool:
    return catalog.backlog > 0 and "vectors" in health.lost


def _stale(health: Health, catalog: Catalog) -> bool:
    return "scan" in health.lost or ("freshness" in health.lost and catalog.has_waiting_notes)


LOST, RECOVERED = DependencyLost, DependencyRecovered
_STORE = ("UNSAFE", "DENIED", "BUCKET_MISSING", "UNREACHABLE", "FULL")
STORE_REASONS = (*(f"STORE_{one}" for one in _STORE), "INDEX_HELD")

# The order in which equally bad reasons are listed: causes before their effects.
REASONS: tuple[HealthReason, ...] = (
    HealthReason(
        "STARTING",
        lambda health, catalog: health.starting,
        (DaemonStarted,),
        (RECOVERED, LOST, IndexActivated, IndexLost),
    ),
    HealthReason(
        "VAULT_NOT_FOUND",
        _vault_is("VAULT_NOT_FOUND"),
        (VaultUnavailable, LOST, VaultScanned),
        (VaultScanned, RECOVERED, LOST, DaemonStarted),
        dependencies=("vault",),
        without_index=UNAVAILABLE,
    ),
    HealthReason(
        "VAULT_NOT_RESPONDING",
        _vault_is("VAULT_NOT_RESPONDING"),
        (LOST, VaultScanned),
        (VaultScanned, VaultUnavailable, RECOVERED, LOST, DaemonStarted),
        dependencies=("vault",),
        without_index=UNAVAILABLE,
    ),
    HealthReason(
        "COLLECTION_NOT_FOUND",
        lambda health, catalog: bool(health.lost_collections),
        (VaultUnavailable, LOST, VaultScanned),
        (VaultScanned, RECOVERED, ConfigReloaded, DaemonStarted),
    ),
    HealthReason(
        "DISK_FULL",
        lambda health, catalog: bool({"disk", "store"} & health.lost.keys()),
        (LOST,),
        (RECOVERED, DaemonStarted),
        dependencies=("disk", "store"),
        without_index=UNAVAILABLE,
    ),
    *(
        HealthReason(
            *(code, _is_lost_as("object_store", code), (LOST,), (RECOVERED, LOST, DaemonStarted)),
            dependencies=("object_store",),
            without_index=UNAVAILABLE,
        )
        for code in STORE_REASONS
    ),
    HealthReason(
        "INDEX_OF_ANOTHER_VAULT",
        _index_foreign,
        (LOST,),
        (RECOVERED, LOST, IndexActivated, IndexLost, JobFinished, DaemonStarted),
        dependencies=("index",),
    ),
    HealthReason(
        "INDEX_CORRUPTED",
        _index_damaged,
        (LOST,),
        (RECOVERED, LOST, IndexActivated, IndexLost, JobFinished, DaemonStarted),
        dependencies=("index",),
    ),
    HealthReason(
        "OLLAMA_UNREACHABLE",
        _matters("ollama", _is_lost_but_not_as("ollama", "OLLAMA_MODEL_MISSING")),
        (LOST, EmbeddingFailed, IndexActivated, IndexLost, ConfigReloaded),
        (
            *(RECOVERED, LOST, EmbeddingFailed, IndexActivated, IndexLost),
            *(ConfigReloaded, DaemonStarted),
        ),
        dependencies=("ollama",),
    ),
    HealthReason(
        "OLLAMA_MODEL_MISSING",
        _matters("ollama", _is_lost_as("ollama", "OLLAMA_MODEL_MISSING")),
        (LOST, EmbeddingFailed, IndexActivated, IndexLost, ConfigReloaded),
        (
            *(RECOVERED, LOST, EmbeddingFailed, IndexActivated, IndexLost),
            *(ConfigReloaded, DaemonStarted),
        ),
        dependencies=("ollama",),
    ),
    HealthReason(
        "EMBEDDER_UNAVAILABLE",
        _matters("embedded", lambda health, catalog: "embedder" in health.lost),
        (LOST, EmbeddingFailed, IndexActivated, IndexLost, ConfigReloaded),
        (RECOVERED, IndexActivated, IndexLost, ConfigReloaded, DaemonStarted),
        dependencies=("embedder",),
    ),
    HealthReason(
        "DIMENSIONS_MISMATCH",
        _is_lost_as("model", "DIMENSIONS_MISMATCH"),
        (LOST, EmbeddingFailed),
        (RECOVERED, LOST, EmbeddingFailed, DaemonStarted),
        dependencies=("model",),
    ),
    HealthReason(
        "INDEX_MODEL_MISMATCH",
        _is_lost_but_not_as("model", "DIMENSIONS_MISMATCH"),
        (LOST, EmbeddingFailed),
        (RECOVERED, LOST, EmbeddingFailed, IndexActivated, IndexLost, DaemonStarted),
        dependencies=("model",),
    ),
    HealthReason(
        "LOG_QUARANTINED",
        lambda health, catalog: health.quarantined,
        (SegmentQuarantined,),
        (JobFinished,),
    ),
    HealthReason(
        "DELETIONS_HELD",
        lambda health, catalog: health.deletions_held > 0,
        (DeletionsHeld,),
        (DeletionsHeld, IndexLost, VaultScanned, ConfigReloaded),
    ),
    HealthReason(
        "INDEXER_FAILED",
        lambda health, catalog: health.job_failed,
        (JobFinished,),
        (JobFinished,),
        without_index=UNAVAILABLE,
    ),
    HealthReason(
        "INDEX_NOT_FOUND",
        _no_documents,
        (LOST, RECOVERED, IndexActivated, IndexLost, BatchStored, JobFinished),
        (BatchStored, IndexActivated, RECOVERED, LOST, JobFinished, DaemonStarted),
        dependencies=("index",),
    ),
    HealthReason(
        "WATCH_LOST",
        lambda health, catalog: health.watch_lost or bool(health.unwatched),
        (WatchLost,),
        (WatchStarted, VaultScanned, ConfigReloaded, DaemonStarted),
    ),
    HealthReason(
        "INDEX_STALE",
        _stale,
        (LOST,),
        (
            *(BatchStored, VaultScanned, FileSkipped, FileFailed, FilesChanged),
            *(RECOVERED, IndexLost, DaemonStarted),
        ),
        dependencies=("freshness", "scan"),
    ),
    HealthReason(
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
    """The health state while this reason holds."""
    return REASONS[_ORDER[code]].state(catalog)


assert all(CODES[reason.code].status in (DEGRADED, UNAVAILABLE) for reason in REASONS)
