"""What each dependency is asked, and what its answer means as an error code.

A look at the folds or at the outside; it records nothing. What was lost because a real call failed
is only found again by a real call: a server that answers and cannot embed is not there.
"""

import asyncio
from typing import NamedTuple

from ragd.clock import Clock, seconds_between
from ragd.config.live_settings import Settings
from ragd.config.load import vault_name
from ragd.embed.providers import local_model, ollama
from ragd.embed.providers.embedder_port import CANARY, EmbeddingError
from ragd.embed.providers.model_choice import named
from ragd.embed.providers.provider_choice import Providers
from ragd.embed.providers.shipped_models import ENGLISH
from ragd.events import Dependency
from ragd.folds.catalog import Index
from ragd.runtime.native_crash import CrashMark
from ragd.state.ledger import Ledger
from ragd.store import lance as lance_store
from ragd.store.open_indexes import OpenIndexes
from ragd.vault.note_reader import NoteReader

VECTORS_WITHIN_S = 30.0
EMBED_WITHIN_S = 15.0  # one text, by a provider that searches waited for in vain


class Found(NamedTuple):
    """What is wrong, and since when, where that is known better than by this look.

    `configured`, `made`: sizes of vectors, where these two differ.
    """

    code: str
    since: str | None = None
    configured: int = 0
    made: int = 0


class Probing:
    """The questions, one for each dependency."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        open_indexes: OpenIndexes,
        providers: Providers,
        notes: NoteReader,
        crash: CrashMark,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._open_indexes = open_indexes
        self._providers = providers
        self._notes = notes
        self._crash = crash
        self._began = clock.now()
        self._waited = _Age(clock)
        self._unseen = _Age(clock)
        self._lacking_since: tuple[str, float] | None = None
        self._digest: str | None = None  # of Ollama's model, when it was last looked at

    # In a thread of its own: these may hang

    def vault(self) -> str | None:
        """The root is there, can be listed, and is the one whose notes we know."""
        reason = self._notes.why_gone()
        is_new = reason == "empty" and not self._ledger.state.catalog.files
        return None if reason is None or is_new else "VAULT_NOT_FOUND"

    def index(self) -> str | None:
        """By really reading it; the log says which generation, and how far it must be. One that is
        lost or that nobody has open may be an older copy, restored: whoever opens it makes up for
        the rest."""
        while True:
            apart = self._crash.is_set  # before it is known of which index
            known = self._generation()
            version = self._ledger.state.catalog.table_version
            is_lost = "index" in self._ledger.state.health.lost
            expected = version if self._open_indexes.serving is not None and not is_lost else 0
            found = self._look(known, expected, apart)
            if self._generation() == known:  # else another was switched to meanwhile
                return found

    def _look(self, generation: str | None, expected: int, apart: bool) -> str | None:
        folder = self._settings.vectors
        vault = vault_name(self._settings.current) if generation else ""
        if generation and self._open_indexes.is_marked_damaged(
            lance_store.folder_stamp(folder, generation)
        ):
            return "INDEX_CORRUPTED"
        if generation is None or not apart:
            return lance_store.probe(folder, generation, expected, vault)
        finding = lance_store.examine_apart(folder, generation, expected, vault)
        return finding.code if finding is not None else None

    def _generation(self) -> str | None:
        index = self._ledger.state.catalog.index
        return index.generation if index is not None else None

    # Providers

    async def ollama(self) -> str | None:
        """Is it up? Where its vectors are wanted: has it the model, and does it embed?"""
        wish = self._settings.current.embedding
        index = self._ledger.state.catalog.index
        if (index.provider if index is not None else wish.provider) != "ollama":
            return None if await ollama.answers(wish.base_url) else "OLLAMA_UNREACHABLE"
        try:
            sighting = await ollama.look(wish.base_url, index.model if index else wish.model)
        except EmbeddingError as why:
            self._digest = None
            return why.code
        self._digest = sighting.digest
        if sighting.digest is None:
            return "OLLAMA_MODEL_MISSING"
        return await self._embeds("ollama")

    async def embedder(self) -> str | None:
        """Is the embedded model installed, and does it embed?"""
        if not self._is_index_of("embedded"):
            return None
        index = self._ledger.state.catalog.index
        model = named(index.model) if index is not None else None
        if local_model.unavailable(model or ENGLISH) is not None:
            return "EMBEDDER_UNAVAILABLE"
        return await self._embeds("embedder")

    async def ollama_closely(self) -> str | None:
        """As `ollama`, after searches have waited in vain: a real text, and not for ever."""
        found = await self.ollama()
        if found is not None or not self._is_index_of("ollama"):
            return found
        return await self._embeds_within("ollama", "OLLAMA_UNREACHABLE")

    async def embedder_closely(self) -> str | None:
        """As `embedder`, after searches have waited in vain."""
        found = await self.embedder()
        if found is not None or not self._is_index_of("embedded"):
            return found
        return await self._embeds_within("embedder", "EMBEDDER_UNAVAILABLE")

    def _is_index_of(self, provider: str) -> bool:
        index = self._ledger.state.catalog.index
        return index is not None and index.provider == provider

    async def model(self) -> str | Found | None:
        """Are the vectors that are made now of the configured size and of the index's own space?"""
        if found := await self._wrong_size():
            return found
        catalog = self._ledger.state.catalog
        if catalog.index is None:
            return None
        index = self._open_indexes.serving
        if index is not None and not index.identity.space.is_known:
            return None  # it has no vectors, and is replaced when there can be some
        if self._differs_from_config(catalog.index):
            return "INDEX_MODEL_MISMATCH"
        if index is None:
            return None
        if catalog.index.provider != "ollama":
            is_ours = local_model.model_of(index.identity.space) is not None
            return None if is_ours else "INDEX_MODEL_MISMATCH"
        lost = self._ledger.state.health.lost.get("model")
        is_other = lost is not None and lost.code == "INDEX_MODEL_MISMATCH"
        if self._digest is not None:  # else nobody is there whose vectors could be compared
            is_other = await self._providers.mismatch(
                index.identity, self._digest, doubted=is_other
            )
        return "INDEX_MODEL_MISMATCH" if is_other else None

    async def _wrong_size(self) -> Found | None:
        """The configuration sets a size that is not the model's. It stays so while nobody can say
        what the model's size is."""
        wish = self._settings.current.embedding
        if not wish.dimensions or not (wish.provider == "ollama" or self._is_index_of("ollama")):
            return None
        index = self._open_indexes.serving
        made = await self._providers.vector_size(index.identity.space if index else None)
        lost = self._ledger.state.health.lost.get("model")
        if made is None and lost is not None and lost.code == "DIMENSIONS_MISMATCH":
            made = lost.made
        if made in (None, wish.dimensions):
            return None
        return Found("DIMENSIONS_MISMATCH", None, wish.dimensions, made or 0)

    async def _embeds(self, dependency: Dependency, *, doubted: bool = False) -> str | None:
        """A real text, a real vector. Only asked of a provider that was lost or is doubted."""
        doubted = doubted or dependency in self._ledger.state.health.lost
        index = self._open_indexes.serving
        if not doubted or index is None or not index.identity.space.is_known:
            return None
        try:
            embedder = await self._providers.of(index.identity)
            await embedder.embed([CANARY])
        except EmbeddingError as why:
            about_vectors = why.code in ("INDEX_MODEL_MISMATCH", "DIMENSIONS_MISMATCH")
            return None if about_vectors else why.code
        return None

    async def _embeds_within(self, dependency: Dependency, code: str) -> str | None:
        try:
            async with asyncio.timeout(EMBED_WITHIN_S):
                return await self._embeds(dependency, doubted=True)
        except TimeoutError:
            return code

    def _differs_from_config(self, index: Index) -> bool:
        """What is configured explicitly; under `auto`, the model is that of Ollama."""
        wish = self._settings.current.embedding
        if wish.provider not in ("auto", index.provider):
            return True
        if index.provider != "ollama":
            return False
        return wish.model != index.model or wish.dimensions not in (0, index.dimensions)

    # Time

    async def vectors(self) -> Found | None:
        """Some chunks have had no vector for too long."""
        now = self._clock.monotonic()
        if not self._ledger.state.catalog.backlog:
            self._lacking_since = None
            return None
        if self._lacking_since is None:
            self._lacking_since = (self._clock.now(), now)
        since, began = self._lacking_since
        return Found("VECTORS_PENDING", since) if now - began > VECTORS_WITHIN_S else None

    async def freshness(self) -> Found | None:
        """Some change has waited for too long."""
        oldest = min(self._ledger.state.catalog.waiting.values(), default=None)
        if oldest is None:
            return None
        is_stale = self._waited.of(oldest) > self._settings.current.health.stale_s
        return Found("INDEX_STALE", oldest) if is_stale else None

    async def scan(self) -> Found | None:
        """The vault was not looked through for so long that nobody knows what has changed."""
        state, config = self._ledger.state, self._settings.current
        if state.catalog.index is None or state.health.is_vault_lost:
            return None
        last = max(self._began, state.catalog.scanned_at or "")
        too_long = config.health.stale_s + config.watch.rescan_s
        return Found("INDEX_STALE", last) if self._unseen.of(last) > too_long else None


class _Age:
    """How long ago something was. A wall clock that is set back makes nothing younger."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = ""
        self._seen = 0.0  # by the clock that nobody sets

    def of(self, since: str) -> float:
        """Seconds since then."""
        if since != self._since:
            self._since, self._seen = since, self._clock.monotonic()
        by_the_wall = seconds_between(since, self._clock.now())
        return max(by_the_wall, self._clock.monotonic() - self._seen)
