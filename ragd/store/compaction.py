"""Keeps the index small and quick, beside the writing, a bounded piece at a time."""

import asyncio
import contextlib

import structlog

from ragd.clock import Clock
from ragd.errors import RagdError
from ragd.events import DependencyLost, StoreCompacted
from ragd.state.ledger import Ledger
from ragd.store.generations import NAME
from ragd.store.lance import ChunkIndex
from ragd.store.open_indexes import OpenIndexes

TIDY_AFTER_S = 5.0
TIDY_AGAIN_S = 60.0
DAMAGED_TIMES = 2  # once may have been a reader's bad luck

log = structlog.get_logger(NAME)


class Compactor:
    """Woken by whoever writes; decides by itself when."""

    def __init__(self, ledger: Ledger, clock: Clock, open_indexes: OpenIndexes) -> None:
        self._ledger = ledger
        self._clock = clock
        self._open_indexes = open_indexes
        self._failures = 0  # of one kind, of one index, in a row
        self._last: tuple[str, str | None] = ("", None)  # that index, and that kind
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Something was written."""
        self._woken.set()

    async def run(self) -> None:
        """After changes, and again until no deleted text is left in any old file."""
        again_s: float | None = 0.0  # the last run may have left something
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(again_s):
                    await self._woken.wait()
            self._woken.clear()
            await self._clock.sleep(TIDY_AFTER_S)
            again_s = await self._tidy()

    async def _tidy(self) -> float | None:
        """A bounded piece of it, beside the writing; in how many seconds there is more to do."""
        index = self._open_indexes.serving
        if index is None:
            return None
        began = self._clock.monotonic()
        try:
            done = await index.maintain()
        except Exception as why:
            if self._open_indexes.serving is not index:
                return 0.0  # it was switched meanwhile, and is gone: the new one has its turn
            return await self._failed(why, index)
        self._failures = 0
        if done.changed and self._open_indexes.serving is index:
            took = int((self._clock.monotonic() - began) * 1000)
            generation = index.identity.generation
            fact = StoreCompacted(table_version=done.version, took_ms=took, generation=generation)
            await self._ledger.journal.append(NAME, fact)
        return done.again_s

    async def _failed(self, why: Exception, index: ChunkIndex) -> float:
        """Damage that no probe sees, since only tidying reads all of an index, counts the second
        time: it hides words, and it keeps the text of deleted notes on the disk."""
        code = why.code if isinstance(why, RagdError) else None
        before, self._last = self._last, (index.identity.generation, code)
        self._failures = self._failures + 1 if self._last == before else 1
        log.warning(
            "the index could not be tidied",
            exception=type(why).__name__,
            code=code,
            times=self._failures,
        )
        is_missing = code == "INDEX_NOT_FOUND"
        is_damaged = code == "INDEX_CORRUPTED" and self._failures >= DAMAGED_TIMES
        seen_by_a_probe = "index" in self._ledger.state.health.lost
        if code is not None and (is_damaged or is_missing) and not seen_by_a_probe:
            if is_damaged:
                self._open_indexes.mark_damaged(index)
            await self._ledger.journal.append(NAME, DependencyLost(dependency="index", code=code))
        return TIDY_AGAIN_S
