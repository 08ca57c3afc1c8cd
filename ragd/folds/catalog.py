"""The catalog: what the index holds, note by note. A fold. Pure; it never reads vault or table."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ragd.eventlog.frame import Record
from ragd.events import (
    BatchStored,
    DaemonStarted,
    FileFailed,
    FilesChanged,
    FileSkipped,
    FilesTouched,
    IndexActivated,
    IndexBuilding,
    IndexLost,
    JobFinished,
    JobStarted,
    SegmentQuarantined,
    StoreCompacted,
    TemplateFolder,
    VectorsFilled,
    VectorsRecounted,
)
from ragd.folds.newest_time import update_newest
from ragd.folds.tables import Building as Building
from ragd.folds.tables import Entry as Entry
from ragd.folds.tables import Table as Table
from ragd.notes.documents.kinds import count_kinds, is_slow
from ragd.vault.collection_paths import VAULT, join_path, root_folder

LISTED_MAX = 10_000  # skipped or failed files that are kept by name


class ServingIndex(Struct, frozen=True):
    """The index that serves: its generation, its vector space, and how its notes were split."""

    generation: str
    provider: str
    model: str
    dimensions: int
    fingerprint: str = ""
    passed_over: str = ""  # the error code that explains why Ollama was not chosen
    configured: int = 0  # vector sizes then, where these two differed
    made: int = 0


class ScannedRoot(Struct, frozen=True):
    """A collection besides the vault, as the last scan that could use it found it."""

    device: int = 0  # at the last scan that found every note
    scanned_at: str | None = None
    newest_mtime: str | None = None
    root: str = ""  # digest of its root's path; empty: not known


class Catalog(Table):
    """All notes in the index that serves, the waiting ones, and those that cannot be indexed."""

    index: ServingIndex | None = None
    building: Building | None = None
    newest_mtime: str | None = None
    scanned_at: str | None = None  # when everything was last scanned
    vault_scanned_at: str | None = None  # when the vault could be scanned
    languages: dict[str, int] = field(default_factory=dict)  # of a sample of notes, counted
    code_percent: int | None = None  # how much of the text of a sample is fenced code
    waiting: dict[str, str] = field(default_factory=dict)  # path -> since when it waits
    job_id: str | None = None  # the job that is reading notes
    # path -> its first change since that job began: the job may have read it before that.
    changed_since: dict[str, str] = field(default_factory=dict)
    # path -> the last record that announced it, for paths in `waiting` or `changed_since`
    announced: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)  # path -> reason
    failed: dict[str, str] = field(default_factory=dict)  # path -> code
    needs_full_scan: bool = False
    device: int = 0  # the vault's device number at the last scan that found every note
    templates: list[TemplateFolder] = field(default_factory=list)  # skipped, by the last scan
    # files of a known kind that no pattern includes, by kind
    not_included: dict[str, int] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)  # path -> why, for those in `failed`
    # The collections besides the vault. One that was removed from the configuration stays until
    # its notes have left the index.
    collections: dict[str, ScannedRoot] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)  # collections that the last scan could not use
    unread: set[str] = field(default_factory=set)  # as `needs_full_scan`, for those alone

    @property
    def unindexed(self) -> int:
        """How many notes wait, without skipped ones: they will probably be skipped again.

        Documents that take long to read are counted in `unread_documents`.
        """
        return sum(path not in self.skipped and not is_slow(path) for path in self.waiting)

    @property
    def unread_documents(self) -> dict[str, int]:
        """How many documents that take long to read wait, by kind."""
        waiting = (path for path in self.waiting if is_slow(path) and path not in self.skipped)
        return count_kinds(waiting)

    @property
    def has_waiting_notes(self) -> bool:
        """Whether a note waits. Documents that take long to read do not make the index stale."""
        return not all(map(is_slow, self.waiting))

    def is_stored(self, path: str) -> bool:
        """Whether the index that serves or the one being built has this note."""
        return path in self.files or (self.building is not None and path in self.building.files)

    def is_folder(self, path: str) -> bool:
        """Whether the index that serves or the one being built has a note below this folder."""
        building = self.building
        return path in self.folders or (building is not None and path in building.folders)

    @property
    def documents_stored(self) -> int:
        """How many notes the index that serves and the one being built have together."""
        if self.building is None:
            return len(self.files)
        return len(self.files.keys() | self.building.files.keys())

    @property
    def holds_notes(self) -> bool:
        """Whether the index that serves or the one being built has any note."""
        return bool(self.files) or (self.building is not None and bool(self.building.files))

    def count_stored(self, collection: str) -> int:
        """How many notes of one collection the two indexes have together."""
        if collection != VAULT:
            return self._count_below(join_path(collection, ""))
        further = sum(self._count_below(join_path(name, "")) for name in self.collections)
        return self.documents_stored - further

    def _count_below(self, folder: str) -> int:
        served, building = self.folders.count(folder), self.building
        if building is None or not building.folders.count(folder):
            return served
        inside = f"{folder}/"
        return served + sum(
            path.startswith(inside) and path not in self.files for path in building.files
        )

    def stored_roots(self, *, is_working: bool) -> dict[str, str]:
        """The digest of the root that the notes of each collection came from, where it is known and
        some are stored, listed, or (if it `is_working`) may be on their way to the index."""
        known = {root_folder(p) for one in (self.skipped, self.failed, self.waiting) for p in one}
        return {
            name: one.root
            for name, one in self.collections.items()
            if one.root and (is_working or self.is_folder(at := join_path(name, "")) or at in known)
        }

    def is_elsewhere(self, device: int, collection: str = VAULT) -> bool:
        """Whether a collection is on another device than when no note was missing."""
        if collection == VAULT:
            return self.device not in (0, device)
        known = self.collections.get(collection)
        return known is not None and known.device not in (0, device)


def _table_of(catalog: Catalog, generation: str) -> Table | None:
    """The table of this generation; without a name, the one that serves."""
    if not generation or (catalog.index is not None and catalog.index.generation == generation):
        return catalog
    building = catalog.building
    return building if building is not None and building.generation == generation else None


def _list_path(listed: dict[str, str], path: str, what: str) -> None:
    if path in listed or len(listed) < LISTED_MAX:
        listed[path] = what


def _forget_failure(catalog: Catalog, path: str) -> None:
    catalog.failed.pop(path, None)
    catalog.failures.pop(path, None)


def _mark_handled(catalog: Catalog, path: str) -> None:
    """The note stops waiting, unless it changed after the job that read it began."""
    again = catalog.changed_since.get(path)
    if again is None:
        stop_waiting(catalog, path)
    else:
        catalog.waiting[path] = again


def stop_waiting(catalog: Catalog, path: str) -> None:
    """The note does not wait any more."""
    catalog.waiting.pop(path, None)
    if path not in catalog.changed_since:
        catalog.announced.pop(path, None)


def _files_changed(catalog: Catalog, event: FilesChanged, record: Record) -> None:
    announced, waiting = catalog.announced, catalog.waiting
    seq, ts = record.seq, record.ts
    for change in event.changes:
        path = change.path
        announced[path] = seq
        if catalog.job_id is not None:
            catalog.changed_since.setdefault(path, ts)
        is_deleted = change.kind == "deleted"
        if is_deleted:
            catalog.skipped.pop(path, None)
            _forget_failure(catalog, path)
        if is_deleted and not catalog.is_stored(path):
            stop_waiting(catalog, path)  # it was never stored: there is nothing to remove
        else:
            waiting.setdefault(path, ts)


def _job_started(catalog: Catalog, event: JobStarted, record: Record) -> None:
    _forget_job(catalog)  # the job reads from now on, so it sees all earlier changes
    catalog.job_id = event.job_id


def _daemon_started(catalog: Catalog, event: DaemonStarted, record: Record) -> None:
    _forget_job(catalog)


def _forget_job(catalog: Catalog) -> None:
    catalog.job_id = None
    catalog.changed_since = {}
    announced, waiting = catalog.announced, catalog.waiting
    if (announced or waiting) and announced.keys() != waiting.keys():
        catalog.announced = {path: announced[path] for path in announced if path in waiting}


def _batch_stored(catalog: Catalog, event: BatchStored, record: Record) -> None:
    table = _table_of(catalog, event.generation)
    if table is None:
        return  # that generation is gone
    paths = [file.path for file in event.files]
    if event.removed:
        paths = [*event.removed, *paths]
    left = [entry.mtime_ns for entry in map(table.files.get, paths) if entry is not None]
    for path in event.removed:
        table.drop(path)
        _forget_failure(catalog, path)  # `skipped` stays: the note may be skipped from now on
    left_out = bool(catalog.skipped or catalog.failed or catalog.failures)
    table.store(event.files)
    if left_out:
        for file in event.files:
            catalog.skipped.pop(file.path, None)
            _forget_failure(catalog, file.path)
    table.table_version = event.table_version
    if table is catalog:  # the index that is being built does not serve yet
        update_newest(catalog, [file.mtime_ns for file in event.files], left)
        if catalog.changed_since:
            for path in paths:
                _mark_handled(catalog, path)
        else:
            waiting, announced = catalog.waiting, catalog.announced
            for path in paths:
                waiting.pop(path, None)
                announced.pop(path, None)
    else:
        for file in event.files:  # one that changed after it was read has to be read again
            if since := catalog.changed_since.get(file.path):
                catalog.waiting.setdefault(file.path, since)


def _vectors_filled(catalog: Catalog, event: VectorsFilled, record: Record) -> None:
    table = _table_of(catalog, event.generation)
    if table is None:
        return  # that generation is gone
    for file in event.files:
        table.fill(file)
    table.table_version = event.table_version


def _vectors_recounted(catalog: Catalog, event: VectorsRecounted, record: Record) -> None:
    table = _table_of(catalog, event.generation)
    if table is None:
        return  # that generation is gone
    for file in event.files:
        table.recount(file.path, file.sha256, file.embedded)


def _files_touched(catalog: Catalog, event: FilesTouched, record: Record) -> None:
    tables = [catalog] if catalog.building is None else [catalog, catalog.building]
    known = (catalog.files.get(file.path) for file in event.files)
    before = [entry.mtime_ns for entry in known if entry is not None]
    for file in event.files:
        if not event.only_times:  # it was read, and is the same as in the index
            _mark_handled(catalog, file.path)
            catalog.skipped.pop(file.path, None)
            _forget_failure(catalog, file.path)
        times: dict[str, Any] = {"mtime_ns": file.mtime_ns, "ctime_ns": file.ctime_ns}
        for table in tables:
            entry = table.files.get(file.path)
            if entry is not None and file.sha256 in ("", entry.sha256):
                table.put(file.path, replace(entry, size=file.size, **times))
    update_newest(catalog, [file.mtime_ns for file in event.files], before)


def _file_skipped(catalog: Catalog, event: FileSkipped, record: Record) -> None:
    if catalog.is_stored(event.path):
        # It waits until it is removed from both indexes.
        catalog.waiting.setdefault(event.path, record.ts)
        catalog.announced.setdefault(event.path, record.seq)
    else:
        _mark_handled(catalog, event.path)
    _forget_failure(catalog, event.path)
    _list_path(catalog.skipped, event.path, event.reason)


def _file_failed(catalog: Catalog, event: FileFailed, record: Record) -> None:
    _mark_handled(catalog, event.path)
    catalog.skipped.pop(event.path, None)
    _list_path(catalog.failed, event.path, event.code)
    if event.path in catalog.failed:
        catalog.failures[event.path] = event.detail


def _index_building(catalog: Catalog, event: IndexBuilding, record: Record) -> None:
    catalog.building = Building(
        generation=event.generation,
        job_id=event.job_id,
        fingerprint=event.fingerprint,
        provider=event.provider,
        choice=event.choice,
    )


def _index_activated(catalog: Catalog, event: IndexActivated, record: Record) -> None:
    catalog.index = ServingIndex(
        event.generation,
        event.provider,
        event.model,
        event.dimensions,
        event.fingerprint,
        event.passed_over,
        event.configured,
        event.made,
    )
    building = catalog.building
    if building is not None and building.generation == event.generation:
        catalog.copy_from(building)
        catalog.building = None


def _store_compacted(catalog: Catalog, event: StoreCompacted, record: Record) -> None:
    table = _table_of(catalog, event.generation)
    if table is not None:
        table.table_version = event.table_version


def _index_lost(catalog: Catalog, event: IndexLost, record: Record) -> None:
    building = catalog.building
    if event.generation:
        if building is not None and building.generation == event.generation:
            catalog.building = None
        return
    empty = Catalog(
        newest_mtime=catalog.newest_mtime,
        scanned_at=catalog.scanned_at,
        needs_full_scan=True,
        device=catalog.device,
        collections=catalog.collections,
    )
    if event.reason != "vault_changed":
        empty.building = building
    for name in Catalog.__struct_fields__:
        setattr(catalog, name, getattr(empty, name))
    catalog.copy_from(empty)


def _segment_quarantined(catalog: Catalog, event: SegmentQuarantined, record: Record) -> None:
    catalog.needs_full_scan = True


def _job_finished(catalog: Catalog, event: JobFinished, record: Record) -> None:
    if catalog.job_id == event.job_id:
        _forget_job(catalog)
    if event.outcome in ("failed", "cancelled"):
        if catalog.building is not None and catalog.building.job_id == event.job_id:
            catalog.building = None
    elif event.mode != "sync":
        left = catalog.gone if catalog.needs_full_scan else catalog.unread & catalog.gone
        catalog.unread = set(left)
        catalog.needs_full_scan = False


HANDLERS: Mapping[type, Callable[[Catalog, Any, Record], None]] = {
    DaemonStarted: _daemon_started,
    FilesChanged: _files_changed,
    JobStarted: _job_started,
    BatchStored: _batch_stored,
    VectorsFilled: _vectors_filled,
    VectorsRecounted: _vectors_recounted,
    FilesTouched: _files_touched,
    FileSkipped: _file_skipped,
    FileFailed: _file_failed,
    StoreCompacted: _store_compacted,
    IndexBuilding: _index_building,
    IndexActivated: _index_activated,
    IndexLost: _index_lost,
    SegmentQuarantined: _segment_quarantined,
    JobFinished: _job_finished,
}
