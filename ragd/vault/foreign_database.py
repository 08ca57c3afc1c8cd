"""Reads the SQLite database of another program, which may be writing to it.

Each call opens it for reading only and closes it again. It never writes: neither a row, nor a file
beside the database, nor a checkpoint. It holds no lock that a writer in WAL mode waits for.
"""

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypeVar

from ragd.vault.disk_waits import disk_answered, waits_for_disk
from ragd.vault.walk import GoneReason, VaultGone

BUSY_S = 2.0
TRIES = 3
ANSWERS = 10_000  # steps of SQLite after which the disk counts as responding
# Beside a database while a program has it open, or after that program was killed.
IN_USE = ("-wal", "-journal")

T = TypeVar("T")

_REASONS: dict[int, GoneReason] = {
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_PROTOCOL: "locked",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
    sqlite3.SQLITE_ERROR: "unknown_format",  # a table or a column is missing
}


class _Stamp(NamedTuple):
    """A database file at one moment. If it is not in use, nothing can change it unseen."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    is_in_use: bool


@waits_for_disk
def read_database(path: str, read: Callable[[sqlite3.Connection], T]) -> T:
    """What `read` returns; it sees the database as it was at one moment. Text is given as bytes.

    Raises VaultGone.
    """
    for _ in range(TRIES):
        before = _stamp(path)
        try:
            found = _read(path, before, read)
        except sqlite3.Error as why:
            if before.is_in_use or _stamp(path) == before:
                code = getattr(why, "sqlite_errorcode", 0) & 0xFF  # without the details
                raise VaultGone(_REASONS.get(code, "unreadable")) from None
        else:
            if before.is_in_use or _stamp(path) == before:
                return found
    raise VaultGone("locked")


def database_identity(path: str) -> tuple[int, int]:
    """The device and inode of the file. Raises VaultGone."""
    found = _stamp(path)
    return found.device, found.inode


def _read(path: str, stamp: _Stamp, read: Callable[[sqlite3.Connection], T]) -> T:
    # While nobody has the database open, SQLite would create files beside it to coordinate with
    # writers. It does not if it is told that nothing changes; the caller checks that.
    how = "mode=ro" if stamp.is_in_use else "mode=ro&immutable=1"
    uri = f"{Path(path).absolute().as_uri()}?{how}"
    opened = sqlite3.connect(uri, timeout=BUSY_S, isolation_level=None, uri=True)
    with closing(opened) as connection:
        connection.text_factory = bytes  # what is no valid text must not fail
        connection.set_progress_handler(disk_answered, ANSWERS)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("BEGIN")
        return read(connection)


@waits_for_disk
def _stamp(path: str) -> _Stamp:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        raise VaultGone("missing") from None
    except OSError:
        raise VaultGone("unreadable") from None
    if not stat.S_ISREG(found.st_mode):
        raise VaultGone("unreadable")
    is_in_use = any(os.path.lexists(path + suffix) for suffix in IN_USE)
    return _Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, is_in_use)
