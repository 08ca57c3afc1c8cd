"""Checks every call of an embedder, so that a vector of another model is never used.

Each call also embeds a known text, the canary, and compares its vector with the one that the
index's own model made. For a query that would take too long, so the server's model is compared.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from ragd.embed.providers.embedder_port import (
    CANARY,
    Embedder,
    EmbeddingError,
    Vector,
    VectorSpace,
    same_space,
)


class CanaryCheckedEmbedder:
    """Returns the vectors of another embedder, and raises if they are of another vector space."""

    def __init__(
        self,
        embedder: Embedder,
        canary: Vector,
        is_same_model: Callable[[], Awaitable[bool]],
    ) -> None:
        self._embedder = embedder
        self._canary = canary
        self._is_same_model = is_same_model

    @property
    def space(self) -> VectorSpace:
        return self._embedder.space

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if not texts or not self._canary:
            return await self._embedder.embed(texts)
        try:
            made_canary, *made = await self._embedder.embed([CANARY, *texts])
        except EmbeddingError as why:
            raise self._without_canary(why) from None
        if not same_space(made_canary, self._canary):
            raise model_mismatch()
        return made

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[Vector]:
        return await self.embed(texts)  # only Ollama is checked, and it makes no units

    async def embed_query(self, text: str) -> Vector:
        vector, is_same = await asyncio.gather(
            self._embedder.embed_query(text), self._is_same_model()
        )
        if not is_same:
            raise model_mismatch()
        return vector

    async def close(self) -> None:
        await self._embedder.close()

    def _without_canary(self, why: EmbeddingError) -> EmbeddingError:
        """The same failure with the caller's positions, and no vectors without a good canary."""
        made_canary = why.done.get(0)
        if made_canary is not None and not same_space(made_canary, self._canary):
            return model_mismatch()
        verified = why.done.items() if made_canary is not None else ()
        done = {place - 1: vector for place, vector in verified if place}
        if why.index == 0:  # the canary failed, so the text is not the cause
            return EmbeddingError(why.code, "transient", "reported an internal error")
        index = None if why.index is None else why.index - 1
        sizes = {"configured": why.configured, "made": why.made}
        return EmbeddingError(why.code, why.kind, why.detail, index=index, done=done, **sizes)


def model_mismatch() -> EmbeddingError:
    """The error for a model whose vectors do not match the index."""
    return EmbeddingError(
        "INDEX_MODEL_MISMATCH",
        "wrong_model",
        "has another version of the model than the index",
    )
