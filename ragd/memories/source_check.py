"""Checks whether the source notes of memories have changed: their hashes, then and now.

It runs in its own thread lane (`vault.threads`) with a time limit, so that a vault that hangs does
not block other requests. It never changes a memory.
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from typing import Protocol

from ragd.memories.matching import Memory
from ragd.vault.collection_calls import CollectionStats, group_paths
from ragd.vault.files import (
    UNKNOWN_STAT,
    ChangedWhileRead,
    FileStat,
    FileUnreadable,
    NoteMissing,
    SkipPath,
    VaultGone,
)
from ragd.vault.threads import MEMORIES

WITHIN_S = 1.0
CACHED_MAX = 10_000
GONE = ""  # the hash of a note that is gone


class SourceReader(CollectionStats, Protocol):
    """Reads notes that the configuration in force allows."""

    def read_bytes(self, path: str) -> tuple[bytes, str]: ...


class SourceCheck:
    """Hashes of source notes. A note is read again only if its size or time differs."""

    def __init__(self, notes: SourceReader) -> None:
        self._notes = notes
        self._cached: dict[str, tuple[int, int, str]] = {}  # size, mtime_ns, hash

    async def hash_of(self, path: str) -> str | None:
        """The SHA-256 of a note now; None if it cannot be read."""
        return (await self._hashes([path])).get(path) or None

    async def find_stale(self, memories: Sequence[Memory]) -> dict[str, bool | None]:
        """Whether each memory's note has changed or is gone, by key; None if it cannot be checked.

        For a memory that was stored without a hash, only a missing note can be detected.
        """
        now = await self._hashes(dict.fromkeys(memory.source for memory in memories))
        found: dict[str, bool | None] = {}
        for memory in memories:
            seen = now.get(memory.source)
            if seen is None:
                found[memory.key] = None
            elif seen == GONE or memory.source_sha256 is None:
                found[memory.key] = seen == GONE
            else:
                found[memory.key] = seen != memory.source_sha256
        return found

    async def _hashes(self, paths: Iterable[str]) -> dict[str, str]:
        """The hash of each note, or GONE, without the notes of collections that cannot be used."""
        groups = group_paths(self._notes, paths)
        found = await asyncio.gather(*(self._hash_group(*group) for group in groups.items()))
        return {path: digest for group in found for path, digest in group.items()}

    async def _hash_group(self, collection: str, paths: Sequence[str]) -> dict[str, str]:
        try:
            async with asyncio.timeout(WITHIN_S):
                return await MEMORIES.of(collection).run(self._read_hashes, collection, paths)
        except (TimeoutError, VaultGone):
            return {}

    def _read_hashes(self, collection: str, paths: Sequence[str]) -> dict[str, str]:
        """The hash of each note, or GONE. Notes for which there is no time are left out."""
        until = time.monotonic() + WITHIN_S * 0.8
        facts = self._notes.stat_notes(collection, paths)
        found: dict[str, str] = {}
        for path, fact in facts.items():
            if time.monotonic() > until:
                break
            if fact is None:
                found[path] = GONE
            elif fact != UNKNOWN_STAT and (seen := self._hash(path, fact)) is not None:
                found[path] = seen
        return found

    def _hash(self, path: str, fact: FileStat) -> str | None:
        known = self._cached.get(path)
        if known is not None and known[:2] == (fact.size, fact.mtime_ns):
            return known[2]
        try:
            _, sha256 = self._notes.read_bytes(path)
        except NoteMissing:
            return GONE
        except (ChangedWhileRead, SkipPath, FileUnreadable, VaultGone):
            return None
        if len(self._cached) >= CACHED_MAX:
            self._cached.clear()
        self._cached[path] = (fact.size, fact.mtime_ns, sha256)
        return sha256
