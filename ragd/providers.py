"""Who makes the vectors: chosen once, when an index is created, and never changed silently.

Under `auto` that is Ollama if it answers and has the model, else the embedded model.
"""

from ragd.adapters import embedded, ollama
from ragd.embedding import Embedder, EmbeddingError, VectorSpace
from ragd.settings import Settings


class Providers:
    """One embedder at a time, for one vector space."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._current: Embedder | None = None

    async def choose(self) -> Embedder:
        """The embedder for a new index, as the configuration wishes."""
        wish = self._settings.current.embedding
        if wish.provider != "embedded":
            try:
                chosen: Embedder = await ollama.connect(
                    wish.base_url, wish.model, wish.dimensions, wish.batch_size
                )
                return await self._take(chosen)
            except EmbeddingError:
                if wish.provider == "ollama":
                    raise
        return await self._take(embedded.EmbeddedEmbedder())

    async def of(self, space: VectorSpace) -> Embedder:
        """The embedder whose vectors may be put beside those of `space`."""
        if self._current is not None and self._current.space.identity == space.identity:
            return self._current
        if space.provider == "embedded":
            embedder: Embedder = embedded.EmbeddedEmbedder()
        else:
            wish = self._settings.current.embedding
            embedder = ollama.OllamaEmbedder(wish.base_url, space, wish.batch_size)
        if embedder.space.identity != space.identity:
            await embedder.close()
            raise EmbeddingError(
                "INDEX_MODEL_MISMATCH",
                "wrong_model",
                "has another version of the model than the index",
            )
        return await self._take(embedder)

    async def close(self) -> None:
        if self._current is not None:
            await self._current.close()
            self._current = None

    async def _take(self, embedder: Embedder) -> Embedder:
        await self.close()
        self._current = embedder
        return embedder
