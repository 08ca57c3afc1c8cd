"""Whether a search may be answered with less than was asked for: `search.fallback`.

With "none", a search is refused if its question has no vector, or if passages in scope still lack
theirs; so are related notes in the second case. It looks nothing up in the index.
"""

import asyncio

from ragd.access.scope import Scope
from ragd.config.live_settings import Settings
from ragd.errors import RagdError
from ragd.health.explanation import explain_without_fallback
from ragd.search.query_vector import QueryVector
from ragd.state.ledger import Ledger


class Fallback:
    """Refuses searches that would fall back to less, by the configuration in force."""

    def __init__(self, ledger: Ledger, settings: Settings) -> None:
        self._ledger = ledger
        self._settings = settings

    @property
    def is_allowed(self) -> bool:
        """Whether a part of the answer is better than none."""
        return self._settings.current.search.fallback != "none"

    async def require_vectors(self, embedding: asyncio.Task[QueryVector], scope: Scope) -> None:
        """Raises RagdError if the search would be done without some of its vectors. A question that
        needs no vector (it has no words, or meaning has no weight) is not refused."""
        if self.is_allowed:
            return
        embedded = await asyncio.shield(embedding)
        code = embedded.code
        if code is None and embedded.vector is not None:
            self.require_stored_vectors(scope)
        if code is not None:
            raise self._refusal(code)

    def require_stored_vectors(self, scope: Scope) -> None:
        """Raises RagdError if passages in scope still lack their vectors."""
        if not self.is_allowed and self._lacks_vectors(scope):
            raise self._refusal("VECTORS_PENDING")

    def _refusal(self, code: str) -> RagdError:
        model = self._settings.current.embedding.model
        why = explain_without_fallback(code, self._ledger.state, model)
        return RagdError("VECTORS_REQUIRED", *why)

    def _lacks_vectors(self, scope: Scope) -> bool:
        """Passages that never get a vector do not count: they must not leave this machine."""
        return any(map(scope.includes, self._ledger.state.catalog.lacking))
