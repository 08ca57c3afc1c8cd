"""From vault to index: the four actors of the pipeline and what they share, put together."""

import hashlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from ragd.actors.batcher import Batcher
from ragd.actors.embedder import EmbedderActor
from ragd.actors.store_writer import StoreWriter
from ragd.actors.watcher import Watcher
from ragd.adapters.embedding_cache import EmbeddingCache
from ragd.adapters.lance_store import Identity, LanceStore
from ragd.clock import Clock
from ragd.embedding import CANARY
from ragd.guarding import GuardInForce
from ragd.ledger import Ledger
from ragd.paths import Home
from ragd.payloads import InFlight
from ragd.providers import Providers
from ragd.query_vectors import QueryVectors
from ragd.reading import Notes
from ragd.searching import Searcher
from ragd.serving import Serving
from ragd.settings import Settings


class Pipeline:
    """Everything between a saved note and an answer from it."""

    def __init__(self, home: Home, clock: Clock, ledger: Ledger, settings: Settings) -> None:
        self._settings = settings
        self._notes = Notes(settings)
        self._store = LanceStore(settings.vectors)
        self._providers = Providers(settings)
        self._cache = EmbeddingCache(Path(home.embedding_cache))
        self.serving = Serving()
        vectors = QueryVectors(settings, self._providers, GuardInForce(settings))
        self.searcher = Searcher(ledger, clock, settings, self.serving, vectors, self._notes)
        in_flight = InFlight()
        self._watcher = Watcher(ledger, clock, settings, self._notes)
        self._batcher = Batcher(ledger, clock, settings, self._notes, in_flight.batches)
        self._embedder = EmbedderActor(
            ledger, clock, self.serving, self._providers, self._cache, self._notes, in_flight
        )
        self._writer = StoreWriter(
            ledger,
            clock,
            self._store,
            self.serving,
            in_flight,
            self._new_identity,
            self._vault_name(),
        )

    def actors(self) -> dict[str, Callable[[], Awaitable[None]]]:
        """Each by its name; whoever takes batches begins before whoever forms them."""
        return {
            "store_writer": self._writer.run,
            "embedder": self._embedder.run,
            "batcher": self._batcher.run,
            "watcher": self._watcher.run,
        }

    async def close(self) -> None:
        """Let go of the worker, the cache and the index. Nothing acknowledged is in them alone."""
        self.searcher.close()
        await self._providers.close()
        await self._cache.close()
        if self.serving.index is not None:
            self.serving.index.close()
        self._store.close()

    async def _new_identity(self, generation: str) -> Identity:
        """What an index that is made now is made of."""
        embedder = await self._providers.choose()
        canary = b""
        if embedder.space.provider == "ollama":  # a server may change; weights with a hash may not
            canary = (await embedder.embed([CANARY]))[0]
        return Identity(
            generation, embedder.space, self._notes.fingerprint, self._vault_name(), canary
        )

    def _vault_name(self) -> str:
        """Which vault this is, in a form that tells nobody where it lies."""
        return hashlib.sha256(os.fsencode(self._settings.vault)).hexdigest()[:16]
