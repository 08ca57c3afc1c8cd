"""Chunks that are stored without vectors, worked off when there is time, newest notes first.

What there is to do is a fold of the log; the texts are read again from the vault. It stores
nothing.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

import structlog

from ragd.adapters.lance_store import ChunkIndex
from ragd.clock import Clock, new_id
from ragd.embedding import EmbeddingError, Vector
from ragd.events import FilledFile, JobRequested
from ragd.folds.catalog import Building, Entry, Table
from ragd.ledger import Ledger
from ragd.notes.model import Chunk
from ragd.payloads import Fill, Payloads, ReadFile
from ragd.providers import Providers
from ragd.reading import Reading, VaultGone
from ragd.serving import Serving
from ragd.vector_making import NAME, VectorMaker
from ragd.waiting import set_within

STEP_CHUNKS = 64
FILL_CHUNKS = 512
FILL_WITHIN_S = 30.0
VAULT_AGAIN_S = 2.0

log = structlog.get_logger(NAME)


class Notes(Protocol):
    """Where the backlog's texts come from: the vault, read again."""

    @property
    def fingerprint(self) -> str: ...

    def verify_root(self) -> None: ...

    def read(
        self, paths: Sequence[str], known: Mapping[str, Entry], *, again: bool = False
    ) -> Reading: ...


class Backlog:
    """The embedder's work of hours."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        serving: Serving,
        providers: Providers,
        maker: VectorMaker,
        notes: Notes,
        fills: Payloads[Fill],
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._serving = serving
        self._providers = providers
        self._maker = maker
        self._notes = notes
        self._fills = fills
        self._woken = asyncio.Event()
        serving.listen(self._woken.set)
        # Notes that are no longer as they were stored: generation, path, sha256.
        self._left: set[tuple[str, str, str]] = set()
        self._asked_for: set[str] = set()  # generations whose provider was away and is back

    def wake(self) -> None:
        """Something was stored."""
        self._woken.set()

    def look_again(self) -> None:
        """Somebody is back: what could not be read then may be read now."""
        self._left.clear()
        self._woken.set()

    async def run(self) -> None:
        """For ever: what lacks vectors, when nothing else is to be done."""
        while True:
            self._woken.clear()
            await self._let_go_of_providers()
            wait = self._maker.until_next_try()
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

    def _next_table(self) -> tuple[Table, ChunkIndex] | None:
        """Where vectors are missing: the index that serves first, then the one that is built."""
        catalog = self._ledger.state.catalog
        if self._ledger.state.jobs.active is not None:
            return None  # text first: it takes seconds where vectors take minutes
        if self._ledger.state.pause.holds_vectors:
            return None
        for table in (catalog, catalog.building):
            index = self._serving.of(_generation_of(table)) if table is not None else None
            if table is None or index is None:
                continue
            if index.identity.fingerprint != self._notes.fingerprint:
                continue  # its notes were cut in another way, and will be cut again
            if not index.identity.space.is_known and self._is_replaced_or_asked_for(index):
                continue
            if self._maker.rests(index):
                continue  # nobody makes its vectors now; the other index may have a provider
            if any(self._lacks(table, path) for path in table.files):
                return table, index
        return None

    def _is_replaced_or_asked_for(self, index: ChunkIndex) -> bool:
        """One that was made for text alone is asked to be replaced once in a run."""
        state = self._ledger.state
        asked = any(job.mode == "reindex" for job in state.jobs.open)
        known = index.identity.generation in self._asked_for
        return asked or known or state.catalog.building is not None

    async def _ask_for_vectors(self, index: ChunkIndex) -> None:
        """This index was made for text alone, because its provider was away. Is it back?"""
        try:
            await self._providers.choose(may_be_absent=False)
        except EmbeddingError as why:
            await self._maker.report(why, index)
            return
        await self._maker.report_recovery("ollama")
        self._asked_for.add(index.identity.generation)
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
            await asyncio.to_thread(self._notes.verify_root)
            reading = await asyncio.to_thread(self._notes.read, wanted, files, again=True)
        except VaultGone:  # whoever scans says so
            await self._clock.sleep(VAULT_AGAIN_S)
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
        known = await self._maker.known(chunks, index)
        vectors = dict(known)
        deadline = self._clock.monotonic() + FILL_WITHIN_S
        while missing := [c for c in chunks if self._maker.lacks(c, vectors, index)]:
            if not await self._step(missing[:STEP_CHUNKS], vectors, index):
                break  # the provider is gone: keep what there is
            if self._clock.monotonic() > deadline or self._ledger.state.pause.holds_vectors:
                break
        fill = self._whole_notes(files, vectors, index)
        if fill.files:
            await self._fills.admit(fill)
            given = {c.content_hash for c in chunks if c.chunk_id in fill.vectors}
            cached = len(given & known.keys())
            await self._maker.say("", fill.batch_id, len(fill.files), len(given) - cached, cached)
            await self._fills.gone(fill.batch_id)
            if fill.refused:
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
            vectors |= await self._maker.make(texts, index)
        except EmbeddingError as why:
            hashes = list(texts)
            made = {hashes[place]: vector for place, vector in why.done.items()}
            await self._maker.keep(made, index)
            vectors |= made
            if why.index is None:
                await self._maker.report(why, index)
                return False
            self._maker.give_up(hashes[why.index])
        return True

    def _whole_notes(
        self, files: Sequence[ReadFile], vectors: dict[str, Vector], index: ChunkIndex
    ) -> Fill:
        """The notes that are done, with all the vectors that they can get."""
        fill = Fill(new_id(), index.identity.generation, [], {})
        for file in files:
            chunks = file.note.chunks
            if any(self._maker.lacks(chunk, vectors, index) for chunk in chunks):
                continue
            found = {
                c.chunk_id: vectors[c.content_hash] for c in chunks if c.content_hash in vectors
            }
            fill.vectors.update(found)
            barred = [c for c in chunks if c.content_hash not in vectors]
            withheld = sum(not self._maker.is_hopeless(c.content_hash) for c in barred)
            fill.files.append(FilledFile(file.path, file.sha256, len(found), len(barred), withheld))
        return fill


def _generation_of(table: Table) -> str:
    """No name: the index that serves."""
    return table.generation if isinstance(table, Building) else ""


def _is_as_stored(file: ReadFile, entry: Entry | None) -> bool:
    return entry is not None and entry.sha256 == file.sha256
