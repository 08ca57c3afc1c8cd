"""The two small databases: memories, and the cache of embeddings."""

import os
import sqlite3
from contextlib import closing
from urllib.parse import quote

from ragctl.daemon.lockfile import holder
from ragctl.doctor.checks import Finding, fail, ok, warn
from ragctl.views.render import counted
from ragd.paths import Home

_BUSY_S = 2.0


def memories(home: Home) -> Finding:
    """The memories: the user's data, and the only copy."""
    if not os.path.exists(home.memories):
        return ok("none stored yet")
    try:
        with closing(_open_database(home, home.memories)) as database:
            wrong = _database_error(database)
            count = database.execute("SELECT count(*) FROM memories").fetchone()[0]
    except sqlite3.Error as why:
        wrong, count = str(why), 0
    if wrong:
        return fail(
            f"{home.memories} is damaged",
            "Restore it from a backup, or move it away: the daemon then starts with no memories.",
        )
    return ok(f"{counted(count, 'memory', 'memories')}, the database is intact")


def cache(home: Home) -> Finding:
    if not os.path.exists(home.embedding_cache):
        return ok("none yet")
    try:
        with closing(_open_database(home, home.embedding_cache)) as database:
            wrong = _database_error(database)
    except sqlite3.Error as why:
        wrong = str(why)
    if wrong:
        return warn(
            f"{home.embedding_cache} is damaged",
            "Run `ragctl stop` and delete it: ragd makes the vectors again when it needs them.",
        )
    return ok(f"intact, {os.path.getsize(home.embedding_cache) / 1024**2:,.1f} MiB")


def _open_database(home: Home, path: str) -> sqlite3.Connection:
    """Open it read-only; if no daemon runs, also without SQLite's lock files."""
    is_unused = holder(home) is None and not os.path.exists(f"{path}-wal")
    how = "immutable=1" if is_unused else "mode=ro"
    return sqlite3.connect(f"file:{quote(path)}?{how}", uri=True, timeout=_BUSY_S)


def _database_error(database: sqlite3.Connection) -> str:
    """The error that SQLite finds in the file; empty if none."""
    found = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
    return "" if found == "ok" else found
