"""Keeps the indexes small and fast while writing goes on, a bounded piece at a time.

It also purges the text of deleted notes from the disk: `lance/maintenance.py` rewrites the files
that contain deleted rows (`compact`) and deletes old versions (`remove_old_versions`). This module
decides when. Vectors of deleted notes leave the cache in `ragd/embed/cache_eviction.py`.
"""

import asyncio

import structlog

from ragd.clock import Clock
from ragd.errors import RagdError
from ragd.events import StoreCompacted
from ragd.runtime.wait_for_event import wait_until_set
from ragd.state.ledger import Ledger
from ragd.store import STORE_WRITER
from ragd.store.index_damage import IndexDamage
from ragd.store.lance import ChunkIndex
from ragd.store.open_indexes import OpenIndexes

COMPACT_AFTER_S = 5.0
PAUSE_S = 1.0  # between two pieces: a large index needs dozens after deletions all over it
RETRY_S = 60.0
FAILURES_FOR_DAMAGE = 2  # a reader that was in the way can cause one

log = structlog.get_logger(STORE_WRITER)


class Compactor:
    """Compacts the open indexes some seconds after a write, until nothing is left to do.

    Deleted text must leave the index that is being built too: its vectors can take hours.
    """

    def __init__(
        self, ledger: Ledger, clock: Clock, open_indexes: OpenIndexes, damage: IndexDamage
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._open_indexes = open_indexes
        self._damage = damage
        self.failures = 0  # in a row, with the same code and the same index
        self._last_failure: tuple[str, str | None] = ("", None)  # that index, and its error code
        self._woken = asyncio.Event()
        open_indexes.on_change(self.wake)  # an index may have deleted text from an earlier run

    def wake(self) -> None:
        """Something was written, or another index is open."""
        self._woken.set()

    async def run(self) -> None:
        """After changes, and again until no deleted text is left in any old file."""
        self.wake()  # the last run may have left something
        again_s: float | None = None
        while True:
            await self._wait(again_s)
            self._woken.clear()
            again_s = await self._compact_all()

    async def _wait(self, again_s: float | None) -> None:
        """Wait for a write, at most `again_s`. More writes may follow the first one at once."""
        if again_s == 0.0:
            await self._clock.sleep(PAUSE_S)
        elif again_s is None:
            await self._woken.wait()
            await self._clock.sleep(COMPACT_AFTER_S)
        elif await wait_until_set(self._woken, self._clock, again_s):
            await self._clock.sleep(COMPACT_AFTER_S)

    async def _compact_all(self) -> float | None:
        """Do one bounded piece of each index. Returns the seconds until there is more to do."""
        waits = [await self._compact(index) for index in self._open_indexes.list_open()]
        return min((wait for wait in waits if wait is not None), default=None)

    async def _compact(self, index: ChunkIndex) -> float | None:
        """Do one bounded piece. Returns the seconds until there is more to do, or None."""
        began = self._clock.monotonic()
        try:
            done = await index.maintain()
        except Exception as why:
            if not self._is_open(index):
                return 0.0  # another index is open now, and this one is gone
            return await self._handle_failure(why, index)
        if index is self._open_indexes.serving:
            self.failures = 0
        if done.changed and self._is_open(index):
            took = int((self._clock.monotonic() - began) * 1000)
            generation = index.identity.generation
            fact = StoreCompacted(table_version=done.version, took_ms=took, generation=generation)
            await self._ledger.journal.append(STORE_WRITER, fact)
        return done.again_s

    def _is_open(self, index: ChunkIndex) -> bool:
        return any(one is index for one in self._open_indexes.list_open())

    async def _handle_failure(self, why: Exception, index: ChunkIndex) -> float:
        """Only compaction reads all of an index, so it finds damage that no probe finds. That
        damage hides words and keeps deleted text on the disk. The second failure records it. An
        index that is being built is read once more before it serves."""
        code = why.code if isinstance(why, RagdError) else None
        if index is not self._open_indexes.serving:
            log.warning("the index that is built could not be compacted", code=code)
            return RETRY_S
        before, self._last_failure = self._last_failure, (index.identity.generation, code)
        self.failures = self.failures + 1 if self._last_failure == before else 1
        log.warning(
            "the index could not be compacted",
            exception=type(why).__name__,
            code=code,
            times=self.failures,
        )
        is_missing = code == "INDEX_NOT_FOUND"
        is_damaged = code == "INDEX_CORRUPTED" and self.failures >= FAILURES_FOR_DAMAGE
        if code is not None and (is_damaged or is_missing) and not self._damage.is_recorded:
            if is_damaged:
                self._open_indexes.mark_damaged(index)
            await self._damage.record_failed_call(code)
        return RETRY_S
