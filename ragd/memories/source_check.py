"""Whether the notes that memories came from have changed since: their hashes, then and now.

It looks in a lane of its own (`vault.threads`) and within a time limit, so that a vault that hangs
holds up nobody. It never decides what becomes of a memory.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from ragd.memories.matching import Memory
from ragd.vault.files import (
    UNKNOWN_STAT,
    ChangedWhileRead,
    FileStat,
    NoteMissing,
    SkipPath,
    Unreadable,
    VaultGone,
)
from ragd.vault.threads import MEMORIES

WITHIN_S = 1.0
CACHED = 10_000
GONE = ""  # in place of a hash

T = TypeVar("T")


class Notes(Protocol):
    """The vault under the configuration in force."""

    def stat_notes(self, paths: Iterable[str]) -> dict[str, FileStat | None]: ...

    def read_bytes(self, path: str) -> tuple[bytes, str]: ...


class Sources:
    """Hashes of source notes; one is read again only when its size or time differs."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._read: dict[str, tuple[int, int, str]] = {}  # size, mtime_ns, hash

    async def hash_of(self, path: str) -> str | None:
        """The SHA-256 of a note now; None if it cannot be read."""
        return (await self._run(lambda: self._hashes([path]))).get(path) or None

    async def stale(self, memories: Sequence[Memory]) -> dict[str, bool | None]:
        """Whether each memory's note has changed or is gone, by key; None where nobody could look.

        Of a memory that was stored without a hash only a note that is gone can be told.
        """
        now = await self._run(lambda: self._hashes([memory.source for memory in memories]))
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

    async def _run(self, work: Callable[[], dict[str, str]]) -> dict[str, str]:
        try:
            async with asyncio.timeout(WITHIN_S):
                return await MEMORIES.run(work)
        except (TimeoutError, VaultGone):
            return {}

    def _hashes(self, paths: Iterable[str]) -> dict[str, str]:
        """The hash of each note, GONE for one that is gone; without those there is no time for."""
        until = time.monotonic() + WITHIN_S * 0.8
        try:
            facts = self._notes.stat_notes(dict.fromkeys(paths))
        except VaultGone:
            return {}
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
        known = self._read.get(path)
        if known is not None and known[:2] == (fact.size, fact.mtime_ns):
            return known[2]
        try:
            _, sha256 = self._notes.read_bytes(path)
        except NoteMissing:
            return GONE
        except (ChangedWhileRead, SkipPath, Unreadable, VaultGone):
            return None
        if len(self._read) >= CACHED:
            self._read.clear()
        self._read[path] = (fact.size, fact.mtime_ns, sha256)
        return sha256
