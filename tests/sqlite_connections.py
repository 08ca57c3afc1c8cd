"""The SQLite connections that the program opens, so that a test can use one of them."""

import sqlite3
from typing import Any

import pytest

from ragd.runtime import sqlite_files


def record_connections(monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
    """Every private file that is opened from now on adds its connection to the list."""
    opened: list[sqlite3.Connection] = []
    open_private = sqlite_files.open_private

    def record(*given: Any) -> sqlite3.Connection:
        opened.append(open_private(*given))
        return opened[-1]

    monkeypatch.setattr(sqlite_files, "open_private", record)
    return opened
