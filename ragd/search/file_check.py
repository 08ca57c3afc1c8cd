"""Checks that the notes of results still exist when the answer is given. It never reads them.

The checks run in threads of their own. A collection on a dead mount may block its threads, but
neither other callers nor the answer: the results from it are then `unverified`.
"""

from collections.abc import Iterable, Mapping

from ragd.folds.catalog import Entry
from ragd.store.lance.schema import ChunkRow, iso_of_ns
from ragd.vault.collection_calls import CollectionStats, stat_notes
from ragd.vault.files import FileStat, VaultGone
from ragd.vault.threads import SEARCH

WITHIN_S = 1.0

FileStats = dict[str, FileStat | None]


class FileCheck:
    """Checks whether notes exist."""

    def __init__(self, notes: CollectionStats) -> None:
        self._notes = notes

    async def check(self, paths: Iterable[str]) -> FileStats | None:
        """Size and time by path, None for a missing note; None if nothing could be checked."""
        try:
            return await stat_notes(SEARCH, self._notes, paths, WITHIN_S)
        except VaultGone:
            return None


def is_stale(row: ChunkRow, now: FileStat, catalog: Mapping[str, Entry]) -> bool:
    """Whether the note has changed since this chunk of it was stored."""
    entry = catalog.get(row.source_file)
    if entry is not None and entry.sha256 == row.file_sha256:
        return entry.mtime_ns != now.mtime_ns or entry.size != now.size
    return iso_of_ns(now.mtime_ns) != row.modified_at  # stored, but not recorded yet
