"""Which sessions are read, and when: those of the last days, once enough has been added.

A host appends to a session at every turn, and each read of it makes passages and vectors again. So
a session is due after 100 KB or 50 messages of new text, or when it has been quiet for some
minutes. That depends only on the file and on what the index has of it: a crash loses nothing. It is
synchronous: call it in a thread. It never writes.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Protocol

from ragd.notes.documents.session_lines import TAIL_BYTES, count_messages, last_time
from ragd.vault.safe_open import ChangedWhileRead, SkipPath
from ragd.vault.walk import NoteFile

NEW_BYTES = 100_000
NEW_MESSAGES = 50
QUIET_S = 300.0
SUFFIX = ".jsonl"

ReadPart = Callable[[str, int, int], bytes]  # path, first byte, most bytes


class StoredSession(Protocol):
    """A session as the index has it."""

    @property
    def size(self) -> int: ...

    @property
    def mtime_ns(self) -> int: ...

    @property
    def ctime_ns(self) -> int: ...


def is_session_name(path: str) -> bool:
    """Whether a file of this name is a session. The host gives others a second ending."""
    return path.endswith(SUFFIX) and "/" not in path and "." not in path.removesuffix(SUFFIX)


def is_expired(written: datetime | None, mtime_ns: int, now: datetime, keep_days: int) -> bool:
    """Whether a session is too old. The file's own time counts if it is earlier than the last
    message, or if that has no time."""
    limit = now - timedelta(days=keep_days)
    times = [mtime_ns / 1e9] + ([] if written is None else [written.timestamp()])
    return min(times) < limit.timestamp()


class SessionFiles:
    """The sessions of one root. It remembers when each was last written to, so a scan reads only
    the ends of files that have changed. Threads may share it: a lost update costs a second read."""

    def __init__(self, read_part: ReadPart) -> None:
        self._read_part = read_part
        self._written: dict[str, tuple[NoteFile, datetime | None]] = {}

    def select(
        self,
        files: Iterable[NoteFile],
        stored: Callable[[str], StoredSession | None],
        now: datetime,
        keep_days: int,
    ) -> list[NoteFile]:
        """The sessions that belong in the index. One that has grown and is not due looks as it did
        when it was stored."""
        found: list[NoteFile] = []
        written: dict[str, tuple[NoteFile, datetime | None]] = {}
        for file in files:
            if not is_session_name(file.path) or is_expired(None, file.mtime_ns, now, keep_days):
                continue
            written[file.path] = known = self._last_written(file)
            if is_expired(known[1], file.mtime_ns, now, keep_days):
                continue
            entry = stored(file.path)
            if self.is_due(file, entry, now):
                found.append(file)
            elif entry is not None:
                found.append(NoteFile(file.path, entry.size, entry.mtime_ns, entry.ctime_ns))
        self._written = written
        return found

    def is_due(self, file: NoteFile, stored: StoredSession | None, now: datetime) -> bool:
        """Whether a session is to be read now, if it differs from what is stored."""
        quiet_s = now.timestamp() - file.mtime_ns / 1e9
        before = stored.size if stored is not None else 0
        new = file.size - before
        if not 0 <= quiet_s < QUIET_S or new >= NEW_BYTES or new < 0:
            return True
        try:
            return count_messages(self._read_part(file.path, before, new)) >= NEW_MESSAGES
        except (OSError, ChangedWhileRead, SkipPath):
            return False

    def _last_written(self, file: NoteFile) -> tuple[NoteFile, datetime | None]:
        known = self._written.get(file.path)
        if known is not None and known[0] == file:
            return known
        try:
            end = self._read_part(file.path, max(0, file.size - TAIL_BYTES), TAIL_BYTES)
        except (OSError, ChangedWhileRead, SkipPath):
            return file, None
        return file, last_time(end)
