"""Vectors already paid for, in SQLite, by vector space and content hash.

It only ever saves work: a cache that is damaged is set aside, one that cannot be written is no
cache, and neither is a failure. It holds no text, and hands out no vector whose checksum is wrong.
"""

import asyncio
import contextlib
import sqlite3
import time
import zlib
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Literal, TypeVar

from msgspec import Struct

from ragd.embed.providers.embedder_port import Vector
from ragd.runtime import sqlite_files

MAX_BYTES = 512 * 1024 * 1024
FORMAT = 1
_AT_ONCE = 500  # hashes in one statement
_DAY_S = 86_400  # last use is kept to the day, so that reading seldom writes
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

_SETTINGS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA secure_delete = ON;
PRAGMA journal_size_limit = 4194304;
"""
_TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS vectors (
    space TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    used_day INTEGER NOT NULL,
    crc INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (space, content_hash)
);
CREATE INDEX IF NOT EXISTS vectors_by_use ON vectors (used_day);
PRAGMA user_version = {FORMAT};
COMMIT;
"""

T = TypeVar("T")


class CacheState(Struct, frozen=True):
    """How the cache is: `trouble` is why it saves nothing at the moment, if so."""

    vectors: int
    size_bytes: int
    trouble: Literal["cannot be written", "cannot be opened"] | None


class EmbeddingCache:
    """The cache as the daemon uses it: every call runs on one thread of its own."""

    def __init__(
        self, path: Path, max_bytes: int = MAX_BYTES, now: Callable[[], float] = time.time
    ) -> None:
        self._file = _CacheFile(path, max_bytes, now)
        self._thread = ThreadPoolExecutor(1, "embedding-cache")
        self._closed = False

    async def get_many(self, space: str, hashes: Collection[str]) -> dict[str, Vector]:
        """The vectors that are known, by content hash."""
        found: dict[str, Vector] = {}
        return await self._run(lambda: self._file.get(space, hashes), found)

    async def put_many(self, space: str, vectors: Mapping[str, Vector]) -> None:
        """Keep these, safe from a kill when it returns; the longest unused make room."""
        await self._run(lambda: self._file.put(space, vectors), None)

    async def forget(self, hashes: Collection[str]) -> None:
        """Erase these, of every space, from the disk too; if need be with all the others."""
        await self._run(lambda: self._file.forget(hashes), None)

    async def keep_only(self, hashes: Collection[str]) -> int:
        """Erase everything but these; how many vectors that were."""
        return await self._run(lambda: self._file.keep_only(hashes), 0)

    async def state(self) -> CacheState:
        return await self._run(self._file.state, CacheState(0, 0, "cannot be opened"))

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._thread, self._file.close)
            self._thread.shutdown()

    async def _run(self, work: Callable[[], T], nothing: T) -> T:
        if self._closed:
            return nothing
        guarded = lambda: self._file.guard(work, nothing)  # noqa: E731
        return await asyncio.get_running_loop().run_in_executor(self._thread, guarded)


class _CacheFile:
    """The file and what may befall it. Used by one thread only."""

    def __init__(self, path: Path, max_bytes: int, now: Callable[[], float]) -> None:
        self._path = path
        self._aside = path.with_name(f"{path.name}.aside")
        self._max_bytes = max_bytes
        self._now = now
        self._connection: sqlite3.Connection | None = None
        self._trouble: Literal["cannot be written", "cannot be opened"] | None = None

    def guard(self, work: Callable[[], T], nothing: T) -> T:
        """Do `work`, or `nothing`: what goes wrong here is never the caller's trouble."""
        try:
            result = work()
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
                self._set_aside()
            else:
                sqlite_files.roll_back(self._connection)
                self._trouble = "cannot be written" if self._connection else "cannot be opened"
            return nothing
        except OSError:
            self._trouble = "cannot be opened"
            return nothing
        return result

    def get(self, space: str, hashes: Collection[str]) -> dict[str, Vector]:
        found: dict[str, Vector] = {}
        stale: list[int] = []
        for some in _portions(hashes):
            marks = ",".join("?" * len(some))
            rows = self._open().execute(
                "SELECT rowid, content_hash, used_day, crc, vector FROM vectors"  # noqa: S608
                f" WHERE space = ? AND content_hash IN ({marks})",
                (space, *some),
            )
            for row, content_hash, used_day, crc, vector in rows:
                if isinstance(vector, bytes) and zlib.crc32(vector) == crc:
                    found[content_hash] = vector
                    if used_day != self._today():
                        stale.append(row)
        self.guard(lambda: self._touch(stale), None)
        return found

    def put(self, space: str, vectors: Mapping[str, Vector]) -> None:
        today = self._today()
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)",
            (
                (space, content_hash, today, zlib.crc32(vector), vector)
                for content_hash, vector in vectors.items()
            ),
        )
        self._make_room(max(16, len(vectors)))
        connection.execute("COMMIT")
        self._trouble = None

    def forget(self, hashes: Collection[str]) -> None:
        self._aside.unlink(missing_ok=True)
        try:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            for some in _portions(hashes):
                marks = ",".join("?" * len(some))
                connection.execute(
                    f"DELETE FROM vectors WHERE content_hash IN ({marks})",  # noqa: S608
                    some,
                )
            connection.execute("COMMIT")
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.DatabaseError:
            busy = 1
        if busy:  # the promise to erase is worth more than the cache
            self.close()
            self._remove()

    def keep_only(self, hashes: Collection[str]) -> int:
        kept = set(hashes)
        rows = self._open().execute("SELECT DISTINCT content_hash FROM vectors")
        gone = [content_hash for (content_hash,) in rows if content_hash not in kept]
        if gone:
            self.forget(gone)
        return len(gone)

    def state(self) -> CacheState:
        (vectors,) = self._open().execute("SELECT count(*) FROM vectors").fetchone()
        return CacheState(vectors, self._size(), self._trouble)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        sqlite_files.close(connection)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite_files.open_private(
                self._path, _SETTINGS, _TABLES, _check_format
            )
        return self._connection

    def _touch(self, rows: list[int]) -> None:
        if rows:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "UPDATE vectors SET used_day = ? WHERE rowid = ?",
                ((self._today(), row) for row in rows),
            )
            connection.execute("COMMIT")

    def _make_room(self, portion: int) -> None:
        connection = self._open()
        while self._size() > self._max_bytes:
            gone = connection.execute(
                "DELETE FROM vectors WHERE rowid IN"
                " (SELECT rowid FROM vectors ORDER BY used_day, rowid LIMIT ?)",
                (portion,),
            )
            if gone.rowcount == 0:
                return

    def _size(self) -> int:
        """Bytes in use; free pages inside the file are used again before it grows."""
        connection = self._open()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
        return int((pages - free) * page_bytes)

    def _today(self) -> int:
        return int(self._now() // _DAY_S)

    def _set_aside(self) -> None:
        """Keep the damaged file beside, for who wants to look at it, and begin anew."""
        self.close()
        with contextlib.suppress(OSError):
            self._path.replace(self._aside)
        self._remove()

    def _remove(self) -> None:
        for ending in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                self._path.with_name(self._path.name + ending).unlink(missing_ok=True)


def _check_format(found: int) -> None:
    if found not in (0, FORMAT):
        raise _damaged("another version's cache")


def _damaged(what: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
    return error


def _portions(hashes: Collection[str]) -> list[list[str]]:
    walk = iter(hashes)
    portions = []
    while some := list(islice(walk, _AT_ONCE)):
        portions.append(some)
    return portions
