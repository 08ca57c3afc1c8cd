"""Reads notes, cuts them and hands them on as batches: what a job consists of, piece by piece.

It says what became of every note that was read.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from ragd.batch.deletion_hold import Deletions
from ragd.batch.in_flight import Batch, Payloads
from ragd.batch.moved_notes import Moves, moves_in_vault
from ragd.batch.sync_plan import Plan
from ragd.clock import new_id
from ragd.events import (
    ChangesetFormed,
    DeletionsHeld,
    FileChange,
    FileFailed,
    FilesChanged,
    FileSkipped,
    FilesTouched,
)
from ragd.folds.catalog import Entry
from ragd.runtime.crash_points import crashpoint
from ragd.state.ledger import Ledger
from ragd.vault.files import FileStat, NoteFile
from ragd.vault.note_reader import ReadResult, VaultScan
from ragd.vault.threads import READ

NAME = "batcher"
FIRST_FILES = 64  # a small first batch: something can be found soon
BATCH_FILES = 512
BATCH_BYTES = 2_000_000  # of note text; a few such batches are in memory at once


class Notes(Protocol):
    """What is asked of the vault here; what looks at files runs in a thread."""

    def includes(self, path: str) -> bool: ...

    def verify_root(self) -> None: ...

    def stat_notes(self, paths: Iterable[str]) -> Mapping[str, FileStat | None]: ...

    def scan(self, *, may_be_empty: bool) -> VaultScan: ...

    def find_moves(
        self, missing: Mapping[str, Entry], appeared: Sequence[NoteFile], known: Mapping[str, str]
    ) -> Moves: ...

    def read(
        self,
        paths: Sequence[str],
        known: Mapping[str, Entry],
        *,
        again: bool = False,
        room: int | None = None,
    ) -> ReadResult: ...


class DeletionsHeldBack(Exception):
    """So many notes vanished while a new index was built that a person has to agree first."""


class Former:
    """Forms batches on behalf of the batcher."""

    def __init__(
        self, ledger: Ledger, notes: Notes, payloads: Payloads[Batch], deletions: Deletions
    ) -> None:
        self._ledger = ledger
        self._notes = notes
        self._payloads = payloads
        self._deletions = deletions

    async def form(
        self,
        job_id: str,
        todo: Plan,
        *,
        again: bool,
        urgent: bool,
        generation: str = "",
        agreed: Collection[str] | None = (),
    ) -> None:
        """Read, cut and hand on, batch by batch; the last one closes the job.

        `agreed`: vanished notes that were judged already; None: a person agreed to all of them.
        Raises VaultGone when the vault vanishes meanwhile, and DeletionsHeldBack when a new index
        would lose notes that are held.
        """
        upserts, removals, moves = todo.upserts, todo.removals, dict(todo.moves)
        unstable: list[str] = []
        size = FIRST_FILES
        final = False
        while not final:
            paths, upserts = upserts[:size], upserts[size:]
            known = self._known(generation, paths)
            reading = await READ.run(self._notes.read, paths, known, again=again, room=BATCH_BYTES)
            upserts = reading.left + upserts
            crashpoint("job.after_read")
            if agreed is not None:
                gone = [path for path in reading.gone if path not in agreed]
                found = await self._judge(gone, generation)
                moves |= found
                upserts = list(dict.fromkeys([*upserts, *found]))
            await self._report_reading(reading)
            unstable += reading.unstable
            final = not upserts or self._is_over(job_id)
            if final and unstable:  # they are still being written: wait for them to lie still
                changes = [FileChange(path, "modified") for path in unstable]
                await self._ledger.journal.append_parts(NAME, FilesChanged(changes=changes))
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
            await self._hand_on(batch)
            removals, size = [], BATCH_FILES

    def _is_over(self, job_id: str) -> bool:
        """Cancelled, or ended by somebody else."""
        job = self._ledger.state.jobs.find_open(job_id)
        return job is None or job.cancel_requested

    def _known(self, generation: str, paths: Sequence[str]) -> Mapping[str, Entry]:
        """What is in the index that is written to; beside one that is built, what both have."""
        catalog = self._ledger.state.catalog
        building = catalog.building
        if building is None:
            return {} if generation else catalog.files
        if generation:
            return building.files if building.generation == generation else {}
        known = {path: catalog.files[path] for path in paths if path in catalog.files}
        return {p: e for p, e in known.items() if _has(building.files, p, e.sha256)}

    async def _judge(self, gone: Sequence[str], generation: str) -> Moves:
        """Notes that were there when the job was planned and are not any more."""
        files = self._ledger.state.catalog.files
        vanished = [path for path in gone if path in files and self._notes.includes(path)]
        if not vanished:
            return {}
        await READ.run(self._notes.verify_root)
        moves = await self.judge(vanished)
        if generation and any(map(self._deletions.is_held, vanished)):
            raise DeletionsHeldBack
        return moves

    async def judge(self, vanished: Sequence[str]) -> Moves:
        """Hold these if they are too many, and say so; the others leave the index.

        Before that, they are looked for in the vault: returns those that were moved.
        """
        if not vanished:
            return {}
        state = self._ledger.state
        before = state.health.deletions_held
        known = state.catalog.documents_stored
        moves: Moves = {}
        if self._deletions.would_hold(vanished, known, holding=before > 0):
            moves = await moves_in_vault(self._notes, state.catalog, vanished)
            moved = set(moves.values())
            vanished = [path for path in vanished if path not in moved]
        held = self._deletions.judge(vanished, known, holding=before > 0)
        if held > before:
            await self._ledger.journal.append(NAME, DeletionsHeld(count=held))
        self._deletions.applied(sum(not self._deletions.is_held(path) for path in vanished))
        return moves

    def _to_remove(self, reading: ReadResult, moves: Moves) -> list[str]:
        """What is gone, and what was in the index and is left out from now on.

        A moved note keeps its old path until it is stored under the new one.
        """
        kept = set(moves.values())
        gone = [p for p in reading.gone if p not in kept and not self._deletions.is_held(p)]
        is_stored = self._ledger.state.catalog.is_stored
        return [*gone, *(path for path, _ in reading.skipped if is_stored(path))]

    async def _hand_on(self, batch: Batch) -> None:
        if not batch.files and not batch.removed and not batch.final:
            return
        await self._payloads.admit(batch)
        formed = ChangesetFormed(
            job_id=batch.job_id,
            batch_id=batch.batch_id,
            upserts=[file.path for file in batch.files],
            deletes=list(batch.removed),
            final=batch.final,
        )
        await self._ledger.journal.append_parts(NAME, formed)
        crashpoint("job.after_formed")

    async def _report_reading(self, reading: ReadResult) -> None:
        """Everything that was read leaves a fact, or it would wait for ever."""
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
        """Notes that were left out, and are gone, are not listed as left out any more."""
        listed = self._ledger.state.catalog.skipped
        changes = [FileChange(path, "deleted") for path in gone if path in listed]
        if changes:
            await self._ledger.journal.append_parts(NAME, FilesChanged(changes=changes))


def _handled(reading: ReadResult) -> list[str]:
    """The paths that are dealt with; the others are gone, failed, or still being written."""
    read = [file.path for file in reading.files] + [file.path for file in reading.touched]
    return read + [path for path, _ in reading.skipped]


def _has(files: Mapping[str, Entry], path: str, sha256: str) -> bool:
    entry = files.get(path)
    return entry is not None and entry.sha256 == sha256
