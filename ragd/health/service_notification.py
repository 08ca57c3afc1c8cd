"""Keeps the service manager informed: how health is, and that somebody is still at home.

It decides nothing. A loop that hangs or an actor that is gone says no more, which is the point.
"""

import asyncio
from collections.abc import Callable

from ragd.clock import Clock
from ragd.events import HealthChanged, tag_of_type
from ragd.folds.health_reasons import Health
from ragd.runtime.notify_socket import NotifySocket
from ragd.state.ledger import Ledger

PINGS_A_PERIOD = 3  # so that one that is late, or lost, kills nobody
_TYPES = {tag_of_type(HealthChanged)}


class Announcer:
    """Tells the manager of one daemon's life. `alive`: whether all who should be at work are."""

    def __init__(
        self, manager: NotifySocket, ledger: Ledger, clock: Clock, alive: Callable[[], bool]
    ) -> None:
        self._manager = manager
        self._ledger = ledger
        self._clock = clock
        self._alive = alive

    async def run(self) -> None:
        """From the moment we answer until we are told to stop."""
        position = self._ledger.state.seq
        self._manager.say("READY=1", self._status())
        async with asyncio.TaskGroup() as group:
            group.create_task(self._tell_health(position))
            if self._manager.watchdog_s is not None:
                group.create_task(self._ping(self._manager.watchdog_s / PINGS_A_PERIOD))

    def stopping(self) -> None:
        self._manager.say("STOPPING=1", "STATUS=stopping")

    async def _tell_health(self, position: int) -> None:
        async for _ in self._ledger.journal.follow(position, _TYPES):
            self._manager.say(self._status())

    async def _ping(self, every_s: float) -> None:
        while True:
            if self._alive():
                self._manager.say("WATCHDOG=1")
            await self._clock.sleep(every_s)

    def _status(self) -> str:
        return f"STATUS={described(self._ledger.state.health)}"


def described(health: Health) -> str:
    """`healthy`, or `degraded: INDEX_STALE`."""
    codes = ", ".join(health.worst_first)
    return f"{health.state}: {codes}" if codes else health.state
