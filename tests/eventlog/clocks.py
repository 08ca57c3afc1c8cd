"""Clocks that tests control."""

import asyncio
from datetime import UTC, datetime, timedelta

from ragd.clock import iso

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class HandClock:
    """Each reading is a second later. Sleepers wake when the test lets them."""

    def __init__(self) -> None:
        self.looked = 0
        self.naps = 0
        self._sleepers: list[asyncio.Future[None]] = []
        self._asleep = asyncio.Event()

    def now(self) -> str:
        self.looked += 1
        return iso(BEGIN + timedelta(seconds=self.looked))

    def monotonic(self) -> float:
        return float(self.looked)

    async def sleep(self, seconds: float) -> None:
        self.naps += 1
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append(sleeper)
        self._asleep.set()
        await sleeper

    async def someone_sleeps(self) -> None:
        await self._asleep.wait()

    def wake(self) -> None:
        self._asleep.clear()
        for sleeper in self._sleepers:
            if not sleeper.done():
                sleeper.set_result(None)
        self._sleepers.clear()
