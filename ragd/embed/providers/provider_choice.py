"""Who makes the vectors: chosen once, when an index is created, and never changed silently.

Under `auto` that is Ollama if it answers and has the model, else the embedded model. Two indexes
may be open during a reindex, so there may be two providers.
"""

import asyncio
from typing import NamedTuple

from ragd.config.live_settings import Settings
from ragd.embed.providers import local_model, ollama
from ragd.embed.providers.canary_check import CanaryCheckedEmbedder, mismatch
from ragd.embed.providers.embedder_port import (
    CANARY,
    Embedder,
    EmbeddingError,
    PassedOver,
    Vector,
    VectorSpace,
    same_space,
)
from ragd.embed.providers.shipped_models import ENGLISH, ShippedModel
from ragd.store.lance import IndexIdentity


class ChosenProvider(NamedTuple):
    """The vector space of a new index, its canary, and why it is not Ollama's, if it could be."""

    space: VectorSpace
    canary: Vector = b""  # of a server, which may change; weights with a hash do not
    passed_over: PassedOver | None = None


class Providers:
    """The embedders in use, by the identity of their vector space."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open: dict[str, Embedder] = {}
        self._opening = asyncio.Lock()
        self._verified: dict[str, str] = {}  # the last digest whose vectors were compared
        self._size = ("", 0)  # a digest, and the size of the vectors of that model

    async def choose(self, *, may_be_absent: bool, local: ShippedModel = ENGLISH) -> ChosenProvider:
        """The vector space for a new index, as the configuration wishes. `local`: the embedded
        model that is meant, where it is an embedded one.

        `may_be_absent`: where Ollama is wished for and is not there, its space is returned without
        a digest: an index for text alone, until somebody can say what its vectors are like.
        """
        wish = self._settings.current.embedding
        if wish.provider == "embedded":
            return ChosenProvider(local_model.space_of(local))
        try:
            chosen = await ollama.connect(
                wish.base_url, wish.model, wish.dimensions, wish.batch_size
            )
            canary = await self._take(chosen)
        except EmbeddingError as why:
            if wish.provider == "auto":
                passed_over = PassedOver(why.code, why.configured, why.made)
                return ChosenProvider(local_model.space_of(local), passed_over=passed_over)
            if not may_be_absent:
                raise
            size = wish.dimensions or ollama.USUAL_DIMENSIONS
            return ChosenProvider(ollama.space_of(wish.model, "", size))
        return ChosenProvider(chosen.space, canary)

    async def vector_size(self, known: VectorSpace | None) -> int | None:
        """How many numbers a vector of the configured model in Ollama has; None if nobody can say
        now. Asked for a vector once for each version of the model; `known` may spare that."""
        wish = self._settings.current.embedding
        try:
            sighting = await ollama.look(wish.base_url, wish.model)
            if sighting.digest is None:
                return None
            if known is not None and (known.model, known.digest) == (wish.model, sighting.digest):
                return known.dimensions
            if self._size[0] != sighting.digest:
                self._size = sighting.digest, await ollama.vector_size(wish.base_url, wish.model)
        except EmbeddingError:
            return None
        return self._size[1]

    async def of(self, identity: IndexIdentity) -> Embedder:
        """The embedder whose vectors may be put beside those of this index."""
        space = identity.space
        async with self._opening:
            known = self._open.get(space.identity)
            if known is not None:
                return known
            if space.provider == "embedded":
                model = local_model.model_of(space)
                if model is None:
                    raise mismatch()
                return self._open.setdefault(
                    space.identity, local_model.EmbeddedEmbedder(model=model)
                )
            if self._settings.current.embedding.provider == "embedded":
                raise mismatch()  # whoever wants no server any more is not to be sent to one
            return await self._reach(identity)

    async def mismatch(self, identity: IndexIdentity, digest: str, *, doubted: bool) -> bool:
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
            embedder = self._open.pop(name)
            try:
                await embedder.close()
            except asyncio.CancelledError:  # `close` ends it: its worker must not be orphaned
                self._open.setdefault(name, embedder)
                raise

    async def close(self) -> None:
        await self.keep_only(set())

    async def _reach(self, identity: IndexIdentity) -> Embedder:
        """Ollama with the very model of this index: its vectors say so, whatever its digest."""
        wish = self._settings.current.embedding
        space = identity.space
        embedder = ollama.OllamaEmbedder(
            wish.base_url, space, wish.batch_size, configured=wish.dimensions
        )
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
        watched = CanaryCheckedEmbedder(embedder, canary, lambda: self._has_same_model(embedder))
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
