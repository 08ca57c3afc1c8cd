"""The content of sync-result.json: a fold. Pure; the sync result writer writes the file."""

from typing import Any

from msgspec import Struct, field

from ragd.eventlog.frame import Record
from ragd.events import (
    FileError,
    IndexActivated,
    IndexLost,
    JobFinished,
    VaultScanned,
    VectorsFilled,
    VectorsRecounted,
)
from ragd.folds.catalog import Catalog
from ragd.folds.jobs import Jobs

SCHEMA = 1

CHANGED_BY = (
    *(JobFinished, VaultScanned, VectorsFilled, VectorsRecounted),
    *(IndexActivated, IndexLost),
)


class SyncResult(Struct):
    """The last sync, and what the index held after it. `seq`: the last record that changed it.

    `text_ms`: from the start until the text was stored. `duration_ms`: until the vectors were
    stored, too; while `chunks_pending` is not 0, until the last one so far.
    """

    schema: int = SCHEMA
    mode: str | None = None
    outcome: str | None = None
    last_sync: str | None = None
    last_sync_mtime: str | None = None
    indexed_files: int = 0
    removed_files: int = 0
    failed_files: int = 0
    total_docs: int = 0
    total_chunks: int = 0
    chunks_embedded: int = 0
    chunks_pending: int = 0  # passages whose vectors are still missing
    text_ms: int = 0
    duration_ms: int = 0
    errors: list[FileError] = field(default_factory=list)
    errors_total: int = 0
    seq: int = 0
    job_id: str = ""


def apply(result: SyncResult, event: Any, record: Record, catalog: Catalog, jobs: Jobs) -> None:
    """Apply a record. The catalog and the jobs have applied it before."""
    if isinstance(event, JobFinished):
        _job_finished(result, event, record)
        _copy_figures(result, catalog, jobs)
    elif isinstance(event, VaultScanned):
        if event.changed or event.removed or result.last_sync is None:
            return
        result.last_sync = record.ts  # no difference: the same as a sync
        _copy_figures(result, catalog, jobs)
    elif isinstance(event, CHANGED_BY):
        before = _figures(result)
        _copy_figures(result, catalog, jobs)
        if before == _figures(result):
            return
    else:
        return
    result.last_sync_mtime = catalog.newest_mtime
    result.seq = record.seq


def _copy_figures(result: SyncResult, catalog: Catalog, jobs: Jobs) -> None:
    result.total_docs = catalog.documents
    result.total_chunks = catalog.chunks
    result.chunks_embedded = catalog.chunks_embedded
    result.chunks_pending = catalog.backlog
    if result.job_id and (job := jobs.find(result.job_id)):
        result.duration_ms = job.total_ms


def _figures(result: SyncResult) -> tuple[int, ...]:
    totals = (result.total_docs, result.total_chunks, result.chunks_embedded)
    return *totals, result.chunks_pending, result.duration_ms


def _job_finished(result: SyncResult, event: JobFinished, record: Record) -> None:
    result.job_id = event.job_id
    result.mode = event.mode
    result.outcome = event.outcome
    if event.outcome in ("complete", "partial"):
        result.last_sync = record.ts
    result.indexed_files = event.indexed_files
    result.removed_files = event.removed_files
    result.text_ms = result.duration_ms = event.duration_ms
    result.errors = list(event.errors)
    result.errors_total = max(event.errors_total, len(event.errors))
    result.failed_files = result.errors_total
