"""Repeats a write to the index until the disk has room, or the object store responds. It deletes
nothing to make room."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from ragd.clock import Clock
from ragd.errors import RagdError
from ragd.events import Dependency, DependencyLost, DependencyRecovered
from ragd.state.ledger import Ledger
from ragd.store import STORE_WRITER

RETRY_S = 5.0
WAITED_FOR: dict[str, Dependency] = {
    "DISK_FULL": "store",
    "STORE_UNREACHABLE": "object_store",
    "STORE_DENIED": "object_store",
    "STORE_BUCKET_MISSING": "object_store",
    "STORE_FULL": "object_store",
}

T = TypeVar("T")
log = structlog.get_logger(STORE_WRITER)


class FullDiskRetry:
    """Also records when writing stops because the disk is full or the object store does not
    respond, and when it goes on."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work`, as soon as it can be written. Searches go on meanwhile."""
        waited: Dependency | None = None
        while True:
            try:
                result = await work()
            except Exception as why:
                code = why.code if isinstance(why, RagdError) else ""
                if code not in WAITED_FOR:
                    await self._record_room(waited)
                    raise
                waited = WAITED_FOR[code]
                await self._record_full(waited, code)
                await self._clock.sleep(RETRY_S)
            else:
                await self._record_room(waited)
                return result

    async def _record_full(self, dependency: Dependency, code: str) -> None:
        if dependency not in self._ledger.state.health.lost:
            log.warning("nothing can be written to the index", code=code)
            lost = DependencyLost(dependency=dependency, code=code)
            await self._ledger.journal.append(STORE_WRITER, lost)

    async def _record_room(self, waited: Dependency | None) -> None:
        if waited is not None:
            recovered = DependencyRecovered(dependency=waited)
            await self._ledger.journal.append(STORE_WRITER, recovered)
