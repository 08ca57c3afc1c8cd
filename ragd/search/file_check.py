"""Checks that the notes of results still exist when the answer is given. It never reads them.

The checks run in threads of their own. A vault on a dead mount may block these threads, but neither
other callers nor the answer, whose results are then `unverified`.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Protocol

from ragd.folds.catalog import Entry
from ragd.store.lance.schema import ChunkRow, iso_of_ns
from ragd.vault.files import FileStat, VaultGone
from ragd.vault.threads import SEARCH

WITHIN_S = 1.0

FileStats = dict[str, FileStat | None]


class FileStatReader(Protocol):
    """Reads size and time of files in the vault."""

    def stat_notes(self, paths: Iterable[str]) -> FileStats: ...


class FileCheck:
    """Checks whether notes exist."""

    def __init__(self, notes: FileStatReader) -> None:
        self._notes = notes

    async def check(self, paths: Iterable[str]) -> FileStats | None:
        """Size and time by path, None for a missing note; None if the vault is unavailable."""
        try:
            async with asyncio.timeout(WITHIN_S):
                return await SEARCH.run(self._notes.stat_notes, list(paths))
        except (VaultGone, TimeoutError):
            return None


def is_stale(row: ChunkRow, now: FileStat, catalog: Mapping[str, Entry]) -> bool:
    """Whether the note has changed since this chunk of it was stored."""
    entry = catalog.get(row.source_file)
    if entry is not None and entry.sha256 == row.file_sha256:
        return entry.mtime_ns != now.mtime_ns or entry.size != now.size
    return iso_of_ns(now.mtime_ns) != row.modified_at  # stored, but not recorded yet
