"""The sessions in an agent's database, as newer versions of OpenClaw keep them, as if they were
files.

The file `ID.jsonl` has one line for each message of the user and the assistant, as older versions
wrote it; other events, such as the results of tools, are never read. It has the methods of
`VaultFiles`, so that the rules for session files apply to it. It never writes.
"""
# Queries are made of constants only.
# ruff: noqa: S608

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ragd.notes.documents.kinds import kind_of
from ragd.notes.documents.session_lines import ROLES
from ragd.vault.files import FileUnreadable, NoteMissing, PathKind
from ragd.vault.foreign_database import database_identity, read_database
from ragd.vault.safe_open import DOCUMENT_TOO_LARGE, FileStat, SkipPath
from ragd.vault.session_files import SUFFIX, is_session_name
from ragd.vault.walk import NoteFile, RootIdentity, VaultGone, WalkResult

MOST_SESSIONS = 10_000  # of one agent; the latest ones
UNREADABLE_MESSAGE = "a compressed message cannot be read"

Decompress = Callable[[bytes, int], bytes]  # a Zstandard frame, and the bytes that are in it

_SESSIONS = """
SELECT window.session_id, coalesce(window.transcript_updated_at, window.updated_at),
  coalesce(rewritten.generation, ''), coalesce(rewritten.updated_at, 0),
  (SELECT max(seq) FROM transcript_events WHERE session_id = window.session_id) AS last_seq
FROM session_windows AS window
LEFT JOIN transcript_rewrite_watermarks AS rewritten USING (session_id)
"""
_ALL = f"{_SESSIONS} ORDER BY window.updated_at DESC LIMIT ?"
_ONE = f"{_SESSIONS} WHERE window.session_id = ?"

# Events up to a sequence number and after another one. The shape of a compressed event is beside
# it, so that only what is said has to be decompressed.
_SAID = f"""
SELECT event_json, event_zstd, bytes FROM (
  SELECT seq, event_json, event_zstd,
    CASE WHEN event_json IS NULL THEN event_utf8_bytes
      ELSE length(CAST(event_json AS BLOB)) END AS bytes,
    CASE WHEN event_json IS NULL THEN json_extract(navigation_json, '$.navigation')
      WHEN json_valid(event_json) THEN event_json ELSE '{{}}' END AS shape
  FROM transcript_events WHERE session_id = ? AND seq > ? AND seq <= ?)
WHERE json_extract(shape, '$.type') = 'session'
  OR (json_extract(shape, '$.type') = 'message'
    AND json_extract(shape, '$.message.role') IN {ROLES})
"""
_SIZE = f"SELECT coalesce(sum(bytes + 1), 0) FROM ({_SAID})"  # with the ends of lines
_FORWARDS = f"{_SAID} ORDER BY seq"
_BACKWARDS = f"{_SAID} ORDER BY seq DESC"

_Row = tuple[bytes | None, bytes | None, int]


class _Session(NamedTuple):
    """A session as the database has it, without its messages."""

    id: str
    changed_ms: int  # when its last event was written
    generation: str  # another one after earlier events were changed
    rewritten_ms: int
    last_seq: int

    def stat(self, size: int) -> FileStat:
        changed = max(self.changed_ms, self.rewritten_ms)
        return FileStat(size, self.changed_ms * 1_000_000, changed * 1_000_000)


class _Measured(NamedTuple):
    """How many bytes a session has, up to an event."""

    generation: str
    last_seq: int
    size: int


def _no_zstandard(data: bytes, size: int) -> bytes:
    raise ValueError("nothing here can decompress")


class SessionDatabase:
    """The sessions of one agent. It remembers how large each is, so that a scan measures only what
    was added. Threads may share it: a lost update costs a second measurement."""

    def __init__(self, path: str, decompress: Decompress | None = None) -> None:
        self.root = path
        self._decompress = decompress or _no_zstandard
        self._measured: dict[str, _Measured] = {}

    def identity(self) -> RootIdentity:
        """The device and inode of the database."""
        return database_identity(self.root)

    def verify(self, expected: RootIdentity | None) -> None:
        """Raises VaultGone unless the database can be read and is on the expected device."""
        if expected is not None and expected[0] != self.identity()[0]:
            raise VaultGone("moved")
        read_database(self.root, _check_format)

    def template_folders(self) -> tuple[str, ...]:
        return ()

    def scan(
        self,
        rules: object,
        patterns: object,
        expected: RootIdentity | None = None,
        prefix: str = "",
    ) -> WalkResult:
        """All sessions. The rules for folders and names of files do not concern them."""
        identity = self.identity()
        if expected is not None and expected[0] != identity[0]:
            raise VaultGone("moved")
        sessions = read_database(self.root, _all_sessions)
        before, self._measured = self._measured, {}
        notes: list[NoteFile] = []
        for one in sessions:
            known = before.get(one.id)
            if known is not None:
                self._measured[one.id] = known
            stat = one.stat(self._size(one))
            path = f"{prefix}{one.id}{SUFFIX}"
            notes.append(NoteFile(path, stat.size, stat.mtime_ns, stat.ctime_ns))
        return WalkResult(notes, [], [], identity, [], [], {})

    def read(self, path: str) -> tuple[bytes, FileStat]:
        """The whole session as it was at one moment, and its size and time then.

        Raises NoteMissing, SkipPath, FileUnreadable or VaultGone.
        """

        def of_one_moment(opened: sqlite3.Connection) -> tuple[_Session | None, list[_Row]]:
            one = _session(opened, path)
            if one is None:
                return None, []
            left, rows = kind_of(path).most_bytes, []
            for row in opened.execute(_FORWARDS, (one.id, -1, one.last_seq)):
                left -= row[2] + 1
                if left < 0:
                    raise SkipPath(DOCUMENT_TOO_LARGE)
                rows.append(row)
            return one, rows

        one, rows = read_database(self.root, of_one_moment)
        if one is None:
            raise NoteMissing(path)
        data = b"".join(map(self._line, rows))
        return data, one.stat(len(data))

    def read_part(self, path: str, first: int, most: int) -> bytes:
        """Some bytes of a session, for the end of it: earlier messages are not read.

        Raises OSError, SkipPath or VaultGone.
        """
        one = read_database(self.root, lambda opened: _session(opened, path))
        if one is None:
            raise FileNotFoundError(path)
        left = self._size(one) - first

        def last_rows(opened: sqlite3.Connection) -> list[_Row]:
            found, have = [], 0
            rows = opened.execute(_BACKWARDS, (one.id, -1, one.last_seq))
            while have < left and (row := rows.fetchone()) is not None:
                found.append(row)
                have += row[2] + 1
            return found[::-1]

        try:
            data = b"".join(map(self._line, read_database(self.root, last_rows)))
        except FileUnreadable as why:
            raise OSError(why.reason) from None
        return data[max(0, len(data) - left) :][:most]

    def stat(self, paths: Iterable[str]) -> list[tuple[str, FileStat | None]]:
        """The size and times of each of these sessions now; None for one that does not exist."""
        listed = list(paths)
        found = read_database(
            self.root, lambda opened: [(path, _session(opened, path)) for path in listed]
        )
        return [(path, one and one.stat(self._size(one))) for path, one in found]

    def kinds(self, paths: Iterable[str]) -> dict[str, PathKind]:
        """Those of these sessions that exist, as files."""
        listed = list(paths)
        return read_database(
            self.root,
            lambda opened: {path: "file" for path in listed if _session(opened, path) is not None},
        )

    def _size(self, one: _Session) -> int:
        """How many bytes the session has as a file."""
        known = self._measured.get(one.id)
        if known is None or known.generation != one.generation or known.last_seq > one.last_seq:
            known = _Measured(one.generation, -1, 0)
        if known.last_seq == one.last_seq:
            return known.size
        added = (one.id, known.last_seq, one.last_seq)
        (more,) = read_database(self.root, lambda opened: opened.execute(_SIZE, added).fetchone())
        size: int = known.size + more
        self._measured[one.id] = _Measured(one.generation, one.last_seq, size)
        return size

    def _line(self, row: _Row) -> bytes:
        """An event as a line. Raises FileUnreadable."""
        plain, compressed, size = row
        if plain is None:
            try:
                plain = self._decompress(compressed or b"", size)
            except (ValueError, OSError):
                raise FileUnreadable(UNREADABLE_MESSAGE) from None
        return plain.replace(b"\n", b" ") + b"\n"


def _check_format(opened: sqlite3.Connection) -> None:
    """Fails if a table or a column is missing. The version says little: most of them
    concern other tables."""
    opened.execute(_ONE, ("",)).fetchall()
    opened.execute(_SIZE, ("", -1, -1)).fetchall()


def _all_sessions(opened: sqlite3.Connection) -> list[_Session]:
    _check_format(opened)
    return list(_sessions(opened, _ALL, MOST_SESSIONS))


def _sessions(opened: sqlite3.Connection, query: str, parameter: str | int) -> Iterator[_Session]:
    """Those of a query that have messages here, and a name that a session file can have."""
    for name, changed_ms, generation, rewritten_ms, last_seq in opened.execute(query, (parameter,)):
        session = name.decode(errors="replace")
        if last_seq is not None and is_session_name(session + SUFFIX):
            yield _Session(session, changed_ms, generation.decode(), rewritten_ms, last_seq)


def _session(opened: sqlite3.Connection, path: str) -> _Session | None:
    name = path.removesuffix(SUFFIX)
    if not is_session_name(path) or "\0" in name:
        return None
    return next(_sessions(opened, _ONE, name), None)
