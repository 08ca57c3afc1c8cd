"""The two small databases: what was remembered for a person, and vectors that were paid for."""

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
    """A person's data, and the only copy of it."""
    if not os.path.exists(home.memories):
        return ok("none stored yet")
    try:
        with closing(_opened(home, home.memories)) as database:
            wrong = _complaint(database)
            count = database.execute("SELECT count(*) FROM memories").fetchone()[0]
    except sqlite3.Error as why:
        wrong, count = str(why), 0
    if wrong:
        return fail(
            f"{home.memories} is damaged",
            "Put back a copy from a backup; the daemon starts with none if you move it away.",
        )
    return ok(f"{counted(count, 'memory', 'memories')}, the database is whole")


def cache(home: Home) -> Finding:
    if not os.path.exists(home.embedding_cache):
        return ok("none yet")
    try:
        with closing(_opened(home, home.embedding_cache)) as database:
            wrong = _complaint(database)
    except sqlite3.Error as why:
        wrong = str(why)
    if wrong:
        return warn(
            f"{home.embedding_cache} is damaged",
            "Run `ragctl stop` and delete it: vectors are made again where they are needed.",
        )
    return ok(f"whole, {os.path.getsize(home.embedding_cache) / 1024**2:,.1f} MiB")


def _opened(home: Home, path: str) -> sqlite3.Connection:
    """For reading alone; where nobody writes, without even the files that SQLite reads by."""
    alone = holder(home) is None and not os.path.exists(f"{path}-wal")
    how = "immutable=1" if alone else "mode=ro"
    return sqlite3.connect(f"file:{quote(path)}?{how}", uri=True, timeout=_BUSY_S)


def _complaint(database: sqlite3.Connection) -> str:
    """What SQLite finds wrong with the file; empty if nothing."""
    found = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
    return "" if found == "ok" else found
