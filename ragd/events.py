"""Every fact the daemon can record: the whole vocabulary on one page.

A fact is something that has happened, in the past tense. It never holds note text, a query, a
vector or a secret; `detail` and `reason` fields take phrases from closed lists, so that nothing a
note says gets into the log by the back door.

A comment beside a field says what it means, unless its name or the fact's sentence does. The
catalogue in docs/events.md is made from this page (`make docs`).

How it grows: a new field gets a default. A breaking change makes `v` a required field of the
struct with the next number, and adds one pure upcast to `UPCASTS` in eventlog/codec.py. An unknown
type, or a version from the future, is kept as `Unknown`: skipped by every fold, counted, never an
error.
"""

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct, field

Mode = Literal["full", "sync", "reindex"]
Outcome = Literal["complete", "partial", "failed", "cancelled"]
ChangeKind = Literal["added", "modified", "deleted"]
PreviousStop = Literal["none", "clean", "crash"]
Dependency = Literal[
    "ollama",
    "embedder",
    "model",
    "vectors",
    "index",
    "store",
    "vault",
    "freshness",
    "scan",
    "disk",
]

RECORD_MAX_BYTES = 64 * 1024
PART_MAX_BYTES = 48 * 1024
ERRORS_MAX = 100


class Fact(Struct, frozen=True, kw_only=True, tag_field="type"):
    """What every fact has in common: its tag."""


class Part(Fact, frozen=True, kw_only=True):
    """A fact that lists files and may be split: folds act on the last part, on all of them."""

    part: int = 0  # counts from 0
    last: bool = True  # no more parts follow


# The daemon


class DaemonStarted(Fact, frozen=True, kw_only=True, tag="daemon_started"):
    """A run began. `provider` is the configured one, which decides what Ollama's absence means."""

    version: str  # of the daemon
    config_hash: str
    previous_stop: PreviousStop  # how the run before this one ended
    provider: str = "auto"


class DaemonStopped(Fact, frozen=True, kw_only=True, tag="daemon_stopped"):
    """A run ended in order: everything before this record is durable."""

    reason: str  # `requested`, or `refused`: it could not serve


class ConfigReloaded(Fact, frozen=True, kw_only=True, tag="config_reloaded"):
    """The configuration file was read again and took effect."""

    config_hash: str
    provider: str = "auto"  # the configured one


class ActorCrashed(Fact, frozen=True, kw_only=True, tag="actor_crashed"):
    """An actor raised. The exception's type and place, never its message."""

    name: str  # which actor
    exception: str  # its type
    location: str  # the place in our code


class TailCut(Fact, frozen=True, kw_only=True, tag="tail_cut"):
    """A torn tail, never acknowledged, was cut off; its bytes are kept in `kept_as`."""

    segment: str
    offset: int  # where in the segment it was cut
    size_bytes: int  # how much was cut off
    kept_as: str


class SegmentQuarantined(Fact, frozen=True, kw_only=True, tag="segment_quarantined"):
    """Durable records were damaged or missing. `kept_as` is empty if nothing was left to keep."""

    segment: str
    first_seq: int  # the first record that is lost
    last_seq: int  # the last one that may have been there
    reason: Literal["damaged", "missing", "header"]
    kept_as: str = ""


# Watcher


class WatchStarted(Fact, frozen=True, kw_only=True, tag="watch_started"):
    """Changes in the vault are being noticed; `how` is native or polling."""

    how: Literal["native", "polling"] = "native"


class WatchLost(Fact, frozen=True, kw_only=True, tag="watch_lost"):
    """The watch died; rescans go on."""

    reason: str  # the exception's type


class Change(Struct, frozen=True):
    """One path and what happened to it."""

    path: str
    kind: ChangeKind


class FilesChanged(Part, frozen=True, kw_only=True, tag="files_changed"):
    """Notes changed and then lay still."""

    changes: list[Change]  # one for each path


class TemplateFolder(Struct, frozen=True):
    """A folder of templates that was left out, and how many notes are in it."""

    path: str
    notes: int  # in it, at any depth


class LanguageCount(Struct, frozen=True):
    """How many notes of a sample are in a language."""

    code: str  # ISO 639-1
    notes: int  # of the sample


class VaultScanned(Fact, frozen=True, kw_only=True, tag="vault_scanned"):
    """The vault was walked and compared with the catalog."""

    files: int  # notes that were seen
    changed: int  # notes that are new or look changed
    removed: int  # notes of the index that are not there
    newest_mtime: str | None = None  # of all notes; null if there are none
    took_ms: int = 0
    began: str | None = None  # when it began
    began_seq: int = 0  # the last record before it: a change recorded later may not have been seen
    device: int = 0  # where the root lies, as the system numbers it
    templates: list[TemplateFolder] = field(default_factory=list)  # left out on purpose
    languages: list[LanguageCount] = field(default_factory=list)  # of a sample of notes


class VaultUnavailable(Fact, frozen=True, kw_only=True, tag="vault_unavailable"):
    """The vault's root is missing, empty, unreadable or on another device. Nothing is deleted."""

    reason: Literal["missing", "empty", "unreadable", "moved"]


# Tool gateway


class JobRequested(Fact, frozen=True, kw_only=True, tag="job_requested"):
    """Somebody asked for an indexing job."""

    job_id: str
    mode: Mode
    origin: str = "tool"  # a client; else why the daemon wants it, such as `retry`
    accept_deletions: bool = False  # a person agreed to what vanished


class JobCancelRequested(Fact, frozen=True, kw_only=True, tag="job_cancel_requested"):
    """Somebody asked for a job to stop."""

    job_id: str


class SyncPaused(Fact, frozen=True, kw_only=True, tag="sync_paused"):
    """Somebody wants nothing to be indexed up to a moment, unless it is asked for."""

    until: str  # the moment it ends


class SyncResumed(Fact, frozen=True, kw_only=True, tag="sync_resumed"):
    """The pause is over: somebody said so, or (the health monitor's word) its time is."""

    reason: Literal["requested", "elapsed"]


class MemoryStored(Fact, frozen=True, kw_only=True, tag="memory_stored"):
    """A memory was committed to its own store; only a keyed hash of its key is here."""

    key_hash: str


class MemoryForgotten(Fact, frozen=True, kw_only=True, tag="memory_forgotten"):
    """A memory was erased from its own store."""

    key_hash: str


class RequestRefused(Fact, frozen=True, kw_only=True, tag="request_refused"):
    """Requests were refused; at most one such fact a minute for each code."""

    code: str
    tool: str
    count: int  # since the fact before it


# Batcher


class JobStarted(Fact, frozen=True, kw_only=True, tag="job_started"):
    """A job knows what it has to do."""

    job_id: str
    mode: Mode
    files_planned: int  # notes to read
    files_removed: int  # notes to take out


class ChangesetFormed(Part, frozen=True, kw_only=True, tag="changeset_formed"):
    """One batch of work: notes to read again and notes that are gone."""

    job_id: str
    batch_id: str = ""
    upserts: list[str]  # paths of notes to store
    deletes: list[str]  # paths of notes to take out
    final: bool = True  # the last one of its job


class TouchedFile(Struct, frozen=True):
    """A file whose time changed and whose content did not."""

    path: str
    mtime_ns: int
    size: int
    sha256: str = ""
    ctime_ns: int = 0  # when it last changed in any way; 0 where the system does not say


class FilesTouched(Part, frozen=True, kw_only=True, tag="files_touched"):
    """Notes were looked at again and found as they were: nothing to do but to know their time."""

    files: list[TouchedFile]  # as they are now
    only_times: bool = False  # nobody asked for this: a note that waits goes on waiting


class FileSkipped(Fact, frozen=True, kw_only=True, tag="file_skipped"):
    """A file is left out on purpose, and why."""

    path: str
    reason: str


class FileFailed(Fact, frozen=True, kw_only=True, tag="file_failed"):
    """A file could not be read; its former chunks stay."""

    path: str
    code: str  # `UNREADABLE`
    detail: str  # from a closed list of phrases


class DeletionsHeld(Fact, frozen=True, kw_only=True, tag="deletions_held"):
    """So many notes vanished at once that their removal waits for a person; 0 lifts the hold."""

    count: int  # notes that stay until a person agrees


# Embedder


class BatchEmbedded(Fact, frozen=True, kw_only=True, tag="batch_embedded"):
    """Vectors for a batch are there."""

    job_id: str
    batch_id: str = ""
    files: int  # notes in it
    chunks: int  # passages that the provider made a vector for
    cached: int  # passages whose vector was in the cache
    provider: str
    model: str


class EmbeddingFailed(Fact, frozen=True, kw_only=True, tag="embedding_failed"):
    """The provider did not give vectors. The first attempt is repeated; the second counts."""

    code: str
    attempt: int  # in a row; of many, only 1, 2, 4, 8, … are recorded
    configured: int = 0  # the size of vectors that the configuration asks for,
    made: int = 0  # and the size of those that the model makes, where these differ


# Store writer


class StoredFile(Struct, frozen=True):
    """One note as the index holds it now; `embedded` of its chunks have a vector."""

    path: str
    sha256: str
    mtime_ns: int
    size: int
    chunks: int  # passages it was cut into
    embedded: int = 0  # so many of them have a vector
    ctime_ns: int = 0  # when the file last changed in any way; 0 where the system does not say


class FilledFile(Struct, frozen=True):
    """One note whose chunks got vectors; void if the note has changed since."""

    path: str
    sha256: str
    chunks: int  # passages that got a vector now
    barred: int = 0  # passages that never get one, and are found by their words alone
    withheld: int = 0  # so many of those because they are sensitive and would leave this machine
    embedded: int | None = None  # passages that have a vector now, counted in the table


class RecountedFile(Struct, frozen=True):
    """One note and how many of its chunks have a vector in the table."""

    path: str
    sha256: str
    embedded: int  # passages that have a vector, counted in the table


class BatchStored(Part, frozen=True, kw_only=True, tag="batch_stored"):
    """One atomic commit of the store: these notes replaced, those removed.

    `generation` names the index that was written to, where it is built beside the one that serves.
    """

    job_id: str
    batch_id: str = ""
    files: list[StoredFile]  # notes replaced
    removed: list[str]  # paths of notes taken out
    table_version: int
    generation: str = ""
    moved: int = 0  # so many of `removed` were not deleted: their notes have another path now


class VectorsFilled(Part, frozen=True, kw_only=True, tag="vectors_filled"):
    """Chunks that were stored without a vector have one now."""

    job_id: str
    files: list[FilledFile]  # notes that got vectors; of a long note some may still be missing
    table_version: int
    generation: str = ""
    uptime_ms: int = 0  # of the daemon, by a clock that nobody sets


class VectorsRecounted(Part, frozen=True, kw_only=True, tag="vectors_recounted"):
    """The catalog and the table differed in how many chunks have a vector. The table is right."""

    files: list[RecountedFile]  # notes that were counted wrongly
    counted: int  # chunks with a vector, as the catalog had it
    found: int  # chunks with a vector in the table
    table_version: int
    generation: str = ""


class StoreCompacted(Fact, frozen=True, kw_only=True, tag="store_compacted"):
    """The store was tidied; its content did not change."""

    table_version: int
    took_ms: int = 0
    generation: str = ""


class IndexBuilding(Fact, frozen=True, kw_only=True, tag="index_building"):
    """A new generation is there, empty: this job builds it beside the one that serves."""

    generation: str  # its name
    job_id: str  # who builds it
    fingerprint: str
    provider: str = ""  # of its vectors


class IndexActivated(Fact, frozen=True, kw_only=True, tag="index_activated"):
    """This generation serves from now on. `fingerprint`: how its notes were cut."""

    generation: str  # its name
    provider: str
    model: str
    dimensions: int  # numbers in one vector
    fingerprint: str = ""
    passed_over: str = ""  # the code for which Ollama was not taken, where it could have been
    configured: int = 0  # the size of vectors that the configuration asked for then,
    made: int = 0  # and the size of those that Ollama's model made, where these differed


class IndexLost(Fact, frozen=True, kw_only=True, tag="index_lost"):
    """The table that the catalog remembers is gone or behind the log, so the catalog is void.

    `generation` names the one that was being built, where that is the one that is gone.
    """

    reason: Literal["missing", "foreign", "vault_changed", "behind"]
    generation: str = ""


class FileError(Struct, frozen=True):
    """A file and a phrase for what went wrong with it."""

    file: str
    message: str  # from a closed list of phrases


class JobFinished(Fact, frozen=True, kw_only=True, tag="job_finished"):
    """A job ended: its text is stored (vectors may follow), or it failed, or was cancelled."""

    job_id: str
    mode: Mode
    outcome: Outcome
    indexed_files: int  # notes stored by this job
    removed_files: int  # notes taken out by it
    total_chunks: int  # passages in the index now
    duration_ms: int
    errors: list[FileError] = field(default_factory=list)  # the first of them, at most 100
    errors_total: int = 0  # all of them
    uptime_ms: int = 0  # of the daemon, by a clock that nobody sets
    code: str = ""  # why it failed; empty if it did not, or if nobody knows


# Health monitor


class DependencyLost(Fact, frozen=True, kw_only=True, tag="dependency_lost"):
    """Something ragd needs does not work. `since` where it began before it could be recorded."""

    dependency: Dependency
    code: str
    since: str | None = None
    configured: int = 0  # the size of vectors that the configuration asks for,
    made: int = 0  # and the size of those that the model makes, where these differ


class DependencyRecovered(Fact, frozen=True, kw_only=True, tag="dependency_recovered"):
    """It works (again)."""

    dependency: Dependency


class HealthChanged(Fact, frozen=True, kw_only=True, tag="health_changed"):
    """An audit line for people; never folded, always equal to what the fold says."""

    before: str  # the state until now
    after: str  # the state from now on
    reasons: list[str]  # codes that hold now, the worst first


class Unknown(Fact, frozen=True, kw_only=True, tag="unknown"):
    """A fact this version does not know: its name, and its bytes for whoever passes it on."""

    name: str
    # No line of a log decodes to this: a fact that calls itself `unknown` is one we do not know.
    raw: Annotated[bytes, Meta(min_length=2**60)]


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
    """The event's name in the log."""
    return event.name if isinstance(event, Unknown) else str(event.__struct_config__.tag)


def tag_of_type(kind: type[Fact]) -> str:
    """The name in the log of events of this kind."""
    return str(kind.__struct_config__.tag)
