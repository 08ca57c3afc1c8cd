"""What goes wrong with the store while it is used, told as what a probe would have found."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from ragd.clock import Clock
from ragd.errors import RagdError
from ragd.events import DependencyLost, DependencyRecovered
from ragd.indexes import NAME
from ragd.ledger import Ledger

FULL_RETRY_S = 5.0

T = TypeVar("T")
log = structlog.get_logger(NAME)


class Troubles:
    """Damage and a full disk, on behalf of the store writer."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock

    async def report(self, why: RagdError) -> None:
        """A call that fails is as good as a probe."""
        if why.code not in ("INDEX_CORRUPTED", "INDEX_NOT_FOUND"):
            raise why
        log.warning("the index cannot be used", code=why.code)
        if "index" not in self._ledger.state.health.lost:
            lost = DependencyLost(dependency="index", code=why.code)
            await self._ledger.journal.append(NAME, lost)

    async def with_room(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do it as soon as there is room on the disk; until then searches go on."""
        full = False
        while True:
            try:
                done = await work()
            except RagdError as why:
                if why.code != "DISK_FULL":
                    raise
                if not full:
                    log.warning("the disk is full")
                    lost = DependencyLost(dependency="disk", code="DISK_FULL")
                    await self._ledger.journal.append(NAME, lost)
                full = True
                await self._clock.sleep(FULL_RETRY_S)
            else:
                if full:
                    room = DependencyRecovered(dependency="disk")
                    await self._ledger.journal.append(NAME, room)
                return done
