"""Builds the actors of the pipeline, from vault to index, and the objects that they share."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from ragd.batch.batcher import Batcher
from ragd.batch.deletion_hold import DeletionHold
from ragd.batch.in_flight import InFlight
from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.config.load import vault_id
from ragd.embed.backlog import Backlog
from ragd.embed.cache_eviction import CacheEviction
from ragd.embed.embedder import EmbedderActor
from ragd.embed.embedding_cache import EmbeddingCache
from ragd.embed.providers.local_model import unavailable
from ragd.embed.providers.model_choice import model_for_setting, model_named
from ragd.embed.providers.provider_choice import ChosenProvider, Providers
from ragd.embed.providers.shipped_models import ENGLISH, ShippedModel
from ragd.embed.vector_maker import VectorMaker
from ragd.folds.code_choice import chosen_code_blocks
from ragd.guard.live_rules import LiveGuard
from ragd.health.probes import Probes
from ragd.memories.memory_vectors import MemoryVectors
from ragd.paths import Home
from ragd.runtime.native_crash import CrashMark
from ragd.search.query_vector import QueryVectors
from ragd.search.searcher import Searcher
from ragd.search.sentence_marker import SentenceMarker
from ragd.state.ledger import Ledger
from ragd.state.log_mirror import LogMirror
from ragd.store import STORE_WRITER
from ragd.store.compaction import Compactor
from ragd.store.generations import Generations
from ragd.store.index_claim import IndexClaim
from ragd.store.index_damage import IndexDamage
from ragd.store.lance import IndexIdentity, LanceStore
from ragd.store.lance.object_place import ObjectPlace
from ragd.store.lance.places import open_place
from ragd.store.lance.zstandard import decompress
from ragd.store.open_indexes import OpenIndexes
from ragd.store.reindex_switch import ReindexSwitch
from ragd.store.store_writer import StoreWriter
from ragd.vault.collection_paths import VAULT
from ragd.vault.document_reader import DocumentReader, DocumentWorkerPort
from ragd.vault.note_parsers import NoteParsers
from ragd.vault.note_reader import NoteReader, VaultGone
from ragd.vault.threads import CHECK
from ragd.watch.watcher import Watcher


class Pipeline:
    """Everything between a saved note and an answer from it."""

    def __init__(
        self,
        home: Home,
        clock: Clock,
        ledger: Ledger,
        settings: Settings,
        crash_mark: CrashMark,
        worker: DocumentWorkerPort | None = None,
    ) -> None:
        self._ledger = ledger
        self._settings = settings
        self._documents = DocumentReader(worker)
        self.parsers = NoteParsers()
        self.notes = NoteReader(
            settings,
            clock,
            self._documents,
            lambda: ledger.state.catalog.collections,
            lambda configured: chosen_code_blocks(configured, ledger.state),
            lambda path: ledger.state.catalog.files.get(path),
            self.parsers,
            decompress,
        )
        options = settings.current.vector_store.options
        self.place = place = open_place(settings.index_address, options)
        self.claim = claim = IndexClaim(ledger, clock, place, Path(home.writer_id))
        self._store = LanceStore(place)
        self._providers = Providers(settings)
        self._cache = EmbeddingCache(Path(home.embedding_cache))
        self.open_indexes = OpenIndexes()
        self.guard = guard = LiveGuard(settings)
        vectors = QueryVectors(ledger, settings, self._providers, guard)
        self.memory_vectors = MemoryVectors(settings, self.open_indexes, self._providers, guard)
        marker = SentenceMarker(self._providers)
        self.searcher = Searcher(
            ledger, clock, settings, self.open_indexes, vectors, self.notes, marker
        )
        self.probes = Probes(
            ledger,
            clock,
            settings,
            self.open_indexes,
            self._providers,
            self.notes,
            crash_mark,
            place,
            claim.probe,
        )
        self.in_flight = in_flight = InFlight()
        hold = DeletionHold(ledger, clock)
        self._watcher = Watcher(ledger, clock, settings, self.notes, hold)
        self._batcher = Batcher(ledger, clock, settings, self.notes, in_flight.batches, hold)
        self.vector_maker = maker = VectorMaker(ledger, clock, self._providers, self._cache, guard)
        self.vector_progress = maker.progress
        self.backlog = backlog = Backlog(
            ledger, clock, self.open_indexes, self._providers, maker, self.notes, in_flight.fills
        )
        self._embedder = EmbedderActor(ledger, self.open_indexes, maker, backlog, in_flight)
        self._cache_eviction = CacheEviction(ledger, clock, self.open_indexes, self._cache)
        damage = IndexDamage(ledger, partial(ledger.journal.append, STORE_WRITER))
        self.generations = Generations(
            ledger,
            self._store,
            self.open_indexes,
            claim,
            damage,
            vault_id(self._settings.current),
            self._is_vault_present,
            crash_mark,
        )
        self.reindex_switch = ReindexSwitch(
            ledger,
            self._settings,
            self._store,
            self.open_indexes,
            self.generations,
            damage,
            self._new_identity,
        )
        self.mirror = self._make_mirror(home, clock)
        self.compactor = Compactor(ledger, clock, self.open_indexes, damage)
        self.store_writer = StoreWriter(
            ledger,
            clock,
            self.open_indexes,
            in_flight,
            self.generations,
            self.reindex_switch,
            self.compactor,
            damage,
        )
        claim.on_lost = self.store_writer.release_index

    def _make_mirror(self, home: Home, clock: Clock) -> LogMirror | None:
        """What copies the log to the object store, if the configuration asks for it."""
        config, place = self._settings.current, self.place
        if not config.log.mirror or not isinstance(place, ObjectPlace):
            return None
        return LogMirror(
            self._ledger, clock, home, place.client, place.ensure_writable, vault_id(config)
        )

    def actors(self) -> dict[str, Callable[[], Awaitable[None]]]:
        """The actors by name. Those that receive batches start before the one that forms them."""
        found: dict[str, Callable[[], Awaitable[None]]] = {
            "store_writer": self.store_writer.run,
            "embedder": self._embedder.run,
            "batcher": self._batcher.run,
            "watcher": self._watcher.run,
            "forgetter": self._cache_eviction.run,
            "lease_keeper": self.claim.keep,
        }
        if self.mirror is not None:
            found["log_mirror"] = self.mirror.run
        return found

    async def announce_now(self, paths: list[str]) -> None:
        """Record that ragd itself has written or removed these notes."""
        await self._watcher.announce_now(paths)
        self._batcher.hurry(paths)

    async def close(self) -> None:
        """Close the workers, the cache and the index. Everything acknowledged is in the log too."""
        await asyncio.to_thread(self._documents.close)
        await asyncio.to_thread(self.parsers.close)
        await self._providers.close()
        await self._cache.close()
        self.open_indexes.close()
        self._store.close()
        if self.mirror is not None and self.claim.problem is None:
            await self.mirror.copy_now()
        await self.claim.release()

    async def _new_identity(
        self, generation: str, like: IndexIdentity | None, asked: bool
    ) -> IndexIdentity:
        """The identity of a new index. `like`: an index whose vector space it keeps."""
        if like is not None:
            chosen = ChosenProvider(like.space, like.canary, like.passed_over)
        else:
            usable = self.open_indexes.serving is not None
            local = self._local_model(asked)
            chosen = await self._providers.choose(may_be_absent=not usable, local=local)
        vault = vault_id(self._settings.current)
        cut = self.notes.fingerprint
        return IndexIdentity(
            generation, chosen.space, cut, vault, chosen.canary, chosen.passed_over
        )

    def _local_model(self, asked: bool) -> ShippedModel:
        """The embedded model for a new index. If no user `asked` for the index, it keeps the
        previous index's model, unless another language is configured. Otherwise the languages of
        the notes decide."""
        catalog, wish = self._ledger.state.catalog, self._settings.current.embedding
        before = (
            model_named(catalog.index.model) if catalog.index is not None and not asked else None
        )
        if before is not None and wish.language in ("auto", before.language):
            return before
        chosen = model_for_setting(wish.language, catalog.languages)
        if wish.language == "auto" and unavailable(chosen) is not None:
            return ENGLISH
        return chosen

    async def _is_vault_present(self) -> bool:
        try:
            return await CHECK.of(VAULT).run(self.notes.why_gone) in (None, "empty")
        except VaultGone:
            return False
