"""File events found by scanning a root every few seconds, where the system's watch fails.

An unreadable folder or an undecodable name does not stop it, unlike that watch. It reads no file.
"""

from collections.abc import Callable, Collection, Mapping

from ragd.clock import Clock
from ragd.vault.collection_files import CollectionScan
from ragd.vault.file_events import ROOT, FileEvent
from ragd.vault.files import NoteFile
from ragd.vault.threads import Lane
from ragd.vault.walk import VaultGone

POLL_S = 5.0
MOST_BUSY = 0.05  # the largest share of the time that is spent on scans


class Polling:
    """Has the methods of an open watch. The first scan is what the next one is compared with."""

    def __init__(
        self, clock: Clock, lane: Lane, scan: Callable[[], CollectionScan], prefix: str = ""
    ) -> None:
        """`prefix`: what the paths of scanned notes begin with; those of events do not."""
        self._clock = clock
        self._lane = lane
        self._scan = scan
        self._prefix = prefix
        self._before: dict[str, NoteFile] | None = None
        self._took_s = 0.0

    async def next(self) -> set[FileEvent]:
        """Wait, scan, and return what happened since the last scan."""
        if self._before is not None:
            await self._clock.sleep(max(POLL_S, self._took_s / MOST_BUSY))
        began = self._clock.monotonic()
        try:
            scanned = await self._lane.run(self._scan)
        except VaultGone:
            return {("deleted", ROOT)}
        self._took_s = self._clock.monotonic() - began
        now = {note.path: note for note in scanned.notes}
        before, self._before = self._before, now
        events = differences(now if before is None else before, now)
        return {(kind, path[len(self._prefix) :]) for kind, path in events}

    is_outdated = False

    def set_folders(self, folders: Collection[str]) -> None:
        """Not needed: every scan reads all folders."""

    def close(self) -> None:
        """Nothing is open."""

    async def wait_closed(self) -> None:
        """Nothing is open."""


def differences(before: Mapping[str, NoteFile], now: Mapping[str, NoteFile]) -> set[FileEvent]:
    """What must have happened between two scans."""
    found: set[FileEvent] = {("deleted", path) for path in before if path not in now}
    for path, note in now.items():
        if path not in before:
            found.add(("added", path))
        elif before[path] != note:
            found.add(("modified", path))
    return found
