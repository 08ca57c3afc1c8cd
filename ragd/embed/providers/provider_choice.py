"""Chooses the provider of an index when the index is created, and never changes it silently.

With `auto` it is Ollama if it responds and has the model, else the embedded model. During a reindex
two indexes are open, so there may be two providers.
"""

import asyncio
from typing import NamedTuple

from ragd.config.live_settings import Settings
from ragd.embed.providers import local_model, ollama
from ragd.embed.providers.canary_check import CanaryCheckedEmbedder, model_mismatch
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
    """The vector space of a new index, its canary, and why Ollama was not chosen, if allowed."""

    space: VectorSpace
    canary: Vector = b""  # only for a server, whose model may change
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
        """The vector space for a new index, by the configuration. `local`: the embedded model to
        use, if it is an embedded one.

        `may_be_absent`: if Ollama is configured and does not respond, return its space without a
        digest. That index has only text until Ollama responds.
        """
        wanted = self._settings.current.embedding
        if wanted.provider == "embedded":
            return ChosenProvider(local_model.space_of(local))
        try:
            chosen = await ollama.connect(
                wanted.base_url, wanted.model, wanted.dimensions, wanted.batch_size
            )
            canary = await self._open_for_index(chosen)
        except EmbeddingError as why:
            if wanted.provider == "auto":
                passed_over = PassedOver(why.code, why.configured, why.made)
                return ChosenProvider(local_model.space_of(local), passed_over=passed_over)
            if not may_be_absent:
                raise
            size = wanted.dimensions or ollama.USUAL_DIMENSIONS
            return ChosenProvider(ollama.space_of(wanted.model, "", size))
        return ChosenProvider(chosen.space, canary)

    async def vector_size(self, known: VectorSpace | None) -> int | None:
        """How many numbers a vector of the configured model in Ollama has; None if that cannot be
        found out now. Each version of the model makes one vector for this, unless it is `known`."""
        wanted = self._settings.current.embedding
        try:
            found = await ollama.read_model_info(wanted.base_url, wanted.model)
            if found.digest is None:
                return None
            if known is not None and (known.model, known.digest) == (wanted.model, found.digest):
                return known.dimensions
            if self._size[0] != found.digest:
                self._size = found.digest, await ollama.vector_size(wanted.base_url, wanted.model)
        except EmbeddingError:
            return None
        return self._size[1]

    async def embedder_for(self, identity: IndexIdentity) -> Embedder:
        """The embedder that makes vectors for this index. Raises EmbeddingError."""
        space = identity.space
        async with self._opening:
            known = self._open.get(space.identity)
            if known is not None:
                return known
            if space.provider == "embedded":
                model = local_model.model_of(space)
                if model is None:
                    raise model_mismatch()
                embedder = local_model.EmbeddedEmbedder(self._worker_idle_s, model=model)
                return self._open.setdefault(space.identity, embedder)
            if self._settings.current.embedding.provider == "embedded":
                raise model_mismatch()  # the configuration does not allow Ollama any more
            return await self._connect(identity)

    def _worker_idle_s(self) -> float:
        return self._settings.current.embedding.worker_idle_s

    async def has_other_model(self, identity: IndexIdentity, digest: str, *, doubted: bool) -> bool:
        """Whether Ollama's vectors do not match this index any more. A vector is made and compared
        only if that is `doubted` or the model's digest has changed."""
        known = self._verified.get(identity.space.identity, identity.space.digest)
        if digest == known and not doubted:
            return False
        try:
            async with self._opening:
                stale = self._open.pop(identity.space.identity, None)
                if stale is not None:
                    await stale.close()
                await self._connect(identity)
        except EmbeddingError as why:
            return doubted or why.code == "INDEX_MODEL_MISMATCH"
        self._verified[identity.space.identity] = digest
        return False

    async def keep_only(self, identities: set[str]) -> None:
        """Close the embedders of all other vector spaces."""
        for name in self._open.keys() - identities:
            embedder = self._open.pop(name)
            try:
                await embedder.close()
            except asyncio.CancelledError:  # `close` ends it later: its worker must not stay
                self._open.setdefault(name, embedder)
                raise

    async def close(self) -> None:
        await self.keep_only(set())

    async def _connect(self, identity: IndexIdentity) -> Embedder:
        """Open Ollama with the model of this index. Its vectors are compared, not its digest."""
        wanted = self._settings.current.embedding
        space = identity.space
        embedder = ollama.OllamaEmbedder(
            wanted.base_url, space, wanted.batch_size, configured=wanted.dimensions
        )
        try:
            canary = (await embedder.embed([CANARY]))[0]
            if identity.canary and not same_space(canary, identity.canary):
                raise model_mismatch()
        except BaseException:
            await embedder.close()
            raise
        return self._add_checked(embedder, canary)

    def _add_checked(self, embedder: ollama.OllamaEmbedder, canary: Vector) -> Embedder:
        """Use this embedder, with a canary check of every call."""
        checked = CanaryCheckedEmbedder(embedder, canary, lambda: self._has_same_model(embedder))
        self._open[embedder.space.identity] = checked
        return checked

    async def _has_same_model(self, embedder: ollama.OllamaEmbedder) -> bool:
        """Whether the server still has the model that was verified last. True if it does not
        respond: another check reports that."""
        try:
            digest = await embedder.digest()
        except EmbeddingError:
            return True
        return digest == self._verified.get(embedder.space.identity, embedder.space.digest)

    async def _open_for_index(self, embedder: ollama.OllamaEmbedder) -> Vector:
        """Keep the embedder of a new index open, and return its canary."""
        try:
            canary = (await embedder.embed([CANARY]))[0]
        except BaseException:
            await embedder.close()
            raise
        if embedder.space.identity in self._open:  # that one may be in use
            await embedder.close()
        else:
            self._add_checked(embedder, canary)
        return canary
