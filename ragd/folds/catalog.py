"""What the index holds, note by note: a fold. Pure; it never looks at the vault or the table."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from ragd.eventlog.frame import Record
from ragd.events import (
    BatchStored,
    FileFailed,
    FilesChanged,
    FileSkipped,
    IndexActivated,
    IndexLost,
    JobFinished,
    SegmentQuarantined,
    VaultScanned,
    VectorsFilled,
)

LISTED_MAX = 10_000  # skipped and failed files that are remembered by name


class Entry(Struct):
    """One note in the index."""

    sha256: str
    mtime_ns: int
    size: int
    chunks: int
    embedded: int


class Index(Struct, frozen=True):
    """Which index it is: its generation and its vector space."""

    generation: str
    provider: str
    model: str
    dimensions: int


class Catalog(Struct):
    """All notes in the index, those that wait, and those that cannot be in it."""

    files: dict[str, Entry] = field(default_factory=dict)
    chunks: int = 0
    chunks_embedded: int = 0
    index: Index | None = None
    table_version: int = 0
    newest_mtime: str | None = None
    waiting: dict[str, str] = field(default_factory=dict)  # path -> since when it waits
    skipped: dict[str, str] = field(default_factory=dict)  # path -> reason
    failed: dict[str, str] = field(default_factory=dict)  # path -> code
    needs_full_scan: bool = False

    @property
    def documents(self) -> int:
        return len(self.files)

    @property
    def backlog(self) -> int:
        """Chunks that have no vector yet."""
        return self.chunks - self.chunks_embedded


def _forget(catalog: Catalog, path: str) -> None:
    entry = catalog.files.pop(path, None)
    if entry is not None:
        catalog.chunks -= entry.chunks
        catalog.chunks_embedded -= entry.embedded


def _remember(listed: dict[str, str], path: str, what: str) -> None:
    if path in listed or len(listed) < LISTED_MAX:
        listed[path] = what


def _files_changed(catalog: Catalog, event: FilesChanged, record: Record) -> None:
    for change in event.changes:
        catalog.waiting.setdefault(change.path, record.ts)


def _batch_stored(catalog: Catalog, event: BatchStored, record: Record) -> None:
    for path in event.removed:
        _forget(catalog, path)
        for listed in (catalog.waiting, catalog.skipped, catalog.failed):
            listed.pop(path, None)
    for file in event.files:
        _forget(catalog, file.path)
        embedded = min(file.embedded, file.chunks)
        catalog.files[file.path] = Entry(
            file.sha256, file.mtime_ns, file.size, file.chunks, embedded
        )
        catalog.chunks += file.chunks
        catalog.chunks_embedded += embedded
        for listed in (catalog.waiting, catalog.skipped, catalog.failed):
            listed.pop(file.path, None)
    catalog.table_version = event.table_version


def _vectors_filled(catalog: Catalog, event: VectorsFilled, record: Record) -> None:
    for file in event.files:
        entry = catalog.files.get(file.path)
        if entry is None or entry.sha256 != file.sha256:
            continue  # the note has changed since: those rows are gone
        gained = min(file.chunks, entry.chunks - entry.embedded)
        entry.embedded += gained
        catalog.chunks_embedded += gained
    catalog.table_version = event.table_version


def _vault_scanned(catalog: Catalog, event: VaultScanned, record: Record) -> None:
    if event.newest_mtime is not None:
        catalog.newest_mtime = event.newest_mtime
    if event.changed == 0 and event.removed == 0:
        catalog.waiting.clear()


def _file_skipped(catalog: Catalog, event: FileSkipped, record: Record) -> None:
    catalog.waiting.pop(event.path, None)
    _remember(catalog.skipped, event.path, event.reason)


def _file_failed(catalog: Catalog, event: FileFailed, record: Record) -> None:
    catalog.waiting.pop(event.path, None)
    _remember(catalog.failed, event.path, event.code)


def _index_activated(catalog: Catalog, event: IndexActivated, record: Record) -> None:
    catalog.index = Index(event.generation, event.provider, event.model, event.dimensions)


def _index_lost(catalog: Catalog, event: IndexLost, record: Record) -> None:
    void = Catalog(newest_mtime=catalog.newest_mtime, needs_full_scan=True)
    for name in Catalog.__struct_fields__:
        setattr(catalog, name, getattr(void, name))


def _segment_quarantined(catalog: Catalog, event: SegmentQuarantined, record: Record) -> None:
    catalog.needs_full_scan = True


def _job_finished(catalog: Catalog, event: JobFinished, record: Record) -> None:
    if event.outcome in ("complete", "partial") and event.mode != "sync":
        catalog.needs_full_scan = False


HANDLERS: Mapping[type, Callable[[Catalog, Any, Record], None]] = {
    FilesChanged: _files_changed,
    BatchStored: _batch_stored,
    VectorsFilled: _vectors_filled,
    VaultScanned: _vault_scanned,
    FileSkipped: _file_skipped,
    FileFailed: _file_failed,
    IndexActivated: _index_activated,
    IndexLost: _index_lost,
    SegmentQuarantined: _segment_quarantined,
    JobFinished: _job_finished,
}
