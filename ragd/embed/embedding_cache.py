"""The vectors that were made already, in SQLite, by vector space and content hash.

It only saves work: if the file is damaged or cannot be written, vectors are made again, and no
caller gets an error. It contains no text, and never returns a vector whose checksum is wrong.
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
from typing import TypeVar

from ragd.embed.providers.embedder_port import Vector
from ragd.runtime import sqlite_files

MAX_BYTES = 512 * 1024 * 1024
FORMAT = 1
_STATEMENT_HASHES = 500  # hashes in one statement
_DAY_S = 86_400  # only the day of the last use is kept, so that a read rarely writes
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


class EmbeddingCache:
    """The cache as the daemon uses it. All calls run on one thread, in order."""

    def __init__(
        self, path: Path, max_bytes: int = MAX_BYTES, now: Callable[[], float] = time.time
    ) -> None:
        self._file = _CacheFile(path, max_bytes, now)
        self._thread = ThreadPoolExecutor(1, "embedding-cache")
        self._closed = False

    async def get_many(self, space: str, hashes: Collection[str]) -> dict[str, Vector]:
        """The vectors that the cache has, by content hash."""
        found: dict[str, Vector] = {}
        return await self._run(lambda: self._file.get(space, hashes), found)

    async def put_many(self, space: str, vectors: Mapping[str, Vector]) -> None:
        """Keep these vectors; a kill after this returns does not lose them. If the cache is full,
        those that were not used for the longest time are removed."""
        await self._run(lambda: self._file.put(space, vectors), None)

    async def keep_only(self, hashes: Collection[str]) -> int | None:
        """Erase all other vectors, of every space, from the disk too. Returns how many; None if the
        file cannot be used now. If some cannot be erased from the disk, the whole file is removed.
        """
        return await self._run(lambda: self._file.keep_only(hashes), None)

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
    """The file, and what to do when it is damaged or full. Only one thread uses it."""

    def __init__(self, path: Path, max_bytes: int, now: Callable[[], float]) -> None:
        self._path = path
        self._aside = path.with_name(f"{path.name}.aside")
        self._max_bytes = max_bytes
        self._now = now
        self._connection: sqlite3.Connection | None = None

    def guard(self, work: Callable[[], T], nothing: T) -> T:
        """The result of `work`, or `nothing` if it fails: the caller never gets an error."""
        try:
            return work()
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
                self._set_aside()
            else:
                sqlite_files.roll_back(self._connection)
        except OSError:
            pass  # it cannot be opened now; the next call tries again
        return nothing

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

    def _erase(self, hashes: Collection[str]) -> None:
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
        if busy:  # erasing is promised, and the cache can be made again
            self.close()
            self._remove()

    def keep_only(self, hashes: Collection[str]) -> int | None:
        self._aside.unlink(missing_ok=True)  # its vectors are not known
        kept = set(hashes)
        rows = self._open().execute("SELECT DISTINCT content_hash FROM vectors")
        gone = [content_hash for (content_hash,) in rows if content_hash not in kept]
        if gone:
            self._erase(gone)
        return len(gone)

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
        """The bytes in use, without the file's free pages: SQLite uses those before it grows."""
        connection = self._open()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
        return int((pages - free) * page_bytes)

    def _today(self) -> int:
        return int(self._now() // _DAY_S)

    def _set_aside(self) -> None:
        """Start with a new file. The damaged one has another name, for inspection, until vectors
        are erased again."""
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
        raise _damaged("the cache of another version")


def _damaged(what: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
    return error


def _portions(hashes: Collection[str]) -> list[list[str]]:
    walk = iter(hashes)
    portions = []
    while some := list(islice(walk, _STATEMENT_HASHES)):
        portions.append(some)
    return portions
