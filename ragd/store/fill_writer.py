"""Writes a fill to the index and records it. It makes no vectors and reads no notes."""

from ragd.batch.in_flight import Fill
from ragd.events import FilledFile, VectorsFilled
from ragd.runtime.crash_points import crashpoint
from ragd.state.ledger import Ledger
from ragd.store import STORE_WRITER
from ragd.store.full_disk_retry import FullDiskRetry
from ragd.store.lance import ChunkIndex, FillResult


async def write_fill(
    index: ChunkIndex, fill: Fill, ledger: Ledger, full_disk_retry: FullDiskRetry
) -> None:
    """Record each note whose chunks were all in the table. The other notes were saved again
    meanwhile: a batch brings their new chunks, and vectors follow. Raises RagdError for damage."""
    paths = [note.path for note in fill.notes]
    result = await full_disk_retry.run(lambda: index.fill(fill.vectors, paths))
    crashpoint("store.after_fill")
    files = _filled_files(fill, result)
    if files:
        filled = VectorsFilled(
            job_id="",
            files=files,
            table_version=result.version,
            generation=index.identity.generation,
            uptime_ms=ledger.uptime_ms,
        )
        await ledger.journal.append_parts(STORE_WRITER, filled)


def _filled_files(fill: Fill, result: FillResult) -> list[FilledFile]:
    """The notes whose chunks were all in the table, with the number of their vectors there."""
    return [
        FilledFile(
            note.path,
            note.sha256,
            len(note.chunk_ids),
            note.barred,
            note.withheld,
            result.embedded.get(note.path, 0),
        )
        for note in fill.notes
        if result.found.issuperset(note.chunk_ids)
    ]
