"""Writes a fill to the index and records it. It makes no vectors and reads no notes."""

from ragd.batch.in_flight import Fill
from ragd.events import FilledFile, VectorsFilled
from ragd.runtime.crash_points import crashpoint
from ragd.state.ledger import Ledger
from ragd.store.generations import NAME
from ragd.store.lance import ChunkIndex, FillResult
from ragd.store.store_errors import Troubles


async def store_fill(index: ChunkIndex, fill: Fill, ledger: Ledger, troubles: Troubles) -> None:
    """Record every note whose chunks were all there. The others were saved again meanwhile: their
    new chunks come with a batch, and their vectors after it. Raises RagdError for damage."""
    paths = [note.path for note in fill.notes]
    filled = await troubles.with_room(lambda: index.fill(fill.vectors, paths))
    crashpoint("store.after_fill")
    files = _filled(fill, filled)
    if files:
        done = VectorsFilled(
            job_id="",
            files=files,
            table_version=filled.version,
            generation=index.identity.generation,
            uptime_ms=ledger.uptime_ms,
        )
        await ledger.journal.append_parts(NAME, done)


def _filled(fill: Fill, filled: FillResult) -> list[FilledFile]:
    """The notes of a fill whose chunks were all in the table, as they are counted there."""
    return [
        FilledFile(
            note.path,
            note.sha256,
            len(note.chunk_ids),
            note.barred,
            note.withheld,
            filled.embedded.get(note.path, 0),
        )
        for note in fill.notes
        if filled.found.issuperset(note.chunk_ids)
    ]
