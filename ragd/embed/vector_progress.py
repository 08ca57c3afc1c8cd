"""How many vectors are made that are not in the index yet, for those who watch.

In memory only: what counts is what the log says. It never decides anything.
"""

import asyncio
from collections.abc import Mapping

from ragd.clock import Clock

TELL_EVERY_S = 0.5


class VectorProgress:
    """Counted by generation, from the last fill that was recorded."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._counts: dict[str, int] = {}
        self._changed = asyncio.Event()
        self._told_at = float("-inf")

    @property
    def counts(self) -> Mapping[str, int]:
        """By generation: how many passages will have a vector when this fill is recorded."""
        return self._counts

    def made(self, generation: str, number: int, embedded: int) -> None:
        """So many more were made; the log knows of `embedded`."""
        self._counts[generation] = self._counts.get(generation, embedded) + number
        now = self._clock.monotonic()
        if now - self._told_at >= TELL_EVERY_S:
            self._told_at = now
            self._changed.set()
            self._changed = asyncio.Event()

    def recorded(self, generation: str) -> None:
        """The fill is in the log: that is the count from now on."""
        self._counts.pop(generation, None)

    async def changed(self) -> None:
        """Wait until more were made; told at most twice a second."""
        await self._changed.wait()
