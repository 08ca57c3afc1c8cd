"""Counts vectors that are made and not yet in the index, to show progress.

The counts are only in memory, and only shown. The log has the counts that decide.
"""

import asyncio
from collections.abc import Mapping

from ragd.clock import Clock

NOTIFY_EVERY_S = 0.5


class VectorProgress:
    """The counts by generation, since the last recorded fill."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._counts: dict[str, int] = {}
        self._changed = asyncio.Event()
        self._notified_at = float("-inf")

    @property
    def counts(self) -> Mapping[str, int]:
        """By generation: how many passages have a vector once this fill is recorded."""
        return self._counts

    def made(self, generation: str, number: int, embedded: int) -> None:
        """Add `number` new vectors. `embedded`: how many are recorded."""
        self._counts[generation] = self._counts.get(generation, embedded) + number
        now = self._clock.monotonic()
        if now - self._notified_at >= NOTIFY_EVERY_S:
            self._notified_at = now
            self._changed.set()
            self._changed = asyncio.Event()

    def recorded(self, generation: str) -> None:
        """The fill is recorded: the catalog's count is right again."""
        self._counts.pop(generation, None)

    async def changed(self) -> None:
        """Wait until more vectors are made. Returns at most twice a second."""
        await self._changed.wait()
