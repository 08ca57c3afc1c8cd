"""Memories in an SQLite file of their own: a person's data, kept until it is forgotten.

A stored memory survives a kill. A forgotten or replaced one leaves no byte in the file. It never
moves a damaged file aside, and no error contains text of a memory.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from ragd.access.scope import Permits
from ragd.errors import RagdError
from ragd.memories.matching import Memory, MemoryMatcher, QueryMeaning
from ragd.runtime import sqlite_files

MEMORIES_MAX = 10_000
CHARACTERS_MAX = 4_000_000  # of all keys and values together
WITHIN_S = 10.0
FORMAT = 2

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_SETTINGS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;
PRAGMA temp_store = MEMORY;
"""
_TABLE = """
CREATE TABLE IF NOT EXISTS memories (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    source TEXT NOT NULL,
    stored_at TEXT NOT NULL
) WITHOUT ROWID
"""
# Since format 2. `space` is the vector space of `vector`.
_ADDED = (
    "source_sha256 TEXT",
    "may_leave INTEGER NOT NULL DEFAULT 0",
    "space TEXT",
    "vector BLOB",
)
_COLUMNS = "key, value, source, stored_at, source_sha256, may_leave"

KnownFact = tuple[str, str]  # a key or a source, and the value

T = TypeVar("T")


class MemoryStore:
    """The memories as the daemon uses them. Every call that uses the file runs on the store's own
    thread.

    Each call raises RagdError if the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._file = _MemoryFile(path)
        self._thread = ThreadPoolExecutor(1, "memories")
        self._closed = False

    async def store(self, memory: Memory) -> None:
        """Keep it, in place of one with the same key. It is on the disk when this returns."""
        await self._run(lambda: self._file.store(memory))

    async def forget(self, key: str) -> bool:
        """Erase it from the disk. False if there was none."""
        return await self._run(lambda: self._file.forget(key))

    async def all(self) -> list[Memory]:
        """Every memory, newest first."""
        return await self._run(self._file.all)

    async def find_matching(
        self,
        query: str,
        limit: int,
        meaning: QueryMeaning | None = None,
        permits: Permits | None = None,
    ) -> list[Memory]:
        """Those that share words with the query or are close to it, best first."""
        if self._file.is_known_empty:
            return []
        return await self._run(
            lambda: self._file.matcher().find_matching(query, limit, meaning, permits)
        )

    async def known_facts(self, permits: Permits | None = None) -> frozenset[KnownFact]:
        """Each memory's value with its key, and with its source."""
        if permits is None and (known := self._file.facts_read) is not None:
            return known
        return await self._run(lambda: self._file.known_facts(permits))

    async def without_vector(self, space: str) -> list[Memory]:
        """Those that have no vector in this space."""
        return await self._run(lambda: self._file.without_vector(space))

    async def keep_vectors(self, space: str, made: Mapping[str, tuple[str, bytes]]) -> None:
        """Keep vectors with their memories: by key, the embedded value and its vector. A vector is
        dropped if its memory was forgotten or replaced meanwhile."""
        await self._run(lambda: self._file.keep_vectors(space, made))

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._thread, self._file.close)
            self._thread.shutdown()

    async def _run(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise RagdError("INTERNAL", "The daemon is stopping.")
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(WITHIN_S):
                return await loop.run_in_executor(self._thread, self._file.run, work)
        except TimeoutError:
            raise RagdError("TIMEOUT") from None


class _MemoryFile:
    """The file. Used by one thread only; others may see what it has read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._matcher: MemoryMatcher | None = None
        self._known_facts: frozenset[KnownFact] | None = None

    @property
    def is_known_empty(self) -> bool:
        """Whether it was read since the last change, and has no memory."""
        matcher = self._matcher
        return matcher is not None and not matcher.memories

    @property
    def facts_read(self) -> frozenset[KnownFact] | None:
        """The known facts, if they were read since the last change."""
        return self._known_facts

    def run(self, work: Callable[[], T]) -> T:
        """Do `work`. Errors of SQLite or the disk become RagdError, without their texts."""
        try:
            return work()
        except sqlite3.Error as error:
            sqlite_files.roll_back(self._connection)
            raise _file_error(getattr(error, "sqlite_errorcode", 0) & 0xFF) from None
        except OSError:
            raise _file_error(0) from None

    def store(self, memory: Memory) -> None:
        connection = self._open()
        self._matcher = self._known_facts = None
        connection.execute("BEGIN IMMEDIATE")
        # The old row goes first, so that a replaced memory is counted once.
        replaced = connection.execute("DELETE FROM memories WHERE key = ?", (memory.key,)).rowcount
        number, characters = connection.execute(
            "SELECT count(*), coalesce(sum(length(key) + length(value)), 0) FROM memories"
        ).fetchone()
        if (
            number >= MEMORIES_MAX
            or characters + len(memory.key) + len(memory.value) > CHARACTERS_MAX
        ):
            connection.execute("ROLLBACK")
            raise _no_room_error()
        connection.execute(
            f"INSERT INTO memories ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608
            (
                memory.key,
                memory.value,
                memory.source,
                memory.stored_at,
                memory.source_sha256,
                memory.may_leave,
            ),
        )
        connection.execute("COMMIT")
        if replaced:
            self._erase()

    def forget(self, key: str) -> bool:
        connection = self._open()
        self._matcher = self._known_facts = None
        gone = connection.execute("DELETE FROM memories WHERE key = ?", (key,)).rowcount
        # Also if there was none: an earlier erasure may have been interrupted.
        self._erase()
        return gone > 0

    def all(self) -> list[Memory]:
        rows = self._open().execute(
            f"SELECT {_COLUMNS} FROM memories ORDER BY stored_at DESC, key"  # noqa: S608
        )
        return [_memory(row) for row in rows]

    def matcher(self) -> MemoryMatcher:
        if self._matcher is None:
            rows = self._open().execute(
                "SELECT key, space, vector FROM memories WHERE vector IS NOT NULL"
            )
            self._matcher = MemoryMatcher(
                self.all(), {key: (space, vector) for key, space, vector in rows}
            )
        return self._matcher

    def known_facts(self, permits: Permits | None) -> frozenset[KnownFact]:
        if permits is not None:
            return _facts([one for one in self.matcher().memories if permits(one.source)])
        if self._known_facts is None:
            self._known_facts = _facts(self.matcher().memories)
        return self._known_facts

    def without_vector(self, space: str) -> list[Memory]:
        rows = self._open().execute(
            f"SELECT {_COLUMNS} FROM memories WHERE space IS NOT ? ORDER BY key",  # noqa: S608
            (space,),
        )
        return [_memory(row) for row in rows]

    def keep_vectors(self, space: str, made: Mapping[str, tuple[str, bytes]]) -> None:
        connection = self._open()
        self._matcher = None
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            "UPDATE memories SET space = ?, vector = ? WHERE key = ? AND value = ?",
            [(space, vector, key, value) for key, (value, vector) in made.items()],
        )
        connection.execute("COMMIT")

    def close(self) -> None:
        connection, self._connection = self._connection, None
        sqlite_files.close(connection)

    def _erase(self) -> None:
        """Leave no trace of deleted rows. SQLite overwrites them with zeros, but it also moves rows
        between pages and may leave the old bytes (5 of 21,805 in a test). A fresh copy of the
        file has no such bytes."""
        connection = self._open()
        connection.execute("VACUUM")
        (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise RagdError(
                "TIMEOUT",
                "The memory is deleted, but another program has the file of memories open, so "
                "traces of it may be left.",
                "Close that program and repeat the command.",
            )

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            found: list[int] = []

            def check(version: int) -> None:
                _check_format(version)
                found.append(version)

            connection = sqlite_files.open_private(self._path, _SETTINGS, "", check)
            try:
                _upgrade(connection, found[0])
            except BaseException:
                sqlite_files.close(connection)
                raise
            self._connection = connection
        return self._connection


def _facts(memories: Sequence[Memory]) -> frozenset[KnownFact]:
    return frozenset(
        (name, memory.value) for memory in memories for name in (memory.key, memory.source)
    )


def _upgrade(connection: sqlite3.Connection, version: int) -> None:
    """Make the table of this format, in a new file or an older one. All or nothing."""
    if version == FORMAT:
        return
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(_TABLE)
    for column in _ADDED:
        connection.execute(f"ALTER TABLE memories ADD COLUMN {column}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def _no_room_error() -> RagdError:
    return RagdError(
        "INVALID_REQUEST",
        f"There is no room for another memory: at most {MEMORIES_MAX:,} memories and "
        f"{CHARACTERS_MAX:,} characters are kept.",
        "Forget some with `ragctl memory forget KEY`.",
    )


def _file_error(code: int) -> RagdError:
    if code == sqlite3.SQLITE_FULL:
        return RagdError("DISK_FULL")
    if code in _DAMAGED:
        return RagdError(
            "INTERNAL",
            "The file of memories, memories.sqlite in ragd's home, is damaged.",
            "Replace it with a good copy, or move it away to start again; ragd does not change it.",
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return RagdError("TIMEOUT", "Another program has the file of memories open.")
    return RagdError(
        "INTERNAL",
        "The file of memories, memories.sqlite in ragd's home, cannot be used.",
        "Run `ragctl doctor`.",
    )


def _check_format(found: int) -> None:
    if found not in (0, 1, FORMAT):
        raise RagdError(
            "INTERNAL",
            "The memories were written by a newer version of ragd.",
            "Install that version again; ragd does not change the file.",
        )


def _memory(row: tuple[Any, ...]) -> Memory:
    key, value, source, stored_at, source_sha256, may_leave = row
    return Memory(key, value, source, stored_at, source_sha256, bool(may_leave))
