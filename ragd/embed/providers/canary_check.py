"""An embedder under watch: no vector of another model gets through, whenever the server changed.

With every call a known text is embedded, too, and compared with what the index's own model made of
it. For a question that would take too long: there the server is asked which model it has.
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
    """The same as the embedder that it watches, but for vectors of another space."""

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
            witness, *made = await self._embedder.embed([CANARY, *texts])
        except EmbeddingError as why:
            raise self._without_witness(why) from None
        if not same_space(witness, self._canary):
            raise mismatch()
        return made

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return await self.embed(texts)  # only Ollama has a witness, and it makes no units

    async def embed_query(self, text: str) -> Vector:
        vector, is_same = await asyncio.gather(
            self._embedder.embed_query(text), self._is_same_model()
        )
        if not is_same:
            raise mismatch()
        return vector

    async def close(self) -> None:
        await self._embedder.close()

    def _without_witness(self, why: EmbeddingError) -> EmbeddingError:
        """The same failure by the caller's own count; nothing is done that nobody vouches for."""
        witness = why.done.get(0)
        if witness is not None and not same_space(witness, self._canary):
            return mismatch()
        vouched = why.done.items() if witness is not None else ()
        done = {place - 1: vector for place, vector in vouched if place}
        if why.index == 0:  # the known text, of all texts: it is not the text's fault
            return EmbeddingError(why.code, "transient", "failed inside")
        index = None if why.index is None else why.index - 1
        sizes = {"configured": why.configured, "made": why.made}
        return EmbeddingError(why.code, why.kind, why.detail, index=index, done=done, **sizes)


def mismatch() -> EmbeddingError:
    """The vectors are not those of the index any more."""
    return EmbeddingError(
        "INDEX_MODEL_MISMATCH",
        "wrong_model",
        "has another version of the model than the index",
    )
