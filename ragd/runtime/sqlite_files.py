"""Opens, closes and rolls back small private SQLite files.

It never decides what the tables are or how damage is handled: the caller does.
"""

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

BUSY_S = 5.0


def open_private(
    path: Path, settings: str, tables: str, check_format: Callable[[int], None]
) -> sqlite3.Connection:
    """A connection that several threads may use, one at a time. `check_format` raises for a format
    version that must not be changed; 0 is a new file. A link in the file's place is not followed.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    os.close(os.open(path, flags, 0o600))
    path.chmod(0o600)  # SQLite gives its other files the same mode
    connection = sqlite3.connect(
        path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.executescript(settings)
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        check_format(found)
        connection.executescript(tables)
    except BaseException:
        connection.close()
        raise
    return connection


def close(connection: sqlite3.Connection | None) -> None:
    """Close it. Errors are ignored."""
    if connection is not None:
        with contextlib.suppress(sqlite3.Error):
            connection.close()


def roll_back(connection: sqlite3.Connection | None) -> None:
    """Roll back the open transaction, if there is one."""
    if connection is not None and connection.in_transaction:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
