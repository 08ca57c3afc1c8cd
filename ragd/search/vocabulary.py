"""The vocabulary of the serving index, to correct mistyped words. It is counted in the background.

A search never waits for it. It is counted again when the index has changed, at most every five
minutes. It holds words and no sentences, in memory only. Each part of the index that is searched by
itself has its own, so that a correction never shows a word from outside of that part.
"""

import asyncio

import structlog

from ragd.clock import Clock
from ragd.search.query.typos import Vocabulary
from ragd.store.lance import ChunkIndex

RECOUNT_EVERY_S = 300.0
MOST_WORDS = 200_000  # the most frequent ones
MOST_PARTS = 4  # of the index that have a vocabulary; the one used least recently is dropped

log = structlog.get_logger("searcher")


class _CountedWords:
    """The words of one part of an index, as last counted."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._vocabulary: Vocabulary | None = None
        self._counted_version: tuple[str, int] | None = None  # generation and table version
        self._counted_at: float | None = None
        self._counting: asyncio.Task[None] | None = None

    def get(self, index: ChunkIndex) -> Vocabulary | None:
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


class VocabularyCache:
    """Counts the words of an index, and of parts of it, and keeps the last results."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._parts: dict[str | None, _CountedWords] = {}  # by the condition for the rows

    def get(self, index: ChunkIndex) -> Vocabulary | None:
        """The words of this index as last counted; None if they were never counted."""
        counted = self._parts.pop(index.within, None) or _CountedWords(self._clock)
        self._parts[index.within] = counted  # to the end, so that it is dropped last
        while len(self._parts) > MOST_PARTS:
            del self._parts[next(iter(self._parts))]
        return counted.get(index)
