"""What happens to the notes, found by looking every few seconds: where the system cannot tell.

Unlike the system's watch it is not stopped by a folder it may not read or a name that is no text.
"""

from collections.abc import Callable, Collection, Mapping

from ragd.clock import Clock
from ragd.vault.file_events import ROOT, FileEvent
from ragd.vault.note_reader import Scanned, VaultGone
from ragd.vault.threads import SCAN

POLL_S = 5.0
MOST_BUSY = 0.05  # of the time at most is spent on looking

Facts = tuple[int, int, int]  # size and times


class Polling:
    """The same as an open watch; the first look is what later ones are compared with."""

    def __init__(self, clock: Clock, scan: Callable[[], Scanned]) -> None:
        self._clock = clock
        self._scan = scan
        self._before: dict[str, Facts] | None = None
        self._took_s = 0.0

    async def next(self) -> set[FileEvent]:
        """What happened since the last look."""
        if self._before is not None:
            await self._clock.sleep(max(POLL_S, self._took_s / MOST_BUSY))
        began = self._clock.monotonic()
        try:
            scanned = await SCAN.run(self._scan)
        except VaultGone:
            return {("deleted", ROOT)}
        self._took_s = self._clock.monotonic() - began
        now = {seen.path: (seen.size, seen.mtime_ns, seen.ctime_ns) for seen in scanned.seen}
        before, self._before = self._before, now
        return differences(now if before is None else before, now)

    is_outdated = False

    def follow(self, folders: Collection[str]) -> None:
        """Every look goes through all folders."""

    def close(self) -> None:
        """Nothing is open."""

    async def closed(self) -> None:
        """Nothing is open."""


def differences(before: Mapping[str, Facts], now: Mapping[str, Facts]) -> set[FileEvent]:
    """What must have happened between two looks."""
    found: set[FileEvent] = {("deleted", path) for path in before if path not in now}
    for path, facts in now.items():
        if path not in before:
            found.add(("added", path))
        elif before[path] != facts:
            found.add(("modified", path))
    return found
