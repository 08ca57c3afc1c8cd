"""Finds notes that were moved, so that they are neither held nor counted as deleted.

A file is read only when its size is that of a note that vanished. Nothing is stored here.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from ragd.batch.sync_plan import differing, vanished
from ragd.folds.catalog import Catalog, Entry
from ragd.folds.stored import stored_entry, stored_files
from ragd.vault.files import UNKNOWN_STAT, FileStat, NoteFile
from ragd.vault.note_reader import VaultScan
from ragd.vault.threads import READ

Moves = dict[str, str]  # new path -> old path


class Reader(Protocol):
    """Compares contents: for a thread."""

    def find_moves(
        self, missing: Mapping[str, Entry], appeared: Sequence[NoteFile], known: Mapping[str, str]
    ) -> Moves: ...


class Notes(Reader, Protocol):
    """What is asked of the vault here; all of it looks at files, so it runs in a thread."""

    def stat_notes(self, paths: Iterable[str]) -> Mapping[str, FileStat | None]: ...

    def scan(self, *, may_be_empty: bool) -> VaultScan: ...


async def moves_in_scan(
    notes: Reader,
    scanned: VaultScan,
    known: Mapping[str, Entry],
    *,
    denied: Collection[str] = (),
    only: Collection[str] | None = None,
) -> Moves:
    """The notes that a scan found at another path than `known` has them.

    `denied`: paths that leave the index anyway. `only`: no other path is looked for.
    """
    there = {file.path for file in scanned.notes}
    missing = set(vanished(known if only is None else only, there, scanned.unreadable_folders))
    entries = {path: known[path] for path in missing.difference(denied) if path in known}
    if not entries:
        return {}
    news = set(differing(scanned.notes, known))
    appeared = [file for file in scanned.notes if file.path in news]
    return await _compare(notes, entries, appeared, known)


async def moves_among(
    notes: Notes, catalog: Catalog, facts: Mapping[str, FileStat | None], *, holding: bool
) -> Moves:
    """The notes that were moved, among paths that changed; `facts`: what is there now.

    While deletions are held, a path that appeared may also stand for one of those.
    """
    appeared = [
        NoteFile(path, found.size, found.mtime_ns, found.ctime_ns)
        for path, found in facts.items()
        if found is not None and found != UNKNOWN_STAT
    ]
    if not appeared:
        return {}
    missing = [path for path, found in facts.items() if found is None]
    if holding:
        sizes = {file.size for file in appeared}
        known = stored_files(catalog).items()
        suspects = [path for path, entry in known if entry.size in sizes and path not in facts]
        looked_at = await READ.run(notes.stat_notes, suspects)
        missing += [path for path, found in looked_at.items() if found is None]
    entries = {path: entry for path in missing if (entry := stored_entry(catalog, path))}
    if not entries:
        return {}
    stored = {file.path: entry for file in appeared if (entry := stored_entry(catalog, file.path))}
    return await _compare(notes, entries, appeared, stored)


async def moves_in_vault(notes: Notes, catalog: Catalog, gone: Collection[str]) -> Moves:
    """Where these notes are now, as far as they are anywhere; looks through the whole vault."""
    scanned = await READ.run(notes.scan, may_be_empty=False)
    return await moves_in_scan(notes, scanned, stored_files(catalog), only=gone)


async def _compare(
    notes: Reader,
    missing: Mapping[str, Entry],
    appeared: Sequence[NoteFile],
    known: Mapping[str, Entry],
) -> Moves:
    before = {file.path: known[file.path].sha256 for file in appeared if file.path in known}
    return await READ.run(notes.find_moves, missing, appeared, before)
