"""Memories in a small SQLite file of their own: a person's data, kept until they are forgotten.

What was acknowledged survives a kill, and what was forgotten or replaced is in no byte of the file.
It never sets a damaged file aside by itself, and never says what a memory is about.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from ragd.errors import RagdError
from ragd.memories.matching import Meaning, Memory, Recall
from ragd.runtime import sqlite_files

MOST = 10_000
MOST_CHARACTERS = 4_000_000  # of all keys and values together
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
# Since format 2. Of a vector `space` says in which vector space it is.
_ADDED = (
    "source_sha256 TEXT",
    "may_leave INTEGER NOT NULL DEFAULT 0",
    "space TEXT",
    "vector BLOB",
)
_COLUMNS = "key, value, source, stored_at, source_sha256, may_leave"

Fact = tuple[str, str]  # a key or a source, and the value

T = TypeVar("T")


class MemoryStore:
    """The memories as the daemon uses them: every call runs on one thread of its own.

    Each call raises RagdError when the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._file = _MemoryFile(path)
        self._thread = ThreadPoolExecutor(1, "memories")
        self._closed = False

    async def store(self, memory: Memory) -> None:
        """Keep it, in place of one with the same key; on the disk when this returns."""
        await self._run(lambda: self._file.store(memory))

    async def forget(self, key: str) -> bool:
        """Erase it from the disk; whether there was one."""
        return await self._run(lambda: self._file.forget(key))

    async def all(self) -> list[Memory]:
        """Every memory, newest first."""
        return await self._run(self._file.all)

    async def matching(
        self, query: str, limit: int, meaning: Meaning | None = None
    ) -> list[Memory]:
        """Those that share words with the query or are near to it, best first."""
        return await self._run(lambda: self._file.recall().matching(query, limit, meaning))

    async def facts(self) -> frozenset[Fact]:
        """Each memory's value with its key, and with its source."""
        return await self._run(self._file.facts)

    async def lacking(self, space: str) -> list[Memory]:
        """Those that have no vector in this space."""
        return await self._run(lambda: self._file.lacking(space))

    async def keep_vectors(self, space: str, made: Mapping[str, tuple[str, bytes]]) -> None:
        """Keep vectors beside their memories: by key, the value that was embedded and its vector.
        One whose memory was forgotten or replaced meanwhile is dropped."""
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
                return await loop.run_in_executor(self._thread, self._file.guarded, work)
        except TimeoutError:
            raise RagdError("TIMEOUT") from None


class _MemoryFile:
    """The file. Used by one thread only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._recall: Recall | None = None
        self._facts: frozenset[Fact] | None = None

    def guarded(self, work: Callable[[], T]) -> T:
        """Do `work`; what SQLite or the disk say becomes a sentence, without their words."""
        try:
            return work()
        except sqlite3.Error as error:
            sqlite_files.roll_back(self._connection)
            raise _explained(getattr(error, "sqlite_errorcode", 0) & 0xFF) from None
        except OSError:
            raise _explained(0) from None

    def store(self, memory: Memory) -> None:
        connection = self._open()
        self._recall = self._facts = None
        connection.execute("BEGIN IMMEDIATE")
        # With its key out of the way it counts once, whether it is new or not.
        replaced = connection.execute("DELETE FROM memories WHERE key = ?", (memory.key,)).rowcount
        number, characters = connection.execute(
            "SELECT count(*), coalesce(sum(length(key) + length(value)), 0) FROM memories"
        ).fetchone()
        if number >= MOST or characters + len(memory.key) + len(memory.value) > MOST_CHARACTERS:
            connection.execute("ROLLBACK")
            raise _no_room()
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
        self._recall = self._facts = None
        gone = connection.execute("DELETE FROM memories WHERE key = ?", (key,)).rowcount
        # Also when there was none: an erasure before may have been cut short.
        self._erase()
        return gone > 0

    def all(self) -> list[Memory]:
        rows = self._open().execute(
            f"SELECT {_COLUMNS} FROM memories ORDER BY stored_at DESC, key"  # noqa: S608
        )
        return [_memory(row) for row in rows]

    def recall(self) -> Recall:
        if self._recall is None:
            rows = self._open().execute(
                "SELECT key, space, vector FROM memories WHERE vector IS NOT NULL"
            )
            self._recall = Recall(self.all(), {key: (space, vector) for key, space, vector in rows})
        return self._recall

    def facts(self) -> frozenset[Fact]:
        if self._facts is None:
            kept = self.all()
            self._facts = frozenset(
                [(one.key, one.value) for one in kept] + [(one.source, one.value) for one in kept]
            )
        return self._facts

    def lacking(self, space: str) -> list[Memory]:
        rows = self._open().execute(
            f"SELECT {_COLUMNS} FROM memories WHERE space IS NOT ? ORDER BY key",  # noqa: S608
            (space,),
        )
        return [_memory(row) for row in rows]

    def keep_vectors(self, space: str, made: Mapping[str, tuple[str, bytes]]) -> None:
        connection = self._open()
        self._recall = None
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
        """Leave no trace of deleted rows. SQLite zeroes them, but it also moves rows between pages
        and may leave their old places as they were (5 of 21,805 in a trial): a fresh copy has no
        such places."""
        connection = self._open()
        connection.execute("VACUUM")
        (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise RagdError(
                "TIMEOUT",
                "It is deleted, but another program holds the memories' file open, so that traces "
                "of it may be left.",
                "Close that program and ask for it again.",
            )

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            found: list[int] = []

            def check(version: int) -> None:
                _check_format(version)
                found.append(version)

            connection = sqlite_files.open_private(self._path, _SETTINGS, "", check)
            try:
                _bring_up_to_date(connection, found[0])
            except BaseException:
                sqlite_files.close(connection)
                raise
            self._connection = connection
        return self._connection


def _bring_up_to_date(connection: sqlite3.Connection, version: int) -> None:
    """The table of this format, in a new file or in an older one; all of it or nothing."""
    if version == FORMAT:
        return
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(_TABLE)
    for column in _ADDED:
        connection.execute(f"ALTER TABLE memories ADD COLUMN {column}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def _no_room() -> RagdError:
    return RagdError(
        "INVALID_REQUEST",
        f"There is no room for another memory: {MOST:,} of them, or {MOST_CHARACTERS:,} "
        "characters, is the most.",
        "Forget some with `ragctl memory forget KEY`.",
    )


def _explained(code: int) -> RagdError:
    if code == sqlite3.SQLITE_FULL:
        return RagdError("DISK_FULL")
    if code in _DAMAGED:
        return RagdError(
            "INTERNAL",
            "The memories' file, memories.sqlite in ragd's home, is damaged.",
            "Put a good copy in its place, or move it away to begin anew; it is left as it is.",
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return RagdError("TIMEOUT", "Another program holds the memories' file.")
    return RagdError(
        "INTERNAL",
        "The memories' file, memories.sqlite in ragd's home, cannot be used.",
        "Run `ragctl doctor`.",
    )


def _check_format(found: int) -> None:
    if found not in (0, 1, FORMAT):
        raise RagdError(
            "INTERNAL",
            "The memories were written by a newer version of ragd.",
            "Install that version again; they are left as they are.",
        )


def _memory(row: tuple[Any, ...]) -> Memory:
    key, value, source, stored_at, source_sha256, may_leave = row
    return Memory(key, value, source, stored_at, source_sha256, bool(may_leave))
