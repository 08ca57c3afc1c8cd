"""What goes wrong with the store while it is used, told as what a probe would have found."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from ragd.clock import Clock
from ragd.errors import RagdError
from ragd.events import DependencyLost, DependencyRecovered
from ragd.state.ledger import Ledger
from ragd.store.generations import NAME

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
        waited = False
        while True:
            try:
                done = await work()
            except Exception as why:
                if not (isinstance(why, RagdError) and why.code == "DISK_FULL"):
                    await self._has_room(waited)
                    raise
                await self._is_full()
                waited = True
                await self._clock.sleep(FULL_RETRY_S)
            else:
                await self._has_room(waited)
                return done

    async def _is_full(self) -> None:
        if "store" not in self._ledger.state.health.lost:
            log.warning("nothing can be written to the index")
            lost = DependencyLost(dependency="store", code="DISK_FULL")
            await self._ledger.journal.append(NAME, lost)

    async def _has_room(self, waited: bool) -> None:
        if waited:
            room = DependencyRecovered(dependency="store")
            await self._ledger.journal.append(NAME, room)
