"""Finds moved notes, so that they are neither held nor counted as deleted.

A file is read only if it has the size of a note that vanished. It stores nothing.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from ragd.batch.sync_plan import differing, vanished
from ragd.folds import State
from ragd.folds.catalog import Catalog, Entry
from ragd.folds.stored import stored_entry, stored_files
from ragd.vault.collection_calls import (
    CollectionHasher,
    CollectionScanner,
    CollectionStats,
    hash_notes,
    scan_all,
    stat_notes,
)
from ragd.vault.files import UNKNOWN_STAT, FileStat, NoteFile
from ragd.vault.move_matching import match_moves, possible_moves
from ragd.vault.threads import READ
from ragd.vault.vault_scan import VaultScan

Moves = dict[str, str]  # new path -> old path
MoveFinder = CollectionHasher


class VaultMoveFinder(CollectionHasher, CollectionScanner, CollectionStats, Protocol):
    """Lists notes, and reads their sizes and hashes."""


async def moves_in_scan(
    notes: MoveFinder,
    scanned: VaultScan,
    known: Mapping[str, Entry],
    *,
    includes: Callable[[str], bool] = lambda path: True,
    only: Collection[str] | None = None,
) -> Moves:
    """The notes that a scan found at another path than `known` has them.

    `includes`: whether a path belongs in the index; the others leave it anyway. `only`: look for
    these paths alone.
    """
    searched = known.keys() if only is None else only
    missing = set(vanished(searched, scanned.paths, scanned.may_exist))
    entries = {path: known[path] for path in filter(includes, missing) if path in known}
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
        held = await stat_notes(READ, notes, suspects)
        missing += [path for path, found in held.items() if found is None]
    entries = {path: entry for path in missing if (entry := stored_entry(catalog, path))}
    if not entries:
        return {}
    stored = {file.path: entry for file in appeared if (entry := stored_entry(catalog, file.path))}
    return await _compare(notes, entries, appeared, stored)


async def moves_in_vault(notes: VaultMoveFinder, state: State, gone: Collection[str]) -> Moves:
    """The new paths of these notes, as far as they have one. It scans all collections.

    Raises VaultGone if one of theirs cannot be used: then nothing is known about them.
    """
    scanned = await scan_all(READ, notes, state.catalog, state.health)
    for path in gone:
        if why := scanned.gone.get(scanned.collection_of(path)):
            raise why
    return await moves_in_scan(notes, scanned, stored_files(state.catalog), only=gone)


async def _compare(
    notes: MoveFinder,
    missing: Mapping[str, Entry],
    appeared: Sequence[NoteFile],
    known: Mapping[str, Entry],
) -> Moves:
    """A path that the index has counts as new only if its content is new."""
    hashed = await hash_notes(READ, notes, possible_moves(missing.values(), appeared))
    new = {p: sha for p, sha in hashed.items() if p not in known or known[p].sha256 != sha}
    return match_moves({path: entry.sha256 for path, entry in missing.items()}, new)
