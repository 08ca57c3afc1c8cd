"""What the batcher and the embedder record about a job's batches."""

from msgspec import Struct, field

from ragd.events.fact import Fact, Mode, SplitFact

# Batcher


class JobStarted(Fact, frozen=True, kw_only=True, tag="job_started"):
    """A job was planned and begins."""

    job_id: str
    mode: Mode
    files_planned: int  # notes to read
    files_removed: int  # notes to remove
    slow: bool = False  # it reads documents that take long; no note waits for all of them


class ChangesetFormed(SplitFact, frozen=True, kw_only=True, tag="changeset_formed"):
    """One batch of work: notes to store and notes to remove."""

    job_id: str
    batch_id: str = ""
    upserts: list[str]  # paths of notes to store
    deletes: list[str]  # paths of notes to remove
    final: bool = True  # the last one of its job


class TouchedFile(Struct, frozen=True, gc=False):
    """A file whose time changed and whose content did not."""

    path: str
    mtime_ns: int
    size: int
    sha256: str = ""
    ctime_ns: int = 0  # when it last changed in any way; 0 where the system has no such time


class FilesTouched(SplitFact, frozen=True, kw_only=True, tag="files_touched"):
    """Notes were read again and have the same content; their times are recorded."""

    files: list[TouchedFile]  # as they are now
    only_times: bool = False  # only the times were read: a waiting note keeps waiting


class FileSkipped(Fact, frozen=True, kw_only=True, tag="file_skipped"):
    """A file is left out on purpose, and why."""

    path: str
    reason: str


class FileFailed(Fact, frozen=True, kw_only=True, tag="file_failed"):
    """A file could not be read; its previous chunks stay."""

    path: str
    code: str  # `UNREADABLE`
    detail: str  # from a closed list of phrases


class HeldCollection(Struct, frozen=True, gc=False):
    """How many notes of one collection stay until a person agrees."""

    collection: str  # its name; "vault" for the vault
    count: int  # notes of it


class DeletionsHeld(Fact, frozen=True, kw_only=True, tag="deletions_held"):
    """Many notes disappeared at once; their removal waits for a person. A count of 0 ends it."""

    count: int  # notes that stay until a person agrees
    # Where they are; empty: in the vault.
    collections: list[HeldCollection] = field(default_factory=list)


# Embedder


class BatchEmbedded(Fact, frozen=True, kw_only=True, tag="batch_embedded"):
    """The vectors of a batch were made."""

    job_id: str
    batch_id: str = ""
    files: int  # notes in it
    chunks: int  # passages that the provider made a vector for
    cached: int  # passages whose vector was in the cache
    provider: str
    model: str


class EmbeddingFailed(Fact, frozen=True, kw_only=True, tag="embedding_failed"):
    """The provider returned no vectors. The first failure is retried, the second counts."""

    code: str
    attempt: int  # in a row; of many, only 1, 2, 4, 8, … are recorded
    configured: int = 0  # the vector size that the configuration asks for,
    made: int = 0  # and the size that the model makes, where they differ
