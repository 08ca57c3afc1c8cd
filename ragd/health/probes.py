"""The probes: how each dependency is checked, and the error code for each failure.

They record nothing. A provider that was lost in a real call counts as recovered only after a real
call, because a server can respond and still be unable to embed.
"""

import asyncio
from collections.abc import Callable

from ragd.clock import Clock, seconds_between
from ragd.config.live_settings import Settings
from ragd.config.load import vault_id
from ragd.embed.providers import local_model, ollama
from ragd.embed.providers.embedder_port import CANARY, EmbeddingError
from ragd.embed.providers.model_choice import model_named
from ragd.embed.providers.provider_choice import Providers
from ragd.embed.providers.shipped_models import ENGLISH
from ragd.events import Dependency
from ragd.folds.catalog import ServingIndex
from ragd.health.dependency_probe import DependencyProbe, DependencyProbes, ProbeFinding
from ragd.health.probe_thread import ProbeThread
from ragd.notes.documents.kinds import is_slow
from ragd.objects.store_errors import ObjectStoreError
from ragd.runtime.native_crash import CrashMark
from ragd.state.ledger import Ledger
from ragd.store import lance as lance_store
from ragd.store.lance.index_place import IndexPlace
from ragd.store.open_indexes import OpenIndexes
from ragd.vault.note_reader import NoteReader

VECTORS_WITHIN_S = 30.0
EMBED_WITHIN_S = 15.0  # for one text, after searches have timed out


class Probes:
    """One probe for each dependency."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        open_indexes: OpenIndexes,
        providers: Providers,
        notes: NoteReader,
        crash: CrashMark,
        place: IndexPlace,
        object_store: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._open_indexes = open_indexes
        self._providers = providers
        self._notes = notes
        self._crash = crash
        self._place = place
        self._object_store = object_store
        self._started_at = clock.now()
        self._change_age = _AgeOf(clock)
        self._scan_age = _AgeOf(clock)
        self._pending_since: tuple[str, float] | None = None
        self._digest: str | None = None  # of Ollama's model, at the last probe
        self._checked = lance_store.CheckedFiles(clock.monotonic)

    def by_dependency(self) -> DependencyProbes:
        """How the health monitor probes each dependency."""
        return {
            "vault": DependencyProbe(ProbeThread(self.vault), "VAULT_NOT_RESPONDING"),
            "index": DependencyProbe(ProbeThread(self.index), None),
            "object_store": DependencyProbe(
                ProbeThread(self._object_store), "STORE_UNREACHABLE", quiet=True
            ),
            "ollama": DependencyProbe(
                self.ollama, "OLLAMA_UNREACHABLE", check_closely=self.ollama_closely
            ),
            "embedder": DependencyProbe(
                self.embedder, None, quiet=True, check_closely=self.embedder_closely
            ),
            "model": DependencyProbe(self.model, None, quiet=True),
            "vectors": DependencyProbe(self.vectors, None, quiet=True),
            "freshness": DependencyProbe(self.freshness, None, quiet=True),
            "scan": DependencyProbe(self.scan, None, quiet=True),
        }

    # These may hang, so each runs in its own thread

    def vault(self) -> str | None:
        """Does the root exist, can it be listed, and is it the one whose notes are indexed?"""
        reason = self._notes.why_gone()
        is_new = reason == "empty" and not self._ledger.state.catalog.files
        return None if reason is None or is_new else "VAULT_NOT_FOUND"

    def index(self) -> str | None:
        """Can the index be read? The log has its generation and its lowest version. An index that
        is lost or not open may be an older copy that was restored: opening it adds what is missing.
        The first probe of a run reads all of it, the next ones what has changed since.
        """
        while True:
            apart = self._crash.is_set  # read before the generation, which a switch may change
            known = self._generation()
            version = self._ledger.state.catalog.table_version
            is_lost = "index" in self._ledger.state.health.lost
            expected = version if self._open_indexes.serving is not None and not is_lost else 0
            try:
                found = self._read_index(known, expected, apart)
            except ObjectStoreError:  # that says nothing about the index
                lost = self._ledger.state.health.lost.get("index")
                return lost.code if lost is not None else None
            if self._generation() == known:  # else another index was activated meanwhile
                return found

    def _read_index(self, generation: str | None, expected: int, apart: bool) -> str | None:
        folder = self._place
        vault = vault_id(self._settings.current) if generation else ""
        if generation and self._open_indexes.is_marked_damaged(
            lance_store.folder_stamp(folder, generation)
        ):
            return "INDEX_CORRUPTED"
        if generation is None or not apart:
            return lance_store.probe(folder, generation, expected, vault, self._checked)
        finding = lance_store.examine_apart(folder, generation, expected, vault)
        return finding.code if finding is not None else None

    def _generation(self) -> str | None:
        index = self._ledger.state.catalog.index
        return index.generation if index is not None else None

    # Providers

    async def ollama(self) -> str | None:
        """Does it respond? If its vectors are needed: does it have the model, and can it embed?"""
        config = self._settings.current.embedding
        index = self._ledger.state.catalog.index
        if (index.provider if index is not None else config.provider) != "ollama":
            return None if await ollama.is_reachable(config.base_url) else "OLLAMA_UNREACHABLE"
        try:
            found = await ollama.read_model_info(
                config.base_url, index.model if index else config.model
            )
        except EmbeddingError as why:
            self._digest = None
            return why.code
        self._digest = found.digest
        if found.digest is None:
            return "OLLAMA_MODEL_MISSING"
        return await self._can_embed("ollama")

    async def embedder(self) -> str | None:
        """Is the embedded model installed, and can it embed?"""
        if not self._is_index_of("embedded"):
            return None
        index = self._ledger.state.catalog.index
        model = model_named(index.model) if index is not None else None
        if local_model.unavailable(model or ENGLISH) is not None:
            return "EMBEDDER_UNAVAILABLE"
        return await self._can_embed("embedder")

    async def ollama_closely(self) -> str | None:
        """Like `ollama`, after searches have timed out: embeds a real text, with a time limit."""
        found = await self.ollama()
        if found is not None or not self._is_index_of("ollama"):
            return found
        return await self._can_embed_within("ollama", "OLLAMA_UNREACHABLE")

    async def embedder_closely(self) -> str | None:
        """Like `embedder`, after searches have timed out."""
        found = await self.embedder()
        if found is not None or not self._is_index_of("embedded"):
            return found
        return await self._can_embed_within("embedder", "EMBEDDER_UNAVAILABLE")

    def _is_index_of(self, provider: str) -> bool:
        index = self._ledger.state.catalog.index
        return index is not None and index.provider == provider

    async def model(self) -> str | ProbeFinding | None:
        """Do the vectors made now have the configured size, and are they in the index's space?"""
        if found := await self._wrong_size():
            return found
        catalog = self._ledger.state.catalog
        if catalog.index is None:
            return None
        index = self._open_indexes.serving
        if index is not None and not index.identity.space.is_known:
            return None  # it has no vectors, and is replaced as soon as they can be made
        if self._differs_from_config(catalog.index):
            return "INDEX_MODEL_MISMATCH"
        if index is None:
            return None
        if catalog.index.provider != "ollama":
            is_ours = local_model.model_of(index.identity.space) is not None
            return None if is_ours else "INDEX_MODEL_MISMATCH"
        lost = self._ledger.state.health.lost.get("model")
        is_other = lost is not None and lost.code == "INDEX_MODEL_MISMATCH"
        if self._digest is not None:  # else Ollama cannot make a vector to compare
            is_other = await self._providers.has_other_model(
                index.identity, self._digest, doubted=is_other
            )
        return "INDEX_MODEL_MISMATCH" if is_other else None

    async def _wrong_size(self) -> ProbeFinding | None:
        """The configured size differs from the model's. While the model's size is unknown, the last
        finding stays."""
        config = self._settings.current.embedding
        if not config.dimensions or not (
            config.provider == "ollama" or self._is_index_of("ollama")
        ):
            return None
        index = self._open_indexes.serving
        made = await self._providers.vector_size(index.identity.space if index else None)
        lost = self._ledger.state.health.lost.get("model")
        if made is None and lost is not None and lost.code == "DIMENSIONS_MISMATCH":
            made = lost.made
        if made in (None, config.dimensions):
            return None
        return ProbeFinding("DIMENSIONS_MISMATCH", None, config.dimensions, made or 0)

    async def _can_embed(self, dependency: Dependency, *, doubted: bool = False) -> str | None:
        """Embeds a real text, if the provider was lost or is doubted."""
        doubted = doubted or dependency in self._ledger.state.health.lost
        index = self._open_indexes.serving
        if not doubted or index is None or not index.identity.space.is_known:
            return None
        try:
            embedder = await self._providers.embedder_for(index.identity)
            await embedder.embed([CANARY])
        except EmbeddingError as why:
            about_vectors = why.code in ("INDEX_MODEL_MISMATCH", "DIMENSIONS_MISMATCH")
            return None if about_vectors else why.code
        return None

    async def _can_embed_within(self, dependency: Dependency, code: str) -> str | None:
        try:
            async with asyncio.timeout(EMBED_WITHIN_S):
                return await self._can_embed(dependency, doubted=True)
        except TimeoutError:
            return code

    def _differs_from_config(self, index: ServingIndex) -> bool:
        """Whether an explicit setting differs from the index. With `auto` the model is Ollama's."""
        config = self._settings.current.embedding
        if config.provider not in ("auto", index.provider):
            return True
        if index.provider != "ollama":
            return False
        return config.model != index.model or config.dimensions not in (0, index.dimensions)

    # Time

    async def vectors(self) -> ProbeFinding | None:
        """Have some chunks been without a vector for too long?"""
        now = self._clock.monotonic()
        if not self._ledger.state.catalog.notes_lack_vectors:
            self._pending_since = None
            return None
        if self._pending_since is None:
            self._pending_since = (self._clock.now(), now)
        since, began = self._pending_since
        return ProbeFinding("VECTORS_PENDING", since) if now - began > VECTORS_WITHIN_S else None

    async def freshness(self) -> ProbeFinding | None:
        """Has a change waited for too long? In a collection that is lost, that is no news."""
        state, where = self._ledger.state, self._notes.collection_of
        lost = state.health.lost_collections
        waiting = [
            (since, path) for path, since in state.catalog.waiting.items() if not is_slow(path)
        ]
        if lost:
            waiting = [one for one in waiting if where(one[1]) not in lost]
        oldest = min((since for since, _ in waiting), default=None)
        if oldest is None:
            return None
        is_stale = self._change_age.seconds(oldest) > self._settings.current.health.stale_s
        return ProbeFinding("INDEX_STALE", oldest) if is_stale else None

    async def scan(self) -> ProbeFinding | None:
        """Was the last scan of the vault so long ago that changes may have been missed?"""
        state, config = self._ledger.state, self._settings.current
        if state.catalog.index is None or state.health.is_vault_lost:
            return None
        last = max(self._started_at, state.catalog.scanned_at or "")
        too_long = config.health.stale_s + config.watch.rescan_s
        return (
            ProbeFinding("INDEX_STALE", last) if self._scan_age.seconds(last) > too_long else None
        )


class _AgeOf:
    """How long ago something was. A wall clock that is set back does not make it younger."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = ""
        self._first_read = 0.0  # by the monotonic clock

    def seconds(self, since: str) -> float:
        """Seconds since then."""
        if since != self._since:
            self._since, self._first_read = since, self._clock.monotonic()
        by_wall_clock = seconds_between(since, self._clock.now())
        return max(by_wall_clock, self._clock.monotonic() - self._first_read)
