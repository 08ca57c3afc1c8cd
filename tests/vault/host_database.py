"""The database in which OpenClaw keeps an agent's sessions, written as its version 23 does."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow

from tests.notes.documents.transcripts import header, message, text_part

# The tables that ragd reads, with the columns and checks that matter to it.
TABLES = """
PRAGMA user_version = 23;
CREATE TABLE session_windows (
  session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  transcript_updated_at INTEGER DEFAULT NULL, transcript_observed_at INTEGER DEFAULT NULL
) STRICT;
CREATE INDEX windows_by_time ON session_windows (updated_at DESC, session_id);
CREATE TABLE transcript_events (
  session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL,
  event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT,
  PRIMARY KEY (session_id, seq),
  FOREIGN KEY (session_id) REFERENCES session_windows (session_id) ON DELETE CASCADE,
  CHECK ((event_json IS NOT NULL AND event_zstd IS NULL)
    OR (event_json IS NULL AND event_zstd IS NOT NULL AND navigation_json IS NOT NULL))
) STRICT;
CREATE TABLE transcript_rewrite_watermarks (
  session_id TEXT NOT NULL PRIMARY KEY, generation TEXT NOT NULL, updated_at INTEGER NOT NULL,
  FOREIGN KEY (session_id) REFERENCES session_windows (session_id) ON DELETE CASCADE
) STRICT;
CREATE TABLE session_transcript_archives (
  session_id TEXT NOT NULL, generation TEXT NOT NULL, archive_blob BLOB NOT NULL
) STRICT;
"""
COMPRESSED_FROM = 1024  # bytes of an event


class HostDatabase:
    """The database of one agent, open as the host has it while it runs."""

    def __init__(self, agents: Path, agent: str = "main") -> None:
        self.path = agents / agent / "agent" / "openclaw-agent.sqlite"
        self.path.parent.mkdir(parents=True)
        self.open()
        self._connection.executescript(TABLES)

    def open(self) -> None:
        """The host starts."""
        self._connection = sqlite3.connect(self.path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA foreign_keys = ON")

    def close(self) -> None:
        """The host ends, and leaves nothing beside the database."""
        self._connection.close()

    def execute(self, query: str, *values: Any) -> list[Any]:
        return self._connection.execute(query, values).fetchall()

    def add(
        self,
        name: str,
        *events: Mapping[str, Any],
        moment: datetime | None = None,
    ) -> None:
        """Append events to a session, in one transaction. A new session gets its first line."""
        moment = moment or datetime.now(UTC)
        now_ms = int(moment.timestamp() * 1000)
        self.execute("BEGIN IMMEDIATE")
        rows = self.execute("SELECT max(seq) FROM transcript_events WHERE session_id = ?", name)
        last = rows[0][0]
        if last is None:
            key = f"agent:main:explicit:{name}"
            columns = "(session_id, session_key, created_at, updated_at)"
            self.execute(
                f"INSERT INTO session_windows {columns} VALUES (?, ?, ?, ?)",
                *(name, key, now_ms, now_ms),
            )
            self.execute(
                "INSERT INTO transcript_rewrite_watermarks VALUES (?, 'first', ?)", name, now_ms
            )
            last, events = -1, (header(moment), *events)
        for seq, event in enumerate(events, last + 1):
            self._insert(name, seq, event, now_ms)
        self.execute(
            "UPDATE session_windows SET updated_at = ?, transcript_updated_at = ? "
            "WHERE session_id = ?",
            *(now_ms, now_ms, name),
        )
        self.execute("COMMIT")

    def say(self, name: str, *texts: str, moment: datetime | None = None) -> None:
        """The user and the assistant speak in turn, each in a transaction of its own."""
        for number, text in enumerate(texts):
            role = ("user", "assistant")[number % 2]
            when = moment or datetime.now(UTC)
            self.add(name, message(role, [text_part(text)], when), moment=when)

    def replace_first_message(self, name: str, text: str) -> None:
        """Rewrite an earlier event."""
        event = json.dumps(message("user", [text_part(text)], datetime.now(UTC)))
        now_ms = int(datetime.now(UTC).timestamp() * 1000)
        self.execute("BEGIN IMMEDIATE")
        self.execute(
            "UPDATE transcript_events SET event_json = ?, event_zstd = NULL, "
            "event_utf8_bytes = NULL, navigation_json = NULL WHERE session_id = ? AND seq = 1",
            *(event, name),
        )
        self.execute(
            "UPDATE transcript_rewrite_watermarks SET generation = 'other', updated_at = ? "
            "WHERE session_id = ?",
            *(now_ms, name),
        )
        self.execute("COMMIT")

    def delete(self, name: str) -> None:
        """Delete a session. The host keeps an archive of it."""
        self.execute("INSERT INTO session_transcript_archives VALUES (?, 'first', x'00')", name)
        self.execute("DELETE FROM session_windows WHERE session_id = ?", name)

    def _insert(self, name: str, seq: int, event: Mapping[str, Any], now_ms: int) -> None:
        text = json.dumps(event)
        plain: str | None = text
        packed: bytes | None = None
        navigation: str | None = None
        if len(text) >= COMPRESSED_FROM:
            plain = None
            packed = pyarrow.compress(text.encode(), codec="zstd", asbytes=True)
            role = event.get("message", {}).get("role")
            shape = {"type": event["type"], "message": {"role": role}}
            navigation = json.dumps({"version": 1, "navigation": shape})
        self.execute(
            "INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(name, seq, plain, now_ms, packed, len(text.encode()), navigation),
        )
