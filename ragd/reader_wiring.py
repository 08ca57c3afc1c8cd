"""Builds what a reader needs to search an index that another machine writes: no vault, no jobs."""

import asyncio
from collections.abc import Awaitable, Callable

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.embed.providers.provider_choice import Providers
from ragd.embed.vector_progress import VectorProgress
from ragd.errors import RagdError, StartupError
from ragd.guard.live_rules import LiveGuard
from ragd.health.dependency_probe import DependencyProbes
from ragd.health.probes import Probes
from ragd.memories.memory_vectors import MemoryVectors
from ragd.paths import Home
from ragd.runtime.native_crash import CrashMark
from ragd.search.query_vector import QueryVectors
from ragd.search.searcher import Searcher
from ragd.search.sentence_marker import SentenceMarker
from ragd.state.ledger import Ledger
from ragd.store.index_follower import IndexFollower
from ragd.store.lance import LanceStore
from ragd.store.lance.object_place import ObjectPlace
from ragd.store.lance.places import open_place
from ragd.store.open_indexes import OpenIndexes
from ragd.vault.index_only_notes import IndexOnlyNotes
from ragd.vault.note_reader import NoteReader

_PROBED = ("ollama", "embedder", "model")


class ReaderPipeline:
    """Everything between an index in an object store and an answer from it."""

    def __init__(
        self, home: Home, clock: Clock, ledger: Ledger, settings: Settings, crash_mark: CrashMark
    ) -> None:
        place = open_place(settings.index_address, settings.current.vector_store.options)
        if not isinstance(place, ObjectPlace):
            raise StartupError('`role` "reader" needs an index in an object store.')
        reader = NoteReader(settings, clock)
        self.notes = IndexOnlyNotes(reader)
        self._store = LanceStore(place)
        self._providers = Providers(settings)
        self.open_indexes = OpenIndexes()
        self.guard = LiveGuard(settings)
        self.vector_progress = VectorProgress(clock)
        vectors = QueryVectors(ledger, settings, self._providers, self.guard)
        self.memory_vectors = MemoryVectors(
            settings, self.open_indexes, self._providers, self.guard
        )
        marker = SentenceMarker(self._providers)
        self.searcher = Searcher(
            ledger, clock, settings, self.open_indexes, vectors, self.notes, marker
        )
        self._probes = Probes(
            *(ledger, clock, settings, self.open_indexes, self._providers, reader, crash_mark),
            place,
        )
        self.follower = IndexFollower(
            ledger, clock, settings, place, self._store, self.open_indexes
        )

    def probes(self) -> DependencyProbes:
        """The probes of what makes vectors for questions. The follower reports the rest."""
        found = self._probes.by_dependency()
        return {name: probe for name, probe in found.items() if name in _PROBED}

    def actors(self) -> dict[str, Callable[[], Awaitable[None]]]:
        return {"index_follower": self.follower.run}

    async def announce_now(self, paths: list[str]) -> None:
        raise RagdError("READ_ONLY")

    async def close(self) -> None:
        await self._providers.close()
        self.open_indexes.close()
        await asyncio.to_thread(self._store.close)
