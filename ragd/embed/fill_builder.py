"""Makes the vectors of stored notes, as one fill. It reads no notes and stores nothing.

A fill may have only some of a long note's vectors. They are stored, and the next fill makes the
rest, even without a cache.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import structlog
from msgspec import Struct

from ragd.batch.in_flight import Fill, NoteFill, ReadFile
from ragd.clock import Clock, new_id
from ragd.embed.providers.embedder_port import EmbeddingError, Vector
from ragd.embed.vector_maker import NAME, VectorMaker
from ragd.errors import RagdError
from ragd.folds.tables import Table
from ragd.notes.model import Chunk
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex, one_of

STEP_CHUNKS = 64
FILL_WITHIN_S = 30.0

log = structlog.get_logger(NAME)


class BuiltFill(Struct, frozen=True):
    """A fill, and how many of its vectors were made or cached."""

    fill: Fill
    made: int  # by the provider
    cached: int


class FillBuilder:
    """Requests vectors in steps, until a fill is complete or its time is over."""

    def __init__(self, ledger: Ledger, clock: Clock, maker: VectorMaker) -> None:
        self._ledger = ledger
        self._clock = clock
        self._maker = maker

    async def make(self, files: Sequence[ReadFile], table: Table, index: ChunkIndex) -> BuiltFill:
        """The vectors of these notes that the table lacks, or as many as the time allows."""
        filled = await self._find_filled(files, table, index)
        chunks = [c for file in files for c in file.note.chunks if c.chunk_id not in filled]
        known = await self._maker.find_cached(chunks, index)
        vectors = dict(known)
        deadline = self._clock.monotonic() + FILL_WITHIN_S
        left = self._lacking(chunks, vectors, index)
        while left:
            # Again: another chunk may have the same text, or the rules may have changed.
            step, left = self._lacking(left[:STEP_CHUNKS], vectors, index), left[STEP_CHUNKS:]
            if step and not await self._step(step, vectors, index):
                break  # the provider does not work: keep the vectors so far
            left = self._lacking(step, vectors, index) + left  # a text was refused
            if self._clock.monotonic() > deadline or self._ledger.state.pause.holds_vectors:
                break
        notes = [self._note_fill(file, filled, vectors, index) for file in files]
        by_id = {c.chunk_id: vectors[c.content_hash] for c in chunks if c.content_hash in vectors}
        changed = tuple(note for note in notes if note is not None)
        fill = Fill(new_id(), index.identity.generation, changed, MappingProxyType(by_id))
        given = {c.content_hash for c in chunks if c.chunk_id in by_id}
        cached = len(given & known.keys())
        return BuiltFill(fill, len(given) - cached, cached)

    def _lacking(
        self, chunks: Sequence[Chunk], vectors: Mapping[str, Vector], index: ChunkIndex
    ) -> list[Chunk]:
        """Those of these chunks that have no vector yet, and may get one."""
        return [chunk for chunk in chunks if self._maker.needs_vector(chunk, vectors, index)]

    async def _find_filled(
        self, files: Sequence[ReadFile], table: Table, index: ChunkIndex
    ) -> frozenset[str]:
        """The chunks of these notes that already have a vector."""
        entries = ((file.path, table.files.get(file.path)) for file in files)
        paths = [path for path, entry in entries if entry is not None and entry.embedded]
        if not paths:
            return frozenset()
        where = f"{one_of('source_file', paths)} AND vector IS NOT NULL"
        try:
            return frozenset(
                [row["chunk_id"] async for row in index.read_rows(["chunk_id"], where)]
            )
        except RagdError as why:  # writing the fill reports what is wrong
            log.warning("the index could not be read", code=why.code)
            return frozenset()

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
            await self._maker.cache(made, index)
            vectors |= made
            if why.index is None:
                await self._maker.report(why, index)
                return False
            self._maker.mark_hopeless(hashes[why.index])
        return True

    def _note_fill(
        self,
        file: ReadFile,
        filled: frozenset[str],
        vectors: Mapping[str, Vector],
        index: ChunkIndex,
    ) -> NoteFill | None:
        """The vectors that this note gets now; None if it gets none yet."""
        chunks = [chunk for chunk in file.note.chunks if chunk.chunk_id not in filled]
        ids = tuple(chunk.chunk_id for chunk in chunks if chunk.content_hash in vectors)
        if any(self._maker.needs_vector(chunk, vectors, index) for chunk in chunks):
            return NoteFill(file.path, file.sha256, ids) if ids else None
        barred = [chunk for chunk in chunks if chunk.content_hash not in vectors]
        withheld = sum(not self._maker.is_hopeless(chunk.content_hash) for chunk in barred)
        return NoteFill(file.path, file.sha256, ids, len(barred), withheld)
