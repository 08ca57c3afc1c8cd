"""Finds moved notes, so that they are neither held nor counted as deleted.

A file is read only if it has the size of a note that vanished. It stores nothing.
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


class MoveFinder(Protocol):
    """Compares contents; called in a thread."""

    def find_moves(
        self, missing: Mapping[str, Entry], appeared: Sequence[NoteFile], known: Mapping[str, str]
    ) -> Moves: ...


class VaultMoveFinder(MoveFinder, Protocol):
    """Finds moves, and lists files and their sizes; called in a thread."""

    def stat_notes(self, paths: Iterable[str]) -> Mapping[str, FileStat | None]: ...

    def scan(self, *, may_be_empty: bool) -> VaultScan: ...


async def moves_in_scan(
    notes: MoveFinder,
    scanned: VaultScan,
    known: Mapping[str, Entry],
    *,
    denied: Collection[str] = (),
    only: Collection[str] | None = None,
) -> Moves:
    """The notes that a scan found at another path than `known` has them.

    `denied`: paths that leave the index anyway. `only`: look for these paths alone.
    """
    present = {file.path for file in scanned.notes}
    searched = known if only is None else only
    missing = set(vanished(searched, present, scanned.unreadable_folders))
    entries = {path: known[path] for path in missing.difference(denied) if path in known}
    if not entries:
        return {}
    changed = set(differing(scanned.notes, known))
    appeared = [file for file in scanned.notes if file.path in changed]
    return await _compare(notes, entries, appeared, known)


async def moves_among(
    notes: VaultMoveFinder, catalog: Catalog, stats: Mapping[str, FileStat | None], *, holding: bool
) -> Moves:
    """The moved notes among changed paths. `stats`: the size and times of each path now.

    While deletions are held, a path that appeared may also be a held note at its new place.
    """
    appeared = [
        NoteFile(path, found.size, found.mtime_ns, found.ctime_ns)
        for path, found in stats.items()
        if found is not None and found != UNKNOWN_STAT
    ]
    if not appeared:
        return {}
    missing = [path for path, found in stats.items() if found is None]
    if holding:
        sizes = {file.size for file in appeared}
        known = stored_files(catalog).items()
        suspects = [path for path, entry in known if entry.size in sizes and path not in stats]
        held = await READ.run(notes.stat_notes, suspects)
        missing += [path for path, found in held.items() if found is None]
    entries = {path: entry for path in missing if (entry := stored_entry(catalog, path))}
    if not entries:
        return {}
    stored = {file.path: entry for file in appeared if (entry := stored_entry(catalog, file.path))}
    return await _compare(notes, entries, appeared, stored)


async def moves_in_vault(notes: VaultMoveFinder, catalog: Catalog, gone: Collection[str]) -> Moves:
    """The new paths of these notes, as far as they have one. It scans the whole vault."""
    scanned = await READ.run(notes.scan, may_be_empty=False)
    return await moves_in_scan(notes, scanned, stored_files(catalog), only=gone)


async def _compare(
    notes: MoveFinder,
    missing: Mapping[str, Entry],
    appeared: Sequence[NoteFile],
    known: Mapping[str, Entry],
) -> Moves:
    before = {file.path: known[file.path].sha256 for file in appeared if file.path in known}
    return await READ.run(notes.find_moves, missing, appeared, before)
