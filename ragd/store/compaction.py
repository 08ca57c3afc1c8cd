"""Keeps the index small and fast while writing goes on, a bounded piece at a time.

It also purges the text of deleted notes from the disk: `lance/maintenance.py` rewrites the files
that contain deleted rows (`compact`) and deletes old versions (`remove_old_versions`). This module
decides when. Vectors of deleted notes leave the cache in `ragd/embed/cache_eviction.py`.
"""

import asyncio
import contextlib

import structlog

from ragd.clock import Clock
from ragd.errors import RagdError
from ragd.events import StoreCompacted
from ragd.state.ledger import Ledger
from ragd.store import STORE_WRITER
from ragd.store.index_damage import IndexDamage
from ragd.store.lance import ChunkIndex
from ragd.store.open_indexes import OpenIndexes

COMPACT_AFTER_S = 5.0
RETRY_S = 60.0
FAILURES_FOR_DAMAGE = 2  # a reader that was in the way can cause one

log = structlog.get_logger(STORE_WRITER)


class Compactor:
    """Compacts the serving index some seconds after a write, until nothing is left to do."""

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
            await self._clock.sleep(COMPACT_AFTER_S)
            again_s = await self._compact()

    async def _compact(self) -> float | None:
        """Do one bounded piece. Returns the seconds until there is more to do, or None."""
        index = self._open_indexes.serving
        if index is None:
            return None
        began = self._clock.monotonic()
        try:
            done = await index.maintain()
        except Exception as why:
            if self._open_indexes.serving is not index:
                return 0.0  # another index serves now, and this one is gone
            return await self._handle_failure(why, index)
        self.failures = 0
        if done.changed and self._open_indexes.serving is index:
            took = int((self._clock.monotonic() - began) * 1000)
            generation = index.identity.generation
            fact = StoreCompacted(table_version=done.version, took_ms=took, generation=generation)
            await self._ledger.journal.append(STORE_WRITER, fact)
        return done.again_s

    async def _handle_failure(self, why: Exception, index: ChunkIndex) -> float:
        """Only compaction reads all of an index, so it finds damage that no probe finds. That
        damage hides words and keeps deleted text on the disk. The second failure records it."""
        code = why.code if isinstance(why, RagdError) else None
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
