"""Embeds a question in the vector space of the open index, or returns why it could not.

Questions have priority over waiting batches of notes. No question is stored.
"""

import asyncio
import contextlib
from collections.abc import Sequence

from msgspec import Struct

from ragd.config.live_settings import Settings
from ragd.config.load import is_address_external
from ragd.embed.providers.embedder_port import EmbeddingError, Vector
from ragd.embed.providers.provider_choice import Providers
from ragd.errors import WITHOUT_VECTORS
from ragd.events import DependencyRecovered, EmbeddingFailed, Fact
from ragd.folds.catalog import Catalog
from ragd.folds.health_reasons import DEPENDENCY_OF
from ragd.guard.live_rules import LiveGuard
from ragd.guard.sensitive import text_may_leave
from ragd.health.current_health import CurrentReason
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex

NAME = "tool_gateway"
WITHIN_S = 1.5
RECORD_WITHIN_S = 0.5
RECORDED_FAILURES = 2  # in a row; a single failure is not recorded


class QueryVector(Struct, frozen=True):
    """A vector, or the code that explains why there is none. Neither if no vector is needed."""

    vector: Vector | None = None
    code: str | None = None


class QueryVectors:
    """Embeds questions."""

    def __init__(
        self, ledger: Ledger, settings: Settings, providers: Providers, guard: LiveGuard
    ) -> None:
        self._ledger = ledger
        self._failures = 0  # in a row
        self._settings = settings
        self._providers = providers
        self._guard = guard

    async def embed(
        self, query: str, index: ChunkIndex, catalog: Catalog, health: Sequence[CurrentReason]
    ) -> QueryVector:
        """The vector of this question, if it is useful and can be made in time."""
        search = self._settings.current.search
        if search.fusion == "weighted" and not search.vector_weight:
            return QueryVector()
        codes = [reason.code for reason in health]
        if "INDEX_STALE" in codes and search.stale == "full_text":
            return QueryVector(code="INDEX_STALE")
        for code in WITHOUT_VECTORS:
            if code in codes:
                return QueryVector(code=code)
        if catalog.chunks and not catalog.chunks_embedded:
            return QueryVector(code="VECTORS_PENDING")
        if self._must_stay_local(query, index):
            return QueryVector(code="SENSITIVE_FILTERED")
        try:
            async with asyncio.timeout(WITHIN_S):
                embedder = await self._providers.embedder_for(index.identity)
                vector = await embedder.embed_query(query)
        except TimeoutError:
            await self._record_failure(EmbeddingFailed(code="TIMEOUT", attempt=RECORDED_FAILURES))
            return QueryVector(code="TIMEOUT")
        except EmbeddingError as why:
            sizes = {"configured": why.configured, "made": why.made}
            failed = EmbeddingFailed(code=why.code, attempt=RECORDED_FAILURES, **sizes)
            await self._record_failure(failed)
            return QueryVector(code=why.code)
        self._failures = 0
        await self._record_recovery(index.identity.space.provider)
        return QueryVector(vector)

    async def _record_failure(self, fact: EmbeddingFailed) -> None:
        """Two failed questions in a row count as a failed probe. After two time-outs the health
        monitor probes at once."""
        self._failures += 1
        if self._failures == RECORDED_FAILURES:
            await self._record(fact)

    async def _record_recovery(self, provider: str) -> None:
        """A vector counts as a successful probe of its provider."""
        dependency = DEPENDENCY_OF[provider]
        if dependency in self._ledger.state.health.lost:
            await self._record(DependencyRecovered(dependency=dependency))

    async def _record(self, fact: Fact) -> None:
        """Does not wait for a full disk: the question is still answered."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RECORD_WITHIN_S):
                await self._ledger.journal.append(NAME, fact)

    def _must_stay_local(self, query: str, index: ChunkIndex) -> bool:
        """Whether the question is sensitive and the provider is on another machine."""
        is_external = index.identity.space.provider == "ollama" and is_address_external(
            self._settings.current
        )
        return is_external and not text_may_leave(query, self._guard.rules)
