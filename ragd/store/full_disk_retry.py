"""Repeats a write to the index until the disk has room. It deletes nothing to make room."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from ragd.clock import Clock
from ragd.errors import RagdError
from ragd.events import DependencyLost, DependencyRecovered
from ragd.state.ledger import Ledger
from ragd.store import STORE_WRITER

RETRY_S = 5.0

T = TypeVar("T")
log = structlog.get_logger(STORE_WRITER)


class FullDiskRetry:
    """Also records when writing stops because the disk is full, and when it goes on."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work`, as soon as the disk has room for it. Searches go on meanwhile."""
        waited = False
        while True:
            try:
                result = await work()
            except Exception as why:
                if not (isinstance(why, RagdError) and why.code == "DISK_FULL"):
                    await self._record_room(waited)
                    raise
                await self._record_full()
                waited = True
                await self._clock.sleep(RETRY_S)
            else:
                await self._record_room(waited)
                return result

    async def _record_full(self) -> None:
        if "store" not in self._ledger.state.health.lost:
            log.warning("nothing can be written to the index")
            lost = DependencyLost(dependency="store", code="DISK_FULL")
            await self._ledger.journal.append(STORE_WRITER, lost)

    async def _record_room(self, waited: bool) -> None:
        if waited:
            recovered = DependencyRecovered(dependency="store")
            await self._ledger.journal.append(STORE_WRITER, recovered)
