"""Fills in the change times of notes that an older version stored without one.

Such an entry has only size and modification time, and an edit can keep both. Each of these notes
is read once, when there is nothing else to do. It stores no note.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Protocol

from ragd.events import FileChange, FilesChanged, FilesTouched, TouchedFile
from ragd.folds.catalog import Entry
from ragd.folds.stored import UNKNOWN_NS, stored_files
from ragd.state.ledger import Ledger
from ragd.vault.collection_calls import (
    CollectionReader,
    CollectionVerifier,
    read_notes,
    verify_roots,
)
from ragd.vault.note_reader import ReadResult
from ragd.vault.safe_open import HAS_CHANGE_TIME
from ragd.vault.threads import READ

NAME = "batcher"
STEP_FILES = 128


class ChangeTimeReader(CollectionReader, CollectionVerifier, Protocol):
    """Reads notes; called in a thread."""


class ChangeTimes:
    """Works for the batcher, a few notes at a time; each note once in a run."""

    def __init__(self, ledger: Ledger, notes: ChangeTimeReader) -> None:
        self._ledger = ledger
        self._notes = notes
        self._remaining: list[str] | None = None

    async def fill_some(self) -> bool:
        """Read some notes; False when there is nothing to do now."""
        if not HAS_CHANGE_TIME or self._remaining == []:
            return False
        known = stored_files(self._ledger.state.catalog)
        if self._remaining is None:
            if not known:
                return False
            self._remaining = [path for path, entry in known.items() if not entry.ctime_ns]
        some = {path: known[path] for path in self._remaining[:STEP_FILES] if path in known}
        gone = await verify_roots(READ, self._notes, some)
        reading = await read_notes(READ, self._notes, self._present(some, gone), some)
        if some and len(gone | reading.lost) == len(self._notes.collections):
            return False  # it continues when the vault is back
        del self._remaining[:STEP_FILES]  # notes of a collection that is gone: in the next run
        await self._record(reading, some)
        return True

    def _present(self, paths: Iterable[str], gone: Container[str]) -> list[str]:
        return [path for path in paths if self._notes.collection_of(path) not in gone]

    async def _record(self, reading: ReadResult, known: Mapping[str, Entry]) -> None:
        journal = self._ledger.journal
        edited = [file.path for file in reading.files] + [path for path, _ in reading.skipped]
        touched = reading.touched + [_with_impossible_time(path, known[path]) for path in edited]
        if touched:
            await journal.append_parts(NAME, FilesTouched(files=touched, only_times=True))
        if edited:
            changes = [FileChange(path, "modified") for path in edited]
            await journal.append_parts(NAME, FilesChanged(changes=changes))


def _with_impossible_time(path: str, entry: Entry) -> TouchedFile:
    """Give the entry of an edited note a change time that no file has. So every scan sees that the
    note differs until it is stored; size and modification time alone would not show it."""
    return TouchedFile(
        path=path,
        mtime_ns=entry.mtime_ns,
        size=entry.size,
        sha256=entry.sha256,
        ctime_ns=UNKNOWN_NS,
    )
