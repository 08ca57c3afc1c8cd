"""Reads the notes of a job, splits them into chunks and passes them on in batches.

It records what happened to every note that was read. It plans no job and stores no note.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Protocol

from ragd.batch.deletion_hold import DeletionHold
from ragd.batch.gone_collections import record_gone
from ragd.batch.in_flight import Batch, Payloads
from ragd.batch.moved_notes import Moves, VaultMoveFinder, moves_in_vault
from ragd.batch.slow_documents import next_paths
from ragd.batch.sync_plan import SyncPlan
from ragd.clock import new_id
from ragd.events import (
    ChangesetFormed,
    FileChange,
    FileFailed,
    FilesChanged,
    FileSkipped,
    FilesTouched,
)
from ragd.folds.catalog import Entry
from ragd.notes.documents.kinds import is_slow
from ragd.runtime.crash_points import crashpoint
from ragd.state.ledger import Ledger
from ragd.vault.collection_calls import (
    CollectionReader,
    CollectionVerifier,
    read_notes,
    verify_roots,
)
from ragd.vault.note_reader import ReadResult, VaultGone
from ragd.vault.threads import READ

NAME = "batcher"
FIRST_FILES = 32  # a small first batch, so that searches find something soon
BATCH_FILES = 512
BATCH_BYTES = 2_000_000  # of note text; a few such batches are in memory at once


class BatchReader(CollectionReader, CollectionVerifier, VaultMoveFinder, Protocol):
    """Reads notes of all collections."""

    def includes(self, path: str) -> bool: ...


class NewIndexWouldLoseNotes(Exception):
    """Held notes are missing from the vault, so a new index would not have them."""


class BatchBuilder:
    """Builds the batches of one job after the other, for the batcher."""

    def __init__(
        self, ledger: Ledger, notes: BatchReader, batches: Payloads[Batch], hold: DeletionHold
    ) -> None:
        self._ledger = ledger
        self._notes = notes
        self._batches = batches
        self._hold = hold

    async def build(
        self,
        job_id: str,
        plan: SyncPlan,
        *,
        again: bool,
        urgent: bool,
        generation: str = "",
        judged: Collection[str] = (),
        accepts: Callable[[str], bool] = lambda collection: False,
        put_off: Sequence[FileChange] = (),
        should_end: Callable[[], bool] | None = None,
        before_document: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Read the planned notes and pass them on, batch by batch. The last batch ends the job.

        `judged`: vanished notes that the hold has judged already. `accepts`: whether a person
        agreed to all deletions in a collection. `put_off`: what is announced when everything else
        was read. `should_end`: asked after each read, whether the rest has to wait.
        `before_document`: awaited before each document that takes long. A collection that vanishes
        meanwhile is left as it is; raises VaultGone if there is no other, or a new index would lose
        its notes. Also raises NewIndexWouldLoseNotes.
        """
        upserts, removals, moves = plan.upserts, plan.removals, dict(plan.moves)
        unstable: list[str] = []
        size = FIRST_FILES
        final = False
        while not final:
            if before_document is not None and upserts and is_slow(upserts[0]):
                await before_document()
            paths, upserts = next_paths(upserts, size)
            known = self._known(generation, paths)
            reading = await read_notes(
                READ, self._notes, paths, known, again=again, room=BATCH_BYTES
            )
            upserts = reading.left + upserts
            crashpoint("job.after_read")
            await self._verify_gone(reading)
            if reading.lost:
                await self._report_lost(reading.lost, generation)
                upserts = [path for path in upserts if self._where(path) not in reading.lost]
            unjudged = [path for path in reading.gone if path not in judged]
            gone = [path for path in unjudged if not accepts(self._where(path))]
            found = await self._judge_gone(gone, generation)
            moves |= found
            upserts = list(dict.fromkeys([*upserts, *found]))
            await self._record_reading(reading)
            unstable += reading.unstable
            is_over = self._is_over(job_id)
            final = not upserts or is_over or (should_end is not None and should_end())
            if final:  # what is still being written is read by the next sync
                changes = [FileChange(path, "modified") for path in unstable]
                await self._announce([*changes, *put_off] if not is_over else changes)
            moved = [moves.pop(path) for path in _handled(reading) if path in moves]
            batch = Batch(
                batch_id=new_id(),
                job_id=job_id,
                files=tuple(reading.files),
                removed=(*removals, *moved, *self._to_remove(reading, moves)),
                final=final,
                urgent=urgent,
                generation=generation,
                moved=len(moved),
            )
            await self._pass_on(batch)
            if size == FIRST_FILES and not final:  # no further reads before these can be found
                await self._batches.wait_until_dropped(batch.batch_id)
            removals, size = [], BATCH_FILES

    async def _announce(self, changes: list[FileChange]) -> None:
        if changes:
            await self._ledger.journal.append_parts(NAME, FilesChanged(changes=changes))

    def _is_over(self, job_id: str) -> bool:
        """Whether the job was cancelled, or has ended."""
        job = self._ledger.state.jobs.find_open(job_id)
        return job is None or job.cancel_requested

    def _known(self, generation: str, paths: Sequence[str]) -> Mapping[str, Entry]:
        """What the index that is written to has. While another is built: what both have."""
        catalog = self._ledger.state.catalog
        building = catalog.building
        if building is None:
            return {} if generation else catalog.files
        if generation:
            return building.files if building.generation == generation else {}
        known = {path: catalog.files[path] for path in paths if path in catalog.files}
        return {p: e for p, e in known.items() if _has(building.files, p, e.sha256)}

    def _where(self, path: str) -> str:
        return self._notes.collection_of(path)

    async def _verify_gone(self, reading: ReadResult) -> None:
        """A note that is missing may be in a collection that has just vanished: then nothing is
        known about it."""
        files = self._ledger.state.catalog.files
        missing = [path for path in reading.gone if path in files and self._notes.includes(path)]
        reading.lost |= await verify_roots(READ, self._notes, missing)
        unknown = {path for path in missing if self._where(path) in reading.lost}
        if unknown:
            reading.gone = [path for path in reading.gone if path not in unknown]
            reading.unreachable += unknown

    async def _report_lost(self, lost: Mapping[str, VaultGone], generation: str) -> None:
        """Record that collections have vanished. Raises VaultGone if the job cannot go on."""
        if generation or len(self._notes.collections) == 1:
            raise next(iter(lost.values()))
        await record_gone(self._ledger, lost)

    async def _judge_gone(self, gone: Sequence[str], generation: str) -> Moves:
        """Judge the notes that vanished since the job was planned; returns the moved ones."""
        files = self._ledger.state.catalog.files
        vanished = [path for path in gone if path in files and self._notes.includes(path)]
        if not vanished:
            return {}
        moves = await self.judge_vanished(vanished)
        if generation and any(map(self._hold.is_held, vanished)):
            raise NewIndexWouldLoseNotes
        return moves

    async def judge_vanished(self, vanished: Sequence[str]) -> Moves:
        """Let the hold judge these notes. If it would hold them, look for them in the vault first;
        returns the moved ones."""
        if not vanished:
            return {}
        moves: Moves = {}
        if self._hold.would_hold(vanished):
            moves = await moves_in_vault(self._notes, self._ledger.state, vanished)
            moved = set(moves.values())
            vanished = [path for path in vanished if path not in moved]
        await self._hold.judge(NAME, vanished)
        return moves

    def _to_remove(self, reading: ReadResult, moves: Moves) -> list[str]:
        """The notes that are gone, and the stored notes that are skipped from now on.

        A moved note keeps its old path until it is stored with the new one.
        """
        kept = set(moves.values())
        gone = [p for p in reading.gone if p not in kept and not self._hold.is_held(p)]
        is_stored = self._ledger.state.catalog.is_stored
        return [*gone, *(path for path, _ in reading.skipped if is_stored(path))]

    async def _pass_on(self, batch: Batch) -> None:
        if not batch.files and not batch.removed and not batch.final:
            return
        await self._batches.admit(batch)
        formed = ChangesetFormed(
            job_id=batch.job_id,
            batch_id=batch.batch_id,
            upserts=[file.path for file in batch.files],
            deletes=list(batch.removed),
            final=batch.final,
        )
        await self._ledger.journal.append_parts(NAME, formed)
        crashpoint("job.after_formed")

    async def _record_reading(self, reading: ReadResult) -> None:
        """Record a fact for everything that was read: without one, a note would wait forever."""
        journal = self._ledger.journal
        if reading.touched:
            await journal.append_parts(NAME, FilesTouched(files=reading.touched))
        await self._unlist(reading.gone)
        for path, reason in reading.skipped:
            await journal.append(NAME, FileSkipped(path=path, reason=reason))
        for path, detail in reading.failed:
            failed = FileFailed(path=path, code="UNREADABLE", detail=detail)
            await journal.append(NAME, failed)

    async def _unlist(self, gone: Sequence[str]) -> None:
        """Skipped notes that are gone leave the list of skipped notes."""
        listed = self._ledger.state.catalog.skipped
        await self._announce([FileChange(path, "deleted") for path in gone if path in listed])


def _handled(reading: ReadResult) -> list[str]:
    """The paths that are done. The others are gone, failed, or still being written."""
    read = [file.path for file in reading.files] + [file.path for file in reading.touched]
    return read + [path for path, _ in reading.skipped]


def _has(files: Mapping[str, Entry], path: str, sha256: str) -> bool:
    entry = files.get(path)
    return entry is not None and entry.sha256 == sha256
