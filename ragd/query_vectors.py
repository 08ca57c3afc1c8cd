"""The vector of a question, in the space of the index that serves, or why there is none in time.

It goes before all batches of notes that wait, and keeps no question.
"""

import asyncio
import contextlib
from collections.abc import Sequence

from msgspec import Struct

from ragd.adapters.lance_store import ChunkIndex
from ragd.config import is_address_external
from ragd.embedding import EmbeddingError, Vector
from ragd.errors import WITHOUT_VECTORS
from ragd.events import EmbeddingFailed
from ragd.folds.catalog import Catalog
from ragd.guarding import GuardInForce
from ragd.ledger import Ledger
from ragd.providers import Providers
from ragd.search.sensitive import text_may_leave
from ragd.settings import Settings
from ragd.status import Reason

NAME = "tool_gateway"
WITHIN_S = 1.5
RECORD_WITHIN_S = 0.5
TWICE = 2  # a blip says nothing
CHARACTERS = 2_000  # what is longer is no question: its beginning stands for its meaning


class Asked(Struct, frozen=True):
    """A vector, or the code that says why there is none; neither: nobody wants one."""

    vector: Vector | None = None
    code: str | None = None


class QueryVectors:
    """Makes them."""

    def __init__(
        self, ledger: Ledger, settings: Settings, providers: Providers, guard: GuardInForce
    ) -> None:
        self._ledger = ledger
        self._failures = 0  # in a row
        self._settings = settings
        self._providers = providers
        self._guard = guard

    async def of(
        self, query: str, index: ChunkIndex, catalog: Catalog, health: Sequence[Reason]
    ) -> Asked:
        """The vector of this question, if it can be had and is worth having."""
        search = self._settings.current.search
        if search.fusion == "weighted" and not search.vector_weight:
            return Asked()
        codes = [reason.code for reason in health]
        if "INDEX_STALE" in codes and search.stale == "full_text":
            return Asked(code="INDEX_STALE")
        for code in WITHOUT_VECTORS:
            if code in codes:
                return Asked(code=code)
        if catalog.chunks and not catalog.chunks_embedded:
            return Asked(code="VECTORS_PENDING")
        if self._must_stay_here(query, index):
            return Asked(code="SENSITIVE_FILTERED")
        try:
            async with asyncio.timeout(WITHIN_S):
                embedder = await self._providers.of(index.identity)
                vector = await embedder.embed_query(query[:CHARACTERS])
        except TimeoutError:
            return Asked(code="TIMEOUT")
        except EmbeddingError as why:
            await self._report(why)
            return Asked(code=why.code)
        self._failures = 0
        return Asked(vector)

    async def _report(self, why: EmbeddingError) -> None:
        """A question that fails twice is as good as a probe; a full disk keeps nobody waiting."""
        self._failures += 1
        if self._failures != TWICE:
            return
        failed = EmbeddingFailed(code=why.code, attempt=TWICE)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RECORD_WITHIN_S):
                await self._ledger.journal.append(NAME, failed)

    def _must_stay_here(self, query: str, index: ChunkIndex) -> bool:
        """Whether the question is sensitive, and would go to another machine."""
        leaves = index.identity.space.provider == "ollama" and is_address_external(
            self._settings.current
        )
        return leaves and not text_may_leave(query, self._guard.rules)
