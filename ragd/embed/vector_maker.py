"""Makes vectors: from the cache, else with the provider of the index's own vector space.

It remembers which texts cannot be embedded, and when a provider that failed may be tried again. It
never stores a vector in an index.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import structlog

from ragd.clock import Clock
from ragd.embed.embedding_cache import EmbeddingCache
from ragd.embed.providers.embedder_port import EmbeddingError, Vector
from ragd.embed.providers.local_model import model_of
from ragd.embed.providers.provider_choice import Providers
from ragd.embed.unit_vectors import units_of
from ragd.embed.vector_progress import VectorProgress
from ragd.events import BatchEmbedded, Dependency, DependencyRecovered, EmbeddingFailed
from ragd.folds.health_reasons import DEPENDENCY_OF
from ragd.notes.model import Chunk
from ragd.runtime.backoff import backoff_s
from ragd.runtime.crash_points import crashpoint
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex

NAME = "embedder"
RETRY_FIRST_S = 2.0
RETRY_MAX_S = 60.0
PART_S = 0.5  # how long one call should take; progress is shown after each
PART_FIRST = 2
PART_MAX = 256

log = structlog.get_logger(NAME)


class PrivacyRules(Protocol):
    """Which texts may be sent to the provider."""

    def may_be_embedded(self, chunk: Chunk, provider: str) -> bool: ...

    def is_external(self, provider: str) -> bool: ...


class VectorMaker:
    """Makes vectors for the batches in flight and for the backlog."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        providers: Providers,
        cache: EmbeddingCache,
        privacy: PrivacyRules,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._providers = providers
        self._cache = cache
        self._privacy = privacy
        # By vector space: how many calls in a row failed, and when the next call may be made.
        self._failures: dict[str, int] = {}
        self._not_before: dict[str, float] = {}
        self._hopeless: set[str] = set()  # hashes of texts that cannot be embedded
        self._parts: dict[str, int] = {}  # by vector space: texts in one call
        self.progress = VectorProgress(clock)

    async def find_cached(self, chunks: Sequence[Chunk], index: ChunkIndex) -> dict[str, Vector]:
        """The vectors that the cache has, by content hash."""
        texts = {chunk.content_hash: chunk.embed_text for chunk in chunks}
        if not texts:
            return {}
        found = await self._cache.get_many(index.identity.space.identity, set(texts))
        model = model_of(index.identity.space)
        if model is None or model.units_from is None:
            return found
        # An earlier version kept vectors without units.
        return {
            one: vector
            for one, vector in found.items()
            if units_of(vector) or len(texts[one]) < model.units_from
        }

    async def make(
        self, texts: Mapping[str, str], index: ChunkIndex, *, urgent: bool = False
    ) -> dict[str, Vector]:
        """Have the provider make the vectors of these texts, and cache them. By content hash.
        `urgent`: they do not wait for those of the backlog."""
        embedder = await self._providers.embedder_for(index.identity)
        hashes, contents = list(texts), list(texts.values())
        vectors: dict[str, Vector] = {}
        while (start := len(vectors)) < len(hashes):
            end = start + self._part_size(index)
            began = self._clock.monotonic()
            try:
                made = await embedder.embed_passages(contents[start:end], urgent=urgent)
            except EmbeddingError as why:
                _shift_to_first(why, list(vectors.values()))
                raise
            self._adjust_part_size(index, len(made), self._clock.monotonic() - began)
            self._failures.pop(index.identity.space.identity, None)
            await self.report_recovery(index.identity.space.provider)
            part = dict(zip(hashes[start:end], made, strict=True))
            crashpoint("embed.before_cache")
            await self.cache(part, index)
            crashpoint("embed.after_cache")
            vectors |= part
            self._update_progress(index, len(part))
        return vectors

    def _part_size(self, index: ChunkIndex) -> int:
        return self._parts.get(index.identity.space.identity, PART_FIRST)

    def _adjust_part_size(self, index: ChunkIndex, number: int, took_s: float) -> None:
        """Choose the next part's size, from how long `number` texts took."""
        size = self._part_size(index)
        fitting = int(number * PART_S / max(took_s, 0.001))
        if number >= size or fitting < size:  # a quick short part does not allow a longer one
            most = min(PART_MAX, 4 * number)
            self._parts[index.identity.space.identity] = max(1, min(fitting, most))

    def _update_progress(self, index: ChunkIndex, number: int) -> None:
        generation, catalog = index.identity.generation, self._ledger.state.catalog
        building = catalog.building
        is_built = building is not None and building.generation == generation
        table = building if building is not None and is_built else catalog
        self.progress.made(generation, number, table.chunks_embedded)

    async def cache(self, vectors: Mapping[str, Vector], index: ChunkIndex) -> None:
        """Keep these vectors in the cache, so that they are made only once."""
        if vectors:
            await self._cache.put_many(index.identity.space.identity, vectors)

    def needs_vector(self, chunk: Chunk, vectors: Mapping[str, Vector], index: ChunkIndex) -> bool:
        """Whether this chunk has no vector among these, and may get one."""
        if chunk.content_hash in vectors or chunk.content_hash in self._hopeless:
            return False
        return self._privacy.may_be_embedded(chunk, index.identity.space.provider)

    def is_local(self, index: ChunkIndex) -> bool:
        """Whether the texts of this index are embedded on this machine."""
        return not self._privacy.is_external(index.identity.space.provider)

    def mark_hopeless(self, content_hash: str) -> None:
        """Remember that this text cannot be embedded."""
        self._hopeless.add(content_hash)

    def is_hopeless(self, content_hash: str) -> bool:
        return content_hash in self._hopeless

    # Providers that fail

    async def report(self, why: EmbeddingError, index: ChunkIndex) -> None:
        """Record that the provider failed, and pause it, longer each time."""
        space = index.identity.space.identity
        attempt = self._failures[space] = self._failures.get(space, 0) + 1
        pause = backoff_s(attempt, RETRY_FIRST_S, RETRY_MAX_S)
        self._not_before[space] = self._clock.monotonic() + pause
        log.warning("no vectors", code=why.code, detail=why.detail, attempt=attempt)
        if attempt & (attempt - 1) == 0:  # only the first, second, fourth, …: the log stays small
            sizes = {"configured": why.configured, "made": why.made}
            failed = EmbeddingFailed(code=why.code, attempt=attempt, **sizes)
            await self._ledger.journal.append(NAME, failed)

    def until_next_try(self) -> float:
        """Seconds until a provider that failed may be tried again; 0 if none has failed."""
        now = self._clock.monotonic()
        self._not_before = {space: at for space, at in self._not_before.items() if at > now}
        return min(self._not_before.values(), default=now) - now

    def is_paused(self, index: ChunkIndex) -> bool:
        """Whether the provider of this index has failed, and must not be tried yet."""
        return index.identity.space.identity in self._not_before

    def retry_now(self) -> None:
        """A provider works again: end all pauses."""
        self._failures, self._not_before = {}, {}

    async def report_recovery(self, provider: str) -> None:
        """Record that the provider works, if it was lost. A call that succeeds proves it."""
        lost = self._ledger.state.health.lost
        works: list[Dependency] = [DEPENDENCY_OF[provider]]
        model = lost.get("model")
        if provider == "ollama" and model is not None and model.code == "DIMENSIONS_MISMATCH":
            works.append("model")  # the size of every vector is checked
        for dependency in works:
            if dependency in lost:
                recovered = DependencyRecovered(dependency=dependency)
                await self._ledger.journal.append(NAME, recovered)

    async def record_embedded(
        self, job_id: str, batch_id: str, files: int, made: int, cached: int
    ) -> None:
        """Record that the vectors of a batch or a fill were made."""
        index = self._ledger.state.catalog.index
        embedded = BatchEmbedded(
            job_id=job_id,
            batch_id=batch_id,
            files=files,
            chunks=made,
            cached=cached,
            provider=index.provider if index is not None else "",
            model=index.model if index is not None else "",
        )
        await self._ledger.journal.append(NAME, embedded)


def _shift_to_first(why: EmbeddingError, made: Sequence[Vector]) -> None:
    """Make the positions in an error count from the first text: `made` vectors came before."""
    later = {place + len(made): vector for place, vector in why.done.items()}
    why.done = {**dict(enumerate(made)), **later}
    if why.index is not None:
        why.index += len(made)
