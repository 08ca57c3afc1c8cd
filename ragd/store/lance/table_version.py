"""One version of the table, open for reading, with a cache of the rows that were read last.

A row id is valid in one version only. So row ids are looked up in the version that they come from,
and the cache belongs to that version: a new version starts with an empty one. It never searches.
"""

import asyncio
import hashlib
import itertools
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from ragd.embed.providers.embedder_port import Vector
from ragd.store.lance import libraries, packed_rows, vector_matrix
from ragd.store.lance.index_place import TablePlace
from ragd.store.lance.lance_errors import translated
from ragd.store.lance.packed_rows import LINK_COLUMNS, LinkRow, PackedRows
from ragd.store.lance.schema import KEYS, UNITS, VECTOR, ChunkRow, vectors_of
from ragd.store.lance.sql import both, one_of
from ragd.store.lance.vector_matrix import VectorMatrix

HITS = 4_096  # kept, of any table; with text, vector and units about 6 KB each: 25 MB
ROWS = 1_024  # 4 KB each
LINK_ROWS = 4_096  # 0.5 KB each
COUNTS = 256

T = TypeVar("T")


class ChunkHit(Struct, frozen=True):
    """A chunk that a search found. The score is a cosine or BM25: higher is better."""

    chunk_id: str
    source_file: str
    text_key: bytes  # the same for passages with the same text
    score: float
    date: str | None = None  # the passage's own
    modified_at: str = ""  # the file's time
    text: str = ""
    title: str = ""  # of its note
    names: tuple[str, ...] = ()  # of the note, its title first
    vector: Vector | None = None
    units: bytes = b""  # the vectors of its units, if it has any


HIT_COLUMNS = (
    *("chunk_id", "source_file", "chunk_text", "date", "modified_at", "title", "names"),
    UNITS,
    VECTOR,
)
ROW_COLUMNS = ChunkRow.__struct_fields__


class _RecentRows(Generic[T]):
    """A cache of values made from rows, by row id. The least recently used are dropped."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: dict[int, T] = {}

    async def get(
        self, row_ids: Sequence[int], read: Callable[[list[int]], Awaitable[list[T]]]
    ) -> list[T]:
        """The values of these rows. `read` makes those that are not in the cache."""
        found = {one: self._found[one] for one in row_ids if one in self._found}
        if missing := [one for one in row_ids if one not in found]:
            found.update(zip(missing, await read(missing), strict=True))
        for row_id in found:  # to the end, so that they are dropped last
            self._found.pop(row_id, None)
        self._found.update(found)
        for row_id in list(itertools.islice(self._found, max(0, len(self._found) - self._most))):
            del self._found[row_id]
        return [found[row_id] for row_id in row_ids]


class TableVersion:
    """A version of the table. `dataset` opens the same version for reading rows by their ids."""

    def __init__(
        self,
        path: TablePlace,
        table: Any,
        version: int,
        columns: frozenset[str],
        dataset: Callable[[], Any],
        threads: ThreadPoolExecutor,
        permits: asyncio.Semaphore,
        key_permits: asyncio.Semaphore,
        *,
        has_vector_index: bool,
    ) -> None:
        self._path = path
        self.table = table
        self.version = version
        self.has_vector_index = has_vector_index
        self._counts: dict[str | None, int] = {}  # of rows, by condition
        self.has_links: bool | None = None  # None: not looked up yet
        self.phrases: dict[str, Any] = {}  # the ids of the rows that have a phrase
        self._dataset = dataset
        self._threads = threads
        self._permits = permits
        self.key_permits = key_permits  # for quick lookups
        self.has_keys = KEYS in columns  # a table of an earlier version has none
        self._row_ids: dict[str, int] = {}  # by chunk id, of the hits
        self._columns = columns
        self._hits: _RecentRows[ChunkHit] = _RecentRows(HITS)
        self._rows: _RecentRows[ChunkRow] = _RecentRows(ROWS)
        self._vectors: VectorMatrix | None = None
        self._reading_vectors = asyncio.Lock()
        self._packed: PackedRows | None = None
        self._packing = asyncio.Lock()
        self._links: _RecentRows[LinkRow] = _RecentRows(LINK_ROWS)

    async def hits(self, row_ids: Sequence[int], scores: Sequence[float]) -> list[ChunkHit]:
        """The rows of these ids, each with its score."""
        found = await self._hits.get(row_ids, self._read_hits)
        if len(self._row_ids) > 2 * HITS:
            self._row_ids.clear()
        self._row_ids.update(
            (one.chunk_id, row_id) for row_id, one in zip(row_ids, found, strict=True)
        )
        return [
            msgspec.structs.replace(one, score=score)
            for one, score in zip(found, scores, strict=True)
        ]

    async def rows(self, chunk_ids: Sequence[str]) -> list[ChunkRow]:
        """Those of these chunks that were among recent hits."""
        known = [self._row_ids[one] for one in chunk_ids if one in self._row_ids]
        return await self._rows.get(known, self._read_rows)

    async def link_rows(self, row_ids: Sequence[int]) -> list[LinkRow]:
        """The columns of these rows that links need."""
        if packed := await self.packed():
            return packed.links(row_ids)
        return await self._links.get(row_ids, self._read_links)

    async def values(self, row_ids: Sequence[int], column: str) -> list[Any]:
        """The values of these rows in one column. They are not cached."""
        found: list[Any] = (await self._read(row_ids, [column]))[column].to_pylist()
        return found

    async def count(self, where: str | None = None) -> int:
        """How many rows meet the condition."""
        if where not in self._counts:
            with translated(self._path):
                async with self._permits:
                    rows = int(await self.table.count_rows(where))
            if len(self._counts) >= COUNTS:
                self._counts.clear()
            self._counts[where] = rows
        return self._counts[where]

    async def run_query(self, query: Any, permits: asyncio.Semaphore | None = None) -> Any:
        """The rows that a query finds, with their ids."""
        with translated(self._path):
            async with permits or self._permits:
                return await query.with_row_id().to_arrow()

    async def read_table(self, query: Any) -> Any:
        """All rows that a query finds, as an Arrow table without row ids."""
        with translated(self._path):
            async with self._permits:
                return await query.to_arrow()

    async def has_few_vectors(self, dimensions: int) -> bool:
        """Whether there are few enough vectors to keep all of them in memory."""
        return await self.count() * dimensions <= vector_matrix.MOST_FLOATS

    async def nearest(
        self, vector: Vector, k: int, where: str | None, notes: Sequence[str] | None
    ) -> tuple[list[int], list[float]]:
        """The ids and cosines of the k nearest rows that meet the condition. `notes`: only in
        these."""
        async with self._reading_vectors:
            if self._vectors is None:
                self._vectors = await self._run(lambda: VectorMatrix(self._dataset()))
        vectors, packed = self._vectors, await self.packed()

        def compare() -> tuple[list[int], list[float]]:
            among, condition = None, where
            if notes is not None and packed is not None:
                among = packed.ids_of(notes)
            elif notes is not None:
                condition = both(where, one_of("source_file", notes))
            if condition is not None:
                found = self._dataset().to_table(columns=[], filter=condition, with_row_id=True)
                met = found["_rowid"].to_numpy()
                among = met if among is None else libraries.numpy().intersect1d(met, among)
            return vectors.nearest(vector, k, among)

        return await self._run(compare)

    async def packed(self) -> PackedRows | None:
        """The packed rows, read on first use; None if the table is too large."""
        async with self._packing:
            if self._packed is None and await self.count() <= packed_rows.MOST_ROWS:
                self._packed = await self._run(lambda: PackedRows(self._dataset()))
        return self._packed

    async def _read_hits(self, row_ids: list[int]) -> list[ChunkHit]:
        """Read hits. Columns that are in memory already are not read again."""
        matrix = self._vectors
        columns = [name for name in HIT_COLUMNS if matrix is None or name != VECTOR]
        rows = await self._completed(row_ids, columns)
        if matrix is not None:
            for row, vector in zip(rows, matrix.get(row_ids), strict=True):
                row[VECTOR] = vector
        return [hit(row) for row in rows]

    async def _read_rows(self, row_ids: list[int]) -> list[ChunkRow]:
        return msgspec.convert(await self._completed(row_ids, ROW_COLUMNS), list[ChunkRow])

    async def _read_links(self, row_ids: list[int]) -> list[LinkRow]:
        return msgspec.convert(_dicts(await self._read(row_ids, LINK_COLUMNS)), list[LinkRow])

    async def _completed(
        self, row_ids: Sequence[int], columns: Sequence[str]
    ) -> list[dict[str, Any]]:
        """These columns of these rows, and possibly others that are in memory."""
        packed = await self.packed()
        if packed is None:
            return _dicts(await self._read(row_ids, columns))
        others = [name for name in columns if name not in packed_rows.NARROW]
        rows = _dicts(await self._read(row_ids, others))
        return [more | row for more, row in zip(packed.narrow(row_ids), rows, strict=True)]

    async def _read(self, row_ids: Sequence[int], columns: Sequence[str]) -> Any:
        # A table of an earlier version does not have all of them.
        existing = [name for name in columns if name in self._columns]
        return await self._run(lambda: self._dataset()._take_rows(list(row_ids), columns=existing))

    async def _run(self, work: Callable[[], T]) -> T:
        reading = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            with translated(self._path):
                return await reading
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is not None and not caller.cancelling():  # closing cancels waiting reads
                raise RuntimeError("the index is closed") from None
            raise


def hit(row: dict[str, Any], key: bytes = b"") -> ChunkHit:
    """A row as a hit. `key`: used instead of the key of its text."""
    return ChunkHit(
        row["chunk_id"],
        row["source_file"],
        key or _text_key(row),
        0.0,
        row["date"],
        row["modified_at"],
        row.get("chunk_text", ""),
        row["title"],
        (row["title"], *row.get("names", ())),
        row.get(VECTOR),
        row.get(UNITS) or b"",
    )


def _text_key(row: dict[str, Any]) -> bytes:
    """The same for rows with the same text. A note without text has a key of its own."""
    text = row["chunk_text"] or row["chunk_id"]
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _dicts(found: Any) -> list[dict[str, Any]]:
    """Arrow rows as dicts, with vectors as bytes."""
    if VECTOR not in found.schema.names:
        rows: list[dict[str, Any]] = found.to_pylist()
        return rows
    rows = found.drop_columns([VECTOR]).to_pylist()
    for row, vector in zip(rows, vectors_of(found[VECTOR]), strict=True):
        row[VECTOR] = vector
    return rows
