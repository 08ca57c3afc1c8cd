"""The vocabulary of the index that serves, for mistyped words: counted in the background.

A search never waits for it. It is counted anew when the index has changed, and not more often than
every few minutes. It holds words and no sentences, in memory only.
"""

import asyncio

import structlog

from ragd.clock import Clock
from ragd.search.query.typos import Vocabulary
from ragd.store.lance import ChunkIndex

EVERY_S = 300.0
MOST_WORDS = 200_000  # the most frequent ones

log = structlog.get_logger("searcher")


class VocabularyCache:
    """Counts the words of an index, and keeps the last result."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._found: Vocabulary | None = None
        self._of: tuple[str, int] | None = None  # generation and version
        self._counted_at: float | None = None
        self._counting: asyncio.Task[None] | None = None

    def get(self, index: ChunkIndex) -> Vocabulary | None:
        """The words of this index as they were last counted; None if they never were."""
        is_idle = self._counting is None or self._counting.done()
        if is_idle and self._is_due(index.identity.generation):
            self._counting = asyncio.get_running_loop().create_task(self._refresh(index))
        is_this = self._of is not None and self._of[0] == index.identity.generation
        return self._found if is_this else None

    async def _refresh(self, index: ChunkIndex) -> None:
        try:
            now = (index.identity.generation, await index.version())
            if now == self._of:
                return
            counts = await index.count_words(MOST_WORDS)
            self._found = await asyncio.to_thread(Vocabulary, counts)
            self._of, self._counted_at = now, self._clock.monotonic()
        except Exception as why:  # closed meanwhile, or damaged: the search itself reports it
            log.info("the words of the index were not counted", reason=type(why).__name__)

    def _is_due(self, generation: str) -> bool:
        if self._of is None or self._of[0] != generation or self._counted_at is None:
            return True
        return self._clock.monotonic() - self._counted_at >= EVERY_S
