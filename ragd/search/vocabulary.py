"""The vocabulary of the serving index, to correct mistyped words. It is counted in the background.

A search never waits for it. It is counted again when the index has changed, at most every five
minutes. It holds words and no sentences, in memory only.
"""

import asyncio

import structlog

from ragd.clock import Clock
from ragd.search.query.typos import Vocabulary
from ragd.store.lance import ChunkIndex

RECOUNT_EVERY_S = 300.0
MOST_WORDS = 200_000  # the most frequent ones

log = structlog.get_logger("searcher")


class VocabularyCache:
    """Counts the words of an index, and keeps the last result."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._vocabulary: Vocabulary | None = None
        self._counted_version: tuple[str, int] | None = None  # generation and table version
        self._counted_at: float | None = None
        self._counting: asyncio.Task[None] | None = None

    def get(self, index: ChunkIndex) -> Vocabulary | None:
        """The words of this index as last counted; None if they were never counted."""
        is_idle = self._counting is None or self._counting.done()
        if is_idle and self._is_due(index.identity.generation):
            self._counting = asyncio.get_running_loop().create_task(self._refresh(index))
        counted = self._counted_version
        is_current = counted is not None and counted[0] == index.identity.generation
        return self._vocabulary if is_current else None

    async def _refresh(self, index: ChunkIndex) -> None:
        try:
            now = (index.identity.generation, await index.version())
            if now == self._counted_version:
                return
            counts = await index.count_words(MOST_WORDS)
            self._vocabulary = await asyncio.to_thread(Vocabulary, counts)
            self._counted_version, self._counted_at = now, self._clock.monotonic()
        except Exception as why:  # closed meanwhile, or damaged: the search itself reports it
            log.info("the words of the index were not counted", reason=type(why).__name__)

    def _is_due(self, generation: str) -> bool:
        counted = self._counted_version
        if counted is None or counted[0] != generation or self._counted_at is None:
            return True
        return self._clock.monotonic() - self._counted_at >= RECOUNT_EVERY_S
