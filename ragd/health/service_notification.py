"""Notifies the service manager (systemd): readiness, health, and the watchdog.

It decides nothing. If the event loop hangs or an actor has ended, the watchdog gets no more
messages, and the service manager restarts the daemon.
"""

import asyncio
from collections.abc import Callable

from ragd.clock import Clock
from ragd.events import HealthChanged, tag_of_type
from ragd.folds.health_reasons import Health
from ragd.runtime.notify_socket import NotifySocket
from ragd.state.ledger import Ledger

PINGS_PER_PERIOD = 3  # a late or lost one must not end the daemon
_TYPES = {tag_of_type(HealthChanged)}


class ServiceNotifier:
    """Notifies the manager of one daemon. `alive`: whether every actor runs or restarts."""

    def __init__(
        self, manager: NotifySocket, ledger: Ledger, clock: Clock, alive: Callable[[], bool]
    ) -> None:
        self._manager = manager
        self._ledger = ledger
        self._clock = clock
        self._alive = alive

    async def run(self) -> None:
        """From the moment the daemon answers until it stops."""
        position = self._ledger.state.seq
        self._manager.send("READY=1", self._status())
        async with asyncio.TaskGroup() as group:
            group.create_task(self._report_health(position))
            if self._manager.watchdog_s is not None:
                group.create_task(self._ping(self._manager.watchdog_s / PINGS_PER_PERIOD))

    def report_stopping(self) -> None:
        self._manager.send("STOPPING=1", "STATUS=stopping")

    async def _report_health(self, position: int) -> None:
        async for _ in self._ledger.journal.follow(position, _TYPES):
            self._manager.send(self._status())

    async def _ping(self, every_s: float) -> None:
        while True:
            if self._alive():
                self._manager.send("WATCHDOG=1")
            await self._clock.sleep(every_s)

    def _status(self) -> str:
        return f"STATUS={health_summary(self._ledger.state.health)}"


def health_summary(health: Health) -> str:
    """`healthy`, or `degraded: INDEX_STALE`."""
    codes = ", ".join(health.worst_first)
    return f"{health.state}: {codes}" if codes else health.state
