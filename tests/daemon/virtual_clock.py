"""A clock that only moves when a test advances it."""

import asyncio
from datetime import UTC, datetime, timedelta

from ragd.clock import iso
from tests.patience import PATIENCE_S

EPOCH = datetime(2026, 11, 15, 14, 30, tzinfo=UTC)


class VirtualClock:
    def __init__(self) -> None:
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self._slept = asyncio.Event()
        self.slept: list[float] = []

    def now(self) -> str:
        return iso(EPOCH + timedelta(seconds=self._elapsed))

    def monotonic(self) -> float:
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.get_running_loop().create_future()
        sleeper = (self._elapsed + seconds, woken)
        self._sleepers.append(sleeper)
        self.slept.append(seconds)
        self._slept.set()
        try:
            await woken
        finally:
            self._sleepers.remove(sleeper)

    async def wait_for_sleepers(self, sleepers: int = 1) -> None:
        """Wait until at least this many tasks sleep."""
        async with asyncio.timeout(PATIENCE_S):
            while sum(not woken.done() for _, woken in self._sleepers) < sleepers:
                self._slept.clear()
                await self._slept.wait()

    def advance(self, seconds: float) -> None:
        """Advance the clock and wake the tasks that are due."""
        self._elapsed += seconds
        for due, woken in self._sleepers:
            if due <= self._elapsed and not woken.done():
                woken.set_result(None)
