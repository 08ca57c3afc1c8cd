"""The actor that erases vectors from the embedding cache when no index has their text any more.

It waits ten minutes first, so that a rename, an undo or a note moved back needs no second
embedding. It never touches the index: the store writer cleans its files.
"""

import asyncio

import structlog

from ragd.clock import Clock
from ragd.embed.embedding_cache import EmbeddingCache
from ragd.events import BatchStored, IndexActivated, tag_of_type
from ragd.state.ledger import Ledger
from ragd.store.open_indexes import OpenIndexes

FORGET_AFTER_S = 600.0
AGAIN_S = 10.0

_TYPES = {tag_of_type(t) for t in (BatchStored, IndexActivated)}
log = structlog.get_logger("forgetting")


class CacheEviction:
    """Compares the cache with the indexes, some minutes after they changed."""

    def __init__(
        self, ledger: Ledger, clock: Clock, open_indexes: OpenIndexes, cache: EmbeddingCache
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._open_indexes = open_indexes
        self._cache = cache
        self._changed = asyncio.Event()

    async def run(self) -> None:
        self._changed.set()  # the last run may have ended before it erased everything
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            group.create_task(self._work())

    async def _listen(self) -> None:
        async for _ in self._ledger.journal.follow(self._ledger.state.seq, _TYPES):
            self._changed.set()

    async def _work(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self._clock.sleep(FORGET_AFTER_S)
            while not await self.forget():
                await self._clock.sleep(AGAIN_S)

    async def forget(self) -> bool:
        """Erase the vectors of texts that are in no index. False while that is not known, or if the
        file cannot be used now. It does not wait for what can take hours: documents, and a reindex,
        during which the index that serves has all texts."""
        reading = self._ledger.state.jobs.reading_notes
        is_incomplete = reading is not None and reading.mode != "reindex"
        if self._open_indexes.serving is None or is_incomplete:
            return False
        held: set[str] = set()
        for index in self._open_indexes.list_open():
            held.update([row["content_hash"] async for row in index.read_rows(["content_hash"])])
        gone = await self._cache.keep_only(held)
        if gone is None:
            return False
        log.info("vectors forgotten", count=gone)
        return True
