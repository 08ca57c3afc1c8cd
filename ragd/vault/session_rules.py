"""The rules for sessions, applied to what was scanned or read: too old, or not due yet.

The other collections pass unchanged. It never reads a file itself.
"""

from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec import structs

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.folds.catalog import Entry
from ragd.folds.times import iso_of_ns
from ragd.notes.documents.session_lines import last_time
from ragd.vault.collection_files import CollectionFiles, CollectionScan
from ragd.vault.collection_paths import SESSIONS, VAULT, group_of, prefix_of, split_path
from ragd.vault.files import FileStat, NoteFile, NoteMissing
from ragd.vault.session_files import is_expired, is_session_name


class SessionRules:
    """The rules by the current configuration. Threads may share it: it holds no state."""

    def __init__(
        self, settings: Settings, clock: Clock, stored: Callable[[str], Entry | None]
    ) -> None:
        """`stored`: a note as the index has it."""
        self._settings = settings
        self._clock = clock
        self._stored = stored

    def includes(self, collection: str, inner: str) -> bool:
        """Whether a file of this name belongs in the index."""
        return not _has_sessions(collection) or is_session_name(inner)

    def limit_scan(self, files: CollectionFiles, found: CollectionScan) -> CollectionScan:
        """The scan without sessions that are too old, or not due yet."""
        if not _has_sessions(files.name):
            return found

        def stored(inner: str) -> Entry | None:
            return self._stored(prefix + inner)

        prefix, sessions = prefix_of(files.name), files.memory.sessions
        inner = [structs.replace(note, path=note.path[len(prefix) :]) for note in found.notes]
        kept = sessions.select(inner, stored, self._now(), self._keep_days)
        found.notes = [structs.replace(note, path=prefix + note.path) for note in kept]
        newest = max((note.mtime_ns for note in found.notes), default=None)
        found.newest_mtime = None if newest is None else iso_of_ns(newest)
        return found

    def not_due(self, files: CollectionFiles, stats: Mapping[str, FileStat | None]) -> set[str]:
        """Those of these notes that are to be read later: more will follow."""
        if not _has_sessions(files.name):
            return set()
        now, sessions = self._now(), files.memory.sessions
        found = {
            path: NoteFile(
                split_path(path, (files.name,))[1], stat.size, stat.mtime_ns, stat.ctime_ns
            )
            for path, stat in stats.items()
            if stat is not None
        }
        return {
            path
            for path, file in found.items()
            if not sessions.is_due(file, self._stored(path), now)
        }

    def refuse_expired(self, collection: str, data: bytes, facts: FileStat) -> None:
        """Raises NoteMissing for a session that is too old."""
        if _has_sessions(collection) and is_expired(
            last_time(data), facts.mtime_ns, self._now(), self._keep_days
        ):
            raise NoteMissing(collection)

    @property
    def _keep_days(self) -> int:
        return self._settings.current.sessions.keep_days

    def _now(self) -> datetime:
        return datetime.fromisoformat(self._clock.now())


def _has_sessions(collection: str) -> bool:
    return collection != VAULT and group_of(collection) == SESSIONS
