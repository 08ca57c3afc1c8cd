"""Vectors of memories, made with the embedder of the open index, in its vector space.

It stores nothing: vectors are stored with their memories, so that forgetting erases both. It never
sends a memory to another machine if the memory or its note may be sensitive.
"""

from collections.abc import Sequence

from ragd.config.live_settings import Settings
from ragd.config.load import is_address_external
from ragd.embed.providers.embedder_port import Vector
from ragd.embed.providers.local_model import model_of
from ragd.embed.providers.provider_choice import Providers
from ragd.guard.live_rules import LiveGuard
from ragd.guard.sensitive import text_may_leave
from ragd.memories.matching import ANCHORS, Memory, QueryMeaning, embed_text
from ragd.search.ranking.cosine_scale import DEFAULT_SCALE, known_scale
from ragd.store.lance import ChunkIndex
from ragd.store.open_indexes import OpenIndexes


class MemoryVectors:
    """Makes vectors of memories, and decides how close a match must be."""

    def __init__(
        self,
        settings: Settings,
        open_indexes: OpenIndexes,
        providers: Providers,
        guard: LiveGuard,
    ) -> None:
        self._settings = settings
        self._open_indexes = open_indexes
        self._providers = providers
        self._guard = guard
        self._anchors: dict[str, tuple[Vector, ...]] = {}  # by vector space

    @property
    def space(self) -> str | None:
        """The vector space of the open index; None while no index is open."""
        index = self._index()
        return index.identity.space.identity if index is not None else None

    def may_embed(self, memory: Memory) -> bool:
        """Whether the embedder may get the text of this memory."""
        index = self._index()
        if index is None:
            return False
        if index.identity.space.provider != "ollama":
            return True
        if not is_address_external(self._settings.current):
            return True
        return memory.may_leave and text_may_leave(embed_text(memory), self._guard.rules)

    async def make(self, space: str, memories: Sequence[Memory]) -> list[Vector]:
        """Their vectors; an empty list if another index is open now. Raises EmbeddingError."""
        index = self._index()
        if index is None or index.identity.space.identity != space:
            return []
        embedder = await self._providers.embedder_for(index.identity)
        if space not in self._anchors and _above_anchors(index) is not None:
            self._anchors = {space: tuple(await embedder.embed(list(ANCHORS)))}
        texts = [embed_text(memory) for memory in memories]
        return list(await embedder.embed(texts)) if texts else []

    def meaning(self, vector: Vector | None, space: str) -> QueryMeaning | None:
        """How to compare a query with this vector; None if only words can be compared."""
        index = self._index()
        if vector is None or index is None or index.identity.space.identity != space:
            return None
        above = _above_anchors(index)
        if above is None:
            return QueryMeaning(vector, space)
        anchors = self._anchors.get(space)
        return QueryMeaning(vector, space, anchors, above) if anchors else None

    def _index(self) -> ChunkIndex | None:
        index = self._open_indexes.serving
        return index if index is not None and index.identity.space.is_known else None


def _above_anchors(index: ChunkIndex) -> float | None:
    """How much closer to a query than unrelated texts a memory must be in this index."""
    scale = known_scale(model_of(index.identity.space)) or DEFAULT_SCALE
    return scale.above_anchors
