"""How long saved notes are collected into one batch: until no further note changes for a moment, at
most a few seconds. What cannot wait ends it at once.

It reads no note and records nothing.
"""

import asyncio
from collections.abc import Collection, Iterable

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.runtime.wait_for_event import wait_until_set


class CollectWindow:
    """The time between a change and its batch."""

    def __init__(self, clock: Clock, settings: Settings) -> None:
        self._clock = clock
        self._settings = settings
        self._cut_short = asyncio.Event()
        self._changed = asyncio.Event()  # since the last wait, or since the window ended
        self._urgent: set[str] = set()  # changed notes that wait for no others

    def note_changed(self) -> None:
        """One more change: further ones may follow."""
        self._changed.set()

    def end_for_job(self) -> None:
        """A requested job waits."""
        self._cut_short.set()

    def end_for(self, urgent: Iterable[str]) -> None:
        """These notes wait for no others."""
        self._urgent.update(urgent)
        self._cut_short.set()

    async def wait(self, waiting: Collection[str]) -> None:
        """Wait for more changes. `waiting`: the notes that have changed so far."""
        urgent, self._urgent = self._urgent, set()
        if any(path in waiting for path in urgent):
            return  # they changed before this
        self._cut_short.clear()
        watch = self._settings.current.watch
        end = self._clock.monotonic() + watch.collect_s
        is_changing = True
        while is_changing and (left := end - self._clock.monotonic()) > 0:
            self._changed.clear()
            if await wait_until_set(self._cut_short, self._clock, min(left, watch.quiet_s)):
                return
            is_changing = self._changed.is_set()
