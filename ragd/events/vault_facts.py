"""What the watcher records about the vault."""

from typing import Literal

from msgspec import Struct, field

from ragd.events.fact import ChangeKind, Fact, SplitFact

GoneReason = Literal[
    "missing",
    "empty",
    "unreadable",
    "moved",
    "overlaps",
    "locked",  # this one and the others are said of a database
    "damaged",
    "unknown_format",
]

# Watcher


class WatchStarted(Fact, frozen=True, kw_only=True, tag="watch_started"):
    """Changes in the vault are being noticed; `how` is native or polling."""

    how: Literal["native", "polling"] = "native"
    collection: str = ""  # the watched collection; empty: the vault


class WatchLost(Fact, frozen=True, kw_only=True, tag="watch_lost"):
    """The watch stopped working; rescans continue."""

    reason: str  # the exception's type
    collection: str = ""  # the collection that is not watched; empty: the vault


class FileChange(Struct, frozen=True, gc=False):
    """One path and what happened to it."""

    path: str
    kind: ChangeKind


class FilesChanged(SplitFact, frozen=True, kw_only=True, tag="files_changed"):
    """Notes changed and then stayed the same for the debounce time."""

    changes: list[FileChange]  # one for each path


class TemplateFolder(Struct, frozen=True, gc=False):
    """A folder of templates that was left out, and how many notes are in it."""

    path: str
    notes: int  # in it, at any depth


class LanguageCount(Struct, frozen=True, gc=False):
    """How many notes of a sample are in a language."""

    code: str  # ISO 639-1
    notes: int  # of the sample


class KindCount(Struct, frozen=True, gc=False):
    """How many files of a kind there are."""

    kind: str  # markdown, pdf, canvas, …
    files: int  # of this kind


class ScannedCollection(Struct, frozen=True, gc=False):
    """What a scan found in one collection; nothing if its root could not be used."""

    collection: str  # its name; "vault" for the vault
    files: int = 0  # notes that were seen
    changed: int = 0  # notes that are new or look changed
    removed: int = 0  # notes of the index that are not in it
    newest_mtime: str | None = None  # of its notes; null if there are none
    device: int = 0  # the system's number for the device that holds the root
    gone: GoneReason | Literal["not_responding", ""] = ""  # why its root could not be used
    root: str = ""  # digest of the path of its root; empty for the vault


class VaultScanned(Fact, frozen=True, kw_only=True, tag="vault_scanned"):
    """The vault and all collections were walked and compared with the catalog.

    The counts are those of all together.
    """

    files: int  # notes that were seen
    changed: int  # notes that are new or look changed
    removed: int  # notes of the index that are not in the vault
    newest_mtime: str | None = None  # of all notes; null if there are none
    took_ms: int = 0
    began: str | None = None  # when it began
    began_seq: int = 0  # the last record before it: a change recorded later may not have been seen
    device: int = 0  # the system's number for the device that holds the root
    templates: list[TemplateFolder] = field(default_factory=list)  # left out on purpose
    languages: list[LanguageCount] = field(default_factory=list)  # of a sample of notes
    # files of a known kind that no pattern includes
    not_included: list[KindCount] = field(default_factory=list)
    # Each one, the vault first; empty if there is only the vault.
    collections: list[ScannedCollection] = field(default_factory=list)
    code_percent: int | None = None  # how much of the text of a sample is fenced code


class VaultUnavailable(Fact, frozen=True, kw_only=True, tag="vault_unavailable"):
    """A root is missing, empty, unreadable, on another device, or now a link to a folder that ragd
    reads or writes already. Nothing is deleted."""

    reason: GoneReason
    collection: str = ""  # whose root it is; empty: the vault
