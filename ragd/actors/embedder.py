"""Gives chunks their vectors: a saved note at once, everything else when there is time.

Jobs and the backlog are two things. A batch waits a moment for vectors at most; what has none is
stored without, and is worked off here, newest notes first. It never stores anything itself.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

import structlog

from ragd.adapters.embedding_cache import EmbeddingCache
from ragd.adapters.lance_store import ChunkIndex
from ragd.clock import Clock, new_id
from ragd.crashpoints import crashpoint
from ragd.embedding import EmbeddingError, Vector
from ragd.events import (
    BatchEmbedded,
    BatchStored,
    ChangesetFormed,
    Dependency,
    DependencyRecovered,
    EmbeddingFailed,
    FilledFile,
    IndexActivated,
    JobFinished,
    JobRequested,
    tag_of_type,
)
from ragd.folds.catalog import Building, Entry, Table
from ragd.ledger import Ledger
from ragd.notes.model import Chunk
from ragd.payloads import Batch, Fill, InFlight, ReadFile
from ragd.providers import Providers
from ragd.reading import Reading, VaultGone
from ragd.serving import Serving
from ragd.waiting import set_within

NAME = "embedder"
URGENT_WITHIN_S = 1.8
STEP_CHUNKS = 64
FILL_CHUNKS = 256
FILL_WITHIN_S = 30.0
RETRY_FIRST_S = 2.0
RETRY_MAX_S = 60.0

_TYPES = {
    tag_of_type(t)
    for t in (ChangesetFormed, BatchStored, DependencyRecovered, IndexActivated, JobFinished)
}
log = structlog.get_logger(NAME)


class Notes(Protocol):
    """Where the backlog's texts come from: the vault, read again."""

    @property
    def fingerprint(self) -> str: ...

    def read(
        self, paths: Sequence[str], known: Mapping[str, Entry], *, again: bool = False
    ) -> Reading: ...


class Privacy(Protocol):
    """What may be shown to the provider."""

    def may_be_embedded(self, chunk: Chunk, provider: str) -> bool: ...


class EmbedderActor:
    """Cache first, then the provider of the index's own vector space."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        serving: Serving,
        providers: Providers,
        cache: EmbeddingCache,
        notes: Notes,
        in_flight: InFlight,
        privacy: Privacy,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._serving = serving
        self._providers = providers
        self._cache = cache
        self._notes = notes
        self._in_flight = in_flight
        self._privacy = privacy
        self._batches: asyncio.Queue[Batch] = asyncio.Queue()
        self._woken = asyncio.Event()
        serving.listen(self._woken.set)
        # By vector space: calls in a row that failed, and when the next one may be made.
        self._failures: dict[str, int] = {}
        self._not_before: dict[str, float] = {}
        # Notes that are no longer as they were stored: generation, path, sha256.
        self._left: set[tuple[str, str, str]] = set()
        self._hopeless: set[str] = set()  # hashes of chunks that no provider call could embed

    async def run(self) -> None:
        position = self._ledger.state.seq
        self._in_flight.fills.drop_all()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen(position))
            group.create_task(self._serve_batches())
            group.create_task(self._work_off_backlog())

    async def _listen(self, position: int) -> None:
        async for record in self._ledger.journal.follow(position, _TYPES):
            event = record.event
            if isinstance(event, ChangesetFormed):
                if event.last and (batch := self._in_flight.batches.get(event.batch_id)):
                    self._batches.put_nowait(batch)
                continue
            if isinstance(event, DependencyRecovered):
                self._failures, self._not_before = {}, {}
            self._woken.set()

    # Batches on their way to the store

    async def _serve_batches(self) -> None:
        while True:
            batch = await self._batches.get()
            chunks = [chunk for file in batch.files for chunk in file.note.chunks]
            index = self._serving.of(batch.generation)
            known: dict[str, Vector] = {}
            made: dict[str, Vector] = {}
            if index is not None:
                batch.space = index.identity.space.identity
                known = await self._known(chunks, index)
                missing = [chunk for chunk in chunks if self._is_open(chunk, known, index)]
                if batch.urgent and missing and len(missing) <= STEP_CHUNKS:
                    made = await self._quickly(missing, index)
            vectors = known | made
            batch.vectors.update(
                (chunk.chunk_id, vectors[chunk.content_hash])
                for chunk in chunks
                if chunk.content_hash in vectors
            )
            await self._say(batch.job_id, batch.batch_id, len(batch.files), len(made), len(known))

    async def _quickly(self, chunks: Sequence[Chunk], index: ChunkIndex) -> dict[str, Vector]:
        """Vectors for a saved note, unless they take too long: then the backlog has them."""
        try:
            async with asyncio.timeout(URGENT_WITHIN_S):
                return await self._make({c.content_hash: c.embed_text for c in chunks}, index)
        except (TimeoutError, EmbeddingError) as why:
            log.info("a saved note goes first without vectors", reason=type(why).__name__)
            return {}

    # The backlog

    async def _work_off_backlog(self) -> None:
        while True:
            self._woken.clear()
            await self._let_go_of_providers()
            wait = self._until_next_try()
            if found := self._next_table():
                table, index = found
                if not index.identity.space.is_known:
                    await self._ask_for_vectors(index)
                elif files := await self._next_files(table):
                    await self._gather(files, table, index)
            elif wait > 0:
                await set_within(self._woken, self._clock, wait)
            else:
                await self._woken.wait()

    async def _let_go_of_providers(self) -> None:
        """After a switch nobody needs the old index's provider."""
        open_now = [index for index in (self._serving.index, self._serving.building) if index]
        if open_now:
            await self._providers.keep_only({i.identity.space.identity for i in open_now})

    def _until_next_try(self) -> float:
        """Seconds until a provider that failed may be asked again; 0 if there is none."""
        now = self._clock.monotonic()
        self._not_before = {space: at for space, at in self._not_before.items() if at > now}
        return min(self._not_before.values(), default=now) - now

    def _next_table(self) -> tuple[Table, ChunkIndex] | None:
        """Where vectors are missing: the index that serves first, then the one that is built."""
        catalog = self._ledger.state.catalog
        if self._ledger.state.jobs.active is not None:
            return None  # text first: it takes seconds where vectors take minutes
        for table in (catalog, catalog.building):
            index = self._serving.of(_generation_of(table)) if table is not None else None
            if table is None or index is None:
                continue
            if index.identity.fingerprint != self._notes.fingerprint:
                continue  # its notes were cut in another way, and will be cut again
            if not index.identity.space.is_known and self._is_being_replaced():
                continue
            if index.identity.space.identity in self._not_before:
                continue  # nobody makes its vectors now; the other index may have a provider
            if any(self._lacks(table, path) for path in table.files):
                return table, index
        return None

    def _is_being_replaced(self) -> bool:
        state = self._ledger.state
        asked = any(job.mode == "reindex" for job in state.jobs.open)
        return asked or state.catalog.building is not None

    async def _ask_for_vectors(self, index: ChunkIndex) -> None:
        """This index was made for text alone, because its provider was away. Is it back?"""
        try:
            await self._providers.choose(may_be_absent=False)
        except EmbeddingError as why:
            await self._report(why, index)
            return
        await self._report_recovery("ollama")
        wanted = JobRequested(job_id=new_id(), mode="reindex", origin="provider_ready")
        await self._ledger.journal.append(NAME, wanted)

    def _lacks(self, table: Table, path: str) -> bool:
        entry = table.files[path]
        key = (_generation_of(table), path, entry.sha256)
        return entry.lacking > 0 and key not in self._left

    async def _next_files(self, table: Table) -> list[ReadFile]:
        """The newest notes that lack vectors, read again; only what is still as it was stored."""
        files = table.files
        lacking = [path for path in files if self._lacks(table, path)]
        lacking.sort(key=lambda path: (-files[path].mtime_ns, path))
        wanted: list[str] = []
        chunks = 0
        for path in lacking:
            wanted.append(path)
            chunks += files[path].chunks
            if chunks >= FILL_CHUNKS:
                break
        try:
            reading = await asyncio.to_thread(self._notes.read, wanted, files, again=True)
        except VaultGone:  # whoever scans says so
            await self._clock.sleep(RETRY_FIRST_S)
            return []
        as_stored = [f for f in reading.files if _is_as_stored(f, files.get(f.path))]
        present = {file.path for file in as_stored}
        for path in wanted:
            if path not in present and path in files:  # it changed: it will come as a batch
                self._left.add((_generation_of(table), path, files[path].sha256))
        return as_stored

    async def _gather(self, files: Sequence[ReadFile], table: Table, index: ChunkIndex) -> None:
        """Vectors for these notes, handed on as one fill of whole notes."""
        chunks = [chunk for file in files for chunk in file.note.chunks]
        known = await self._known(chunks, index)
        vectors = dict(known)
        deadline = self._clock.monotonic() + FILL_WITHIN_S
        while missing := [c for c in chunks if self._is_open(c, vectors, index)]:
            if not await self._step(missing[:STEP_CHUNKS], vectors, index):
                break  # the provider is gone: keep what there is
            if self._clock.monotonic() > deadline:
                break
        fill = self._whole_notes(files, vectors, index)
        if fill.files:
            await self._in_flight.fills.admit(fill)
            given = {c.content_hash for c in chunks if c.chunk_id in fill.vectors}
            cached = len(given & known.keys())
            await self._say("", fill.batch_id, len(fill.files), len(given) - cached, cached)
            await self._in_flight.fills.gone(fill.batch_id)
            self._leave_what_was_refused(fill, table)

    def _leave_what_was_refused(self, fill: Fill, table: Table) -> None:
        """Vectors that did not fit the table will not fit it the next time."""
        for file in fill.files:
            entry = table.files.get(file.path)
            if entry is not None and entry.sha256 == file.sha256 and entry.lacking:
                log.warning("vectors did not fit", generation=fill.generation)
                self._left.add((_generation_of(table), file.path, file.sha256))

    async def _step(
        self, chunks: Sequence[Chunk], vectors: dict[str, Vector], index: ChunkIndex
    ) -> bool:
        """Add the vectors of these chunks; False while the provider does not work."""
        texts = {chunk.content_hash: chunk.embed_text for chunk in chunks}
        try:
            vectors |= await self._make(texts, index)
        except EmbeddingError as why:
            hashes = list(texts)
            made = {hashes[place]: vector for place, vector in why.done.items()}
            await self._keep(made, index)
            vectors |= made
            if why.index is None:
                await self._report(why, index)
                return False
            self._hopeless.add(hashes[why.index])
        return True

    def _whole_notes(
        self, files: Sequence[ReadFile], vectors: dict[str, Vector], index: ChunkIndex
    ) -> Fill:
        """The notes that are done, with all the vectors that they can get."""
        fill = Fill(new_id(), index.identity.generation, [], {})
        for file in files:
            chunks = file.note.chunks
            if any(self._is_open(chunk, vectors, index) for chunk in chunks):
                continue
            found = {
                c.chunk_id: vectors[c.content_hash] for c in chunks if c.content_hash in vectors
            }
            fill.vectors.update(found)
            barred = [c for c in chunks if c.content_hash not in vectors]
            withheld = sum(c.content_hash not in self._hopeless for c in barred)
            fill.files.append(FilledFile(file.path, file.sha256, len(found), len(barred), withheld))
        return fill

    def _is_open(self, chunk: Chunk, vectors: dict[str, Vector], index: ChunkIndex) -> bool:
        if chunk.content_hash in vectors or chunk.content_hash in self._hopeless:
            return False
        return self._privacy.may_be_embedded(chunk, index.identity.space.provider)

    async def _report(self, why: EmbeddingError, index: ChunkIndex) -> None:
        """Nobody makes vectors now: say so, and wait longer each time before trying again."""
        space = index.identity.space.identity
        attempt = self._failures[space] = self._failures.get(space, 0) + 1
        delay = min(RETRY_MAX_S, RETRY_FIRST_S * 2 ** min(attempt - 1, 10))
        self._not_before[space] = self._clock.monotonic() + delay
        log.warning("no vectors", code=why.code, detail=why.detail, attempt=attempt)
        failed = EmbeddingFailed(code=why.code, attempt=attempt)
        await self._ledger.journal.append(NAME, failed)

    # Vectors

    async def _known(self, chunks: Sequence[Chunk], index: ChunkIndex) -> dict[str, Vector]:
        """What the cache has, by content hash."""
        hashes = {chunk.content_hash for chunk in chunks}
        return await self._cache.get_many(index.identity.space.identity, hashes) if hashes else {}

    async def _make(self, texts: Mapping[str, str], index: ChunkIndex) -> dict[str, Vector]:
        """What the provider makes of texts, by content hash; kept in the cache from then on."""
        embedder = await self._providers.of(index.identity)
        made = await embedder.embed(list(texts.values()))
        self._failures.pop(index.identity.space.identity, None)
        await self._report_recovery(index.identity.space.provider)
        vectors = dict(zip(texts, made, strict=True))
        crashpoint("embed.before_cache")
        await self._keep(vectors, index)
        crashpoint("embed.after_cache")
        return vectors

    async def _report_recovery(self, provider: str) -> None:
        """A call that works is as good as a probe."""
        dependency: Dependency = "ollama" if provider == "ollama" else "embedder"
        if dependency in self._ledger.state.health.lost:
            recovered = DependencyRecovered(dependency=dependency)
            await self._ledger.journal.append(NAME, recovered)

    async def _keep(self, vectors: Mapping[str, Vector], index: ChunkIndex) -> None:
        if vectors:
            await self._cache.put_many(index.identity.space.identity, vectors)

    async def _say(self, job_id: str, batch_id: str, files: int, made: int, cached: int) -> None:
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


def _generation_of(table: Table) -> str:
    """No name: the index that serves."""
    return table.generation if isinstance(table, Building) else ""


def _is_as_stored(file: ReadFile, entry: Entry | None) -> bool:
    return entry is not None and entry.sha256 == file.sha256
