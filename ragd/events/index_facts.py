"""What the store writer records about the index and the jobs that change it."""

from typing import Literal

from msgspec import Struct, field

from ragd.events.fact import Fact, Mode, Outcome, SplitFact

# Store writer


class StoredFile(Struct, frozen=True, gc=False):
    """One note as the index holds it now; `embedded` of its chunks have a vector."""

    path: str
    sha256: str
    mtime_ns: int
    size: int
    chunks: int  # passages that the note was split into
    embedded: int = 0  # how many of them have a vector
    ctime_ns: int = 0  # when the file last changed in any way; 0 where the system has no such time


class FilledFile(Struct, frozen=True, gc=False):
    """One note whose chunks got vectors; ignored if the note has changed since."""

    path: str
    sha256: str
    chunks: int  # passages that got a vector now
    barred: int = 0  # passages that never get one, and are found only by their words
    withheld: int = 0  # how many of those because they are sensitive and would leave this machine
    embedded: int | None = None  # passages that have a vector now, counted in the table


class RecountedFile(Struct, frozen=True, gc=False):
    """One note and how many of its chunks have a vector in the table."""

    path: str
    sha256: str
    embedded: int  # passages that have a vector, counted in the table


class BatchStored(SplitFact, frozen=True, kw_only=True, tag="batch_stored"):
    """One atomic commit of the store: these notes replaced, those removed.

    `generation` is set if the commit went to an index that is built next to the one that serves.
    """

    job_id: str
    batch_id: str = ""
    files: list[StoredFile]  # notes replaced
    removed: list[str]  # paths of removed notes
    table_version: int
    generation: str = ""
    moved: int = 0  # how many of `removed` were not deleted but moved to another path


class VectorsFilled(SplitFact, frozen=True, kw_only=True, tag="vectors_filled"):
    """Chunks that were stored without a vector have one now."""

    job_id: str
    files: list[FilledFile]  # notes that got vectors; of a long note some may still be missing
    table_version: int
    generation: str = ""
    uptime_ms: int = 0  # of the daemon, by the monotonic clock


class VectorsRecounted(SplitFact, frozen=True, kw_only=True, tag="vectors_recounted"):
    """The catalog and the table differed in how many chunks have a vector. The table is right."""

    files: list[RecountedFile]  # notes that were counted wrongly
    counted: int  # chunks with a vector, as the catalog had it
    found: int  # chunks with a vector in the table
    table_version: int
    generation: str = ""


class StoreCompacted(Fact, frozen=True, kw_only=True, tag="store_compacted"):
    """The store was compacted; its content did not change."""

    table_version: int
    took_ms: int = 0
    generation: str = ""


class IndexBuilding(Fact, frozen=True, kw_only=True, tag="index_building"):
    """A new, empty generation was made. This job builds it next to the one that serves."""

    generation: str  # its name
    job_id: str  # the job that builds it
    fingerprint: str
    provider: str = ""  # of its vectors
    choice: str = ""  # a hash of the settings that chose its model; empty in older logs


class IndexActivated(Fact, frozen=True, kw_only=True, tag="index_activated"):
    """This generation serves from now on. `fingerprint`: how its notes were cut."""

    generation: str  # its name
    provider: str
    model: str
    dimensions: int  # numbers in one vector
    fingerprint: str = ""
    passed_over: str = ""  # the error code that explains why Ollama was not chosen
    configured: int = 0  # the vector size that the configuration asked for then,
    made: int = 0  # and the size that Ollama's model made, where they differed


class IndexLost(Fact, frozen=True, kw_only=True, tag="index_lost"):
    """The table that the catalog describes is gone or older than the log. The catalog is emptied.

    `generation` is set if the lost table was still being built.
    """

    reason: Literal["missing", "vault_changed", "behind"]
    generation: str = ""


class FileError(Struct, frozen=True, gc=False):
    """A file and a phrase for what went wrong with it."""

    file: str
    message: str  # from a closed list of phrases


class JobFinished(Fact, frozen=True, kw_only=True, tag="job_finished"):
    """A job ended: its text is stored (vectors may follow), or it failed, or was cancelled."""

    job_id: str
    mode: Mode
    outcome: Outcome
    indexed_files: int  # notes stored by this job
    removed_files: int  # notes removed by this job
    total_chunks: int  # passages in the index now
    duration_ms: int
    errors: list[FileError] = field(default_factory=list)  # the first of them, at most 100
    errors_total: int = 0  # all of them
    uptime_ms: int = 0  # of the daemon, by the monotonic clock
    code: str = ""  # why it failed; empty if it did not, or if the cause is unknown
