"""Every fact that the daemon can record.

A fact is something that has happened, in the past tense. It never contains note text, a query, a
vector or a secret. `detail` and `reason` fields contain phrases from closed lists, so no note text
can get into the log through them.

Each module lists the facts of one or two actors. A comment next to a field explains it, unless its
name or the fact's docstring does. `make docs` makes docs/events.md from these modules.

To add a field, give it a default. A breaking change makes `v` a required field of the struct with
the next number, and adds one pure upcast to `UPCASTS` in eventlog/codec.py. A fact of an unknown
type, or of a later version, is kept as `Unknown`: every fold skips it, and it is never an error.
"""

from typing import get_args

from ragd.events.batch_facts import (
    BatchEmbedded,
    ChangesetFormed,
    DeletionsHeld,
    EmbeddingFailed,
    FileFailed,
    FileSkipped,
    FilesTouched,
    HeldCollection,
    JobStarted,
    TouchedFile,
)
from ragd.events.daemon_facts import (
    ActorCrashed,
    ConfigReloaded,
    DaemonStarted,
    DaemonStopped,
    SegmentQuarantined,
    TailCut,
)
from ragd.events.fact import (
    ERRORS_MAX,
    PART_MAX_BYTES,
    RECORD_MAX_BYTES,
    ChangeKind,
    Dependency,
    Fact,
    Mode,
    Outcome,
    PreviousStop,
    SplitFact,
    Unknown,
)
from ragd.events.health_facts import DependencyLost, DependencyRecovered, HealthChanged
from ragd.events.index_facts import (
    BatchStored,
    FileError,
    FilledFile,
    IndexActivated,
    IndexBuilding,
    IndexLost,
    JobFinished,
    RecountedFile,
    StoreCompacted,
    StoredFile,
    VectorsFilled,
    VectorsRecounted,
)
from ragd.events.request_facts import (
    ApprovalDecided,
    ApprovalRequested,
    JobCancelRequested,
    JobRequested,
    MemoryForgotten,
    MemoryStored,
    RequestRefused,
    SyncPaused,
    SyncResumed,
    TokenCreated,
    TokenRevoked,
    TokenUsed,
    UseOutcome,
)
from ragd.events.vault_facts import (
    FileChange,
    FilesChanged,
    GoneReason,
    KindCount,
    LanguageCount,
    ScannedCollection,
    TemplateFolder,
    VaultScanned,
    VaultUnavailable,
    WatchLost,
    WatchStarted,
)

__all__ = [
    "ERRORS_MAX",
    "EVENT_TYPES",
    "PART_MAX_BYTES",
    "RECORD_MAX_BYTES",
    "TAGS",
    "ActorCrashed",
    "ApprovalDecided",
    "ApprovalRequested",
    "BatchEmbedded",
    "BatchStored",
    "ChangeKind",
    "ChangesetFormed",
    "ConfigReloaded",
    "DaemonStarted",
    "DaemonStopped",
    "DeletionsHeld",
    "Dependency",
    "DependencyLost",
    "DependencyRecovered",
    "EmbeddingFailed",
    "Event",
    "Fact",
    "FileChange",
    "FileError",
    "FileFailed",
    "FileSkipped",
    "FilesChanged",
    "FilesTouched",
    "FilledFile",
    "GoneReason",
    "HealthChanged",
    "HeldCollection",
    "IndexActivated",
    "IndexBuilding",
    "IndexLost",
    "JobCancelRequested",
    "JobFinished",
    "JobRequested",
    "JobStarted",
    "KindCount",
    "LanguageCount",
    "MemoryForgotten",
    "MemoryStored",
    "Mode",
    "Outcome",
    "PreviousStop",
    "RecountedFile",
    "RequestRefused",
    "ScannedCollection",
    "SegmentQuarantined",
    "SplitFact",
    "StoreCompacted",
    "StoredFile",
    "SyncPaused",
    "SyncResumed",
    "TailCut",
    "TemplateFolder",
    "TokenCreated",
    "TokenRevoked",
    "TokenUsed",
    "TouchedFile",
    "Unknown",
    "UseOutcome",
    "VaultScanned",
    "VaultUnavailable",
    "VectorsFilled",
    "VectorsRecounted",
    "WatchLost",
    "WatchStarted",
    "tag_of",
    "tag_of_type",
]

Event = (
    DaemonStarted
    | DaemonStopped
    | ConfigReloaded
    | ActorCrashed
    | TailCut
    | SegmentQuarantined
    | WatchStarted
    | WatchLost
    | FilesChanged
    | VaultScanned
    | VaultUnavailable
    | JobRequested
    | JobCancelRequested
    | SyncPaused
    | SyncResumed
    | MemoryStored
    | MemoryForgotten
    | RequestRefused
    | ApprovalRequested
    | ApprovalDecided
    | TokenCreated
    | TokenRevoked
    | TokenUsed
    | JobStarted
    | ChangesetFormed
    | FilesTouched
    | FileSkipped
    | FileFailed
    | DeletionsHeld
    | BatchEmbedded
    | EmbeddingFailed
    | BatchStored
    | VectorsFilled
    | VectorsRecounted
    | StoreCompacted
    | IndexBuilding
    | IndexActivated
    | IndexLost
    | JobFinished
    | DependencyLost
    | DependencyRecovered
    | HealthChanged
    | Unknown
)

EVENT_TYPES: tuple[type[Fact], ...] = get_args(Event)
TAGS: dict[str, type[Fact]] = {t.__struct_config__.tag: t for t in EVENT_TYPES}  # type: ignore[misc]


def tag_of(event: Fact) -> str:
    """The name of this fact in the log."""
    return event.name if isinstance(event, Unknown) else str(event.__struct_config__.tag)


def tag_of_type(kind: type[Fact]) -> str:
    """The name in the log of facts of this type."""
    return str(kind.__struct_config__.tag)
