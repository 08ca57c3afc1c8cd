"""Who makes the vectors: chosen once, when an index is created, and never changed silently.

Under `auto` that is Ollama if it answers and has the model, else the embedded model. Two indexes
may be open during a reindex, so there may be two providers.
"""

import asyncio

from ragd.adapters import embedded, ollama
from ragd.adapters.lance_store import Identity
from ragd.embedding import CANARY, Embedder, EmbeddingError, Vector, VectorSpace, same_space
from ragd.settings import Settings
from ragd.witness import Witnessed, mismatch


class Providers:
    """The embedders in use, by the identity of their vector space."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open: dict[str, Embedder] = {}
        self._opening = asyncio.Lock()
        self._verified: dict[str, str] = {}  # the last digest whose vectors were compared

    async def choose(self, *, may_be_absent: bool) -> tuple[VectorSpace, Vector]:
        """The vector space for a new index, as the configuration wishes, and its canary.

        `may_be_absent`: where Ollama is wished for and is not there, its space is returned without
        a digest: an index for text alone, until somebody can say what its vectors are like.
        """
        wish = self._settings.current.embedding
        if wish.provider == "embedded":
            return embedded.SPACE, b""  # weights with a hash do not change
        try:
            chosen = await ollama.connect(
                wish.base_url, wish.model, wish.dimensions, wish.batch_size
            )
            canary = await self._take(chosen)
        except EmbeddingError:
            if wish.provider == "auto":
                return embedded.SPACE, b""
            if not may_be_absent:
                raise
            return ollama.space_of(wish.model, "", wish.dimensions), b""
        return chosen.space, canary

    async def of(self, identity: Identity) -> Embedder:
        """The embedder whose vectors may be put beside those of this index."""
        space = identity.space
        async with self._opening:
            known = self._open.get(space.identity)
            if known is not None:
                return known
            if space.provider == "embedded":
                if embedded.SPACE.identity != space.identity:
                    raise mismatch()
                return self._open.setdefault(space.identity, embedded.EmbeddedEmbedder())
            if self._settings.current.embedding.provider == "embedded":
                raise mismatch()  # whoever wants no server any more is not to be sent to one
            return await self._reach(identity)

    async def mismatch(self, identity: Identity, digest: str, *, doubted: bool) -> bool:
        """Whether Ollama's vectors are not those of this index any more. Asked for a vector only
        when that is `doubted`, or the model's digest is another one than it was."""
        known = self._verified.get(identity.space.identity, identity.space.digest)
        if digest == known and not doubted:
            return False
        try:
            async with self._opening:
                stale = self._open.pop(identity.space.identity, None)
                if stale is not None:
                    await stale.close()
                await self._reach(identity)
        except EmbeddingError as why:
            return doubted or why.code == "INDEX_MODEL_MISMATCH"
        self._verified[identity.space.identity] = digest
        return False

    async def keep_only(self, identities: set[str]) -> None:
        """Let go of the embedders of spaces that no index is in any more."""
        for name in self._open.keys() - identities:
            await self._open.pop(name).close()

    async def close(self) -> None:
        await self.keep_only(set())

    async def _reach(self, identity: Identity) -> Embedder:
        """Ollama with the very model of this index: its vectors say so, whatever its digest."""
        wish = self._settings.current.embedding
        space = identity.space
        embedder = ollama.OllamaEmbedder(wish.base_url, space, wish.batch_size)
        try:
            canary = (await embedder.embed([CANARY]))[0]
            if identity.canary and not same_space(canary, identity.canary):
                raise mismatch()
        except BaseException:
            await embedder.close()
            raise
        return self._watch(embedder, canary)

    def _watch(self, embedder: ollama.OllamaEmbedder, canary: Vector) -> Embedder:
        """From now on its vectors are taken, for as long as they are of this space."""
        watched = Witnessed(embedder, canary, lambda: self._has_same_model(embedder))
        self._open[embedder.space.identity] = watched
        return watched

    async def _has_same_model(self, embedder: ollama.OllamaEmbedder) -> bool:
        """Whether the server still has the model that was verified last; who cannot say, says yes:
        then something else is wrong, which shows."""
        try:
            digest = await embedder.digest()
        except EmbeddingError:
            return True
        return digest == self._verified.get(embedder.space.identity, embedder.space.digest)

    async def _take(self, embedder: ollama.OllamaEmbedder) -> Vector:
        """Its canary: a server may change, so what it makes of a known text is kept."""
        try:
            canary = (await embedder.embed([CANARY]))[0]
        except BaseException:
            await embedder.close()
            raise
        if embedder.space.identity in self._open:  # somebody may be at work with that one
            await embedder.close()
        else:
            self._watch(embedder, canary)
        return canary
