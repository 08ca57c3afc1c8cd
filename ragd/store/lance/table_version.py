"""One version of the table, open for reading, with a cache of the rows that were read last.

A row id is valid in one version only. So row ids are looked up in the version that they come from,
and the cache belongs to that version: a new version starts with an empty one. It never searches.
"""

import asyncio
import hashlib
import itertools
from collections.abc import Awaitable, Callable, Collection, ItemsView, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from ragd.embed.providers.embedder_port import Vector, VectorView
from ragd.store.lance import libraries, packed_rows
from ragd.store.lance.columns_in_memory import ColumnsInMemory
from ragd.store.lance.compared_vectors import ComparedVectors, read_compared
from ragd.store.lance.joint_lookups import JointLookups
from ragd.store.lance.packed_rows import (
    LINK_COLUMNS,
    NARROW,
    TEXT,
    LinkRow,
    PackedRows,
)
from ragd.store.lance.scans import PARALLEL_READS, TableScans
from ragd.store.lance.schema import KEYS, UNITS, VECTOR, ChunkRow, vectors_of
from ragd.store.lance.sql import both, one_of
from ragd.store.lance.vector_matrix import NearestFound, Share, VectorMatrix, nearest_of_shares

HITS = 1_024  # kept; with text, vector and units about 6 KB each: 6 MB
LIGHT_HITS = 4_096  # where exact vectors and units are in memory anyway: 2 KB each, 8 MB
ROWS = 256  # 4 KB each
LINK_ROWS = 4_096  # 0.5 KB each
COUNTS = 256
SHARED_ROWS = 20_000  # in a smaller table, comparing takes less than another thread
SHARES = PARALLEL_READS

_NearestAsked = tuple[Vector, int]  # a vector, and how many rows are wanted
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
    vector: VectorView | None = None
    units: VectorView = b""  # the vectors of its units, if it has any
    language: str | None = None  # of the passage, if it is known


HIT_COLUMNS = (
    *("chunk_id", "source_file", "chunk_text", "date", "modified_at", "title", "names"),
    "language",
    UNITS,
    VECTOR,
)
ROW_COLUMNS = ChunkRow.__struct_fields__


class _RecentRows(Generic[T]):
    """A cache of values made from rows, by row id. The least recently used are dropped."""

    def __init__(self, most: int) -> None:
        self.most = most
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
        for row_id in list(itertools.islice(self._found, max(0, len(self._found) - self.most))):
            del self._found[row_id]
        return [found[row_id] for row_id in row_ids]

    def items(self) -> ItemsView[int, T]:
        return self._found.items()

    def known(self, row_ids: Sequence[int]) -> list[T]:
        """The values of those of these rows that are in the cache."""
        return [self._found[one] for one in row_ids if one in self._found]


class InMemory(Struct):
    """What one version holds in memory of all its rows; None: not read, or the table is too large.

    The next version takes over what is still right.
    """

    packed: PackedRows | None = None
    whole: ColumnsInMemory | None = None  # text and units
    compared: ComparedVectors | None = None

    @property
    def bytes(self) -> int:
        narrow = self.packed.narrow if self.packed is not None else None
        held = (narrow, self.whole, self.compared)
        return sum(one.bytes for one in held if one is not None)


class TableVersion:
    """A version of the table. `scans` reads it."""

    def __init__(
        self,
        scans: TableScans,
        version: int,
        columns: frozenset[str],
        earlier: InMemory | None = None,
        *,
        indexed: Collection[int] | None,
    ) -> None:
        """`indexed`: the fragments in the vector index; None: there is none."""
        self.scans = scans
        self.version = version
        self.indexed = indexed
        self._counts: dict[str | None, int] = {}  # of rows, by condition
        self.has_links: bool | None = None  # None: not looked up yet
        self.phrases: dict[str, Any] = {}  # the ids of the rows that have a phrase
        self.has_keys = KEYS in columns  # a table of an earlier version has none
        self._row_ids: dict[str, int] = {}  # by chunk id, of the hits
        self._columns = columns
        self._hits: _RecentRows[ChunkHit] = _RecentRows(HITS)
        self._rows: _RecentRows[ChunkRow] = _RecentRows(ROWS)
        self._links: _RecentRows[LinkRow] = _RecentRows(LINK_ROWS)
        self._earlier = earlier or InMemory()
        self._memory = InMemory()
        self._reading_vectors = asyncio.Lock()
        self._packing = asyncio.Lock()
        self._joint: JointLookups[_NearestAsked, NearestFound] | None = None

    @property
    def bytes_in_memory(self) -> int:
        """What is held of all rows, of this version or until it is taken over from the last."""
        return self.in_memory.bytes

    @property
    def in_memory(self) -> InMemory:
        """What the next version may take over."""
        mine, before = self._memory, self._earlier
        return InMemory(
            mine.packed or before.packed,
            mine.whole or before.whole,
            mine.compared or before.compared,
        )

    async def hits(self, row_ids: Sequence[int], scores: Sequence[float]) -> list[ChunkHit]:
        """The rows of these ids, each with its score."""
        found = await self._hits.get(row_ids, self._read_hits)
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

    async def notes_with_text(self, text: str) -> list[str] | None:
        """The note of each row with exactly this text; None if the texts are not in memory."""
        packed, whole = await self.packed(), self._memory.whole
        if packed is None or whole is None:
            return None
        row_ids = await self.scans.run(lambda: whole.ids_with(TEXT, text))
        return [row["source_file"] for row in packed.narrow.read(row_ids, ["source_file"])]

    async def count(self, where: str | None = None) -> int:
        """How many rows meet the condition."""
        if where not in self._counts:
            rows = await self.scans.count(where)
            if len(self._counts) >= COUNTS:
                self._counts.clear()
            self._counts[where] = rows
        return self._counts[where]

    async def compared(self) -> ComparedVectors:
        """The vectors that searches compare in memory, read on first use."""
        async with self._reading_vectors:
            if self._memory.compared is None:
                dataset, earlier = self.scans.dataset, self._earlier.compared or ComparedVectors()
                self._memory.compared = await self._load(
                    lambda: read_compared(dataset, self.indexed, earlier)
                )
                self._earlier.compared = None
            return self._memory.compared

    async def nearest(
        self,
        vectors: VectorMatrix,
        vector: Vector,
        k: int,
        where: str | None,
        notes: Sequence[str] | None = None,
    ) -> NearestFound:
        """The ids and cosines of the k nearest rows among `vectors` that meet the condition.
        `notes`: only in these."""
        packed = await self.packed()
        if where is None and notes is None:
            return await self._joint_lookups(vectors).find((vector, k))

        def compare() -> NearestFound:
            among, condition = None, where
            if notes is not None and packed is not None:
                among = packed.ids_of(notes)
            elif notes is not None:
                condition = both(where, one_of("source_file", notes))
            if condition is not None:
                met = _row_ids_with(self.scans.dataset, condition, vectors.fragments)
                among = met if among is None else libraries.numpy().intersect1d(met, among)
            return vectors.nearest(vector, k, among)

        return await self.scans.run(compare)

    def _joint_lookups(self, vectors: VectorMatrix) -> JointLookups[_NearestAsked, NearestFound]:
        """The lookups of nearest rows without a condition: all of them share these vectors."""
        if self._joint is None:
            # With a method, the version would refer to itself: its memory would stay after a save,
            # until the garbage collector finds it.
            self._joint = JointLookups(partial(_nearest_of_all, self.scans, vectors))
        return self._joint

    async def packed(self) -> PackedRows | None:
        """The packed rows, read on first use; None if the table is too large."""
        mine, before = self._memory, self._earlier
        if mine.packed is None:
            async with self._packing:
                rows = await self.count()
                if mine.packed is None and rows <= packed_rows.MOST_ROWS:
                    dataset, whole, packed = self.scans.dataset, before.whole, before.packed
                    mine.whole = await self._load(
                        lambda: packed_rows.read_whole(dataset, rows, whole)
                    )
                    mine.packed = await self._load(lambda: PackedRows(dataset, packed))
                before.whole = before.packed = None  # taken over, or not needed any more
        return mine.packed

    async def _load(self, read: Callable[[], T]) -> T:
        """Read something of all rows in a thread."""

        def run() -> T:
            try:
                return read()
            finally:
                libraries.return_unused_memory()

        return await self.scans.run(run)

    async def _read_hits(self, row_ids: list[int]) -> list[ChunkHit]:
        """Read hits. Columns that are in memory already are not read again."""
        compared = self._memory.compared
        matrix = compared.matrix if compared is not None and compared.is_all else None
        columns = [name for name in HIT_COLUMNS if name != VECTOR or matrix is None]
        if matrix is not None and matrix.is_exact and self._memory.whole is not None:
            self._hits.most = LIGHT_HITS
        rows = await self._completed(row_ids, columns)
        if matrix is not None:
            for row, vector in zip(rows, matrix.get(row_ids), strict=True):
                row[VECTOR] = vector
        hits = [hit(row) for row in rows]
        self._note_row_ids(row_ids, hits)
        return hits

    def _note_row_ids(self, row_ids: Sequence[int], hits: Sequence[ChunkHit]) -> None:
        if len(self._row_ids) > 2 * self._hits.most:
            self._row_ids = {one.chunk_id: row_id for row_id, one in self._hits.items()}
        self._row_ids.update(
            (one.chunk_id, row_id) for row_id, one in zip(row_ids, hits, strict=True)
        )

    async def _read_rows(self, row_ids: list[int]) -> list[ChunkRow]:
        """Read rows. The text of a recent hit is known."""
        packed, hits = await self.packed(), self._hits.known(row_ids)
        if packed is None or len(hits) < len(row_ids):
            return msgspec.convert(await self._completed(row_ids, ROW_COLUMNS), list[ChunkRow])
        rows = packed.narrow.read(row_ids, NARROW)
        for row, one in zip(rows, hits, strict=True):
            row[TEXT] = one.text
        return msgspec.convert(rows, list[ChunkRow])

    async def _read_links(self, row_ids: list[int]) -> list[LinkRow]:
        return msgspec.convert((await self._read(row_ids, LINK_COLUMNS)).to_pylist(), list[LinkRow])

    async def _completed(
        self, row_ids: Sequence[int], columns: Sequence[str]
    ) -> list[dict[str, Any]]:
        """These columns of these rows: from memory, and the others from the disk."""
        packed = await self.packed()
        wanted = [name for name in columns if name in self._columns]
        found: dict[str, list[Any]] = {}
        if packed is not None:
            places = packed.narrow.find(row_ids)
            found |= packed.narrow.values(places, wanted)
            if self._memory.whole is not None:
                found |= self._memory.whole.values(places, wanted)
        if left := [name for name in wanted if name not in found]:
            read = await self._read(row_ids, left)
            found |= {name: _values_of(read, name) for name in left}
        return [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]

    async def _read(self, row_ids: Sequence[int], columns: Sequence[str]) -> Any:
        # A table of an earlier version does not have all of them.
        existing = [name for name in columns if name in self._columns]
        return await self.scans.take(row_ids, existing)


async def _nearest_of_all(
    scans: TableScans, vectors: VectorMatrix, searches: Sequence[_NearestAsked]
) -> list[NearestFound]:
    """The nearest rows of each search. Each thread compares its share of a large table."""
    total = SHARES if vectors.rows >= SHARED_ROWS else 1
    shares = [Share(number, total) for number in range(total)]
    parts = await asyncio.gather(
        *(scans.run(partial(vectors.nearest_of_each, searches, one)) for one in shares)
    )
    return [
        nearest_of_shares(found, k)
        for found, (_, k) in zip(zip(*parts, strict=True), searches, strict=True)
    ]


def _row_ids_with(dataset: Any, condition: str, fragments: Collection[int]) -> Any:
    """The ids of the rows in these fragments that meet the condition."""
    parts = [part for part in dataset.get_fragments() if part.fragment_id in fragments]
    if not parts:
        return libraries.numpy().array([], dtype="u8")
    scanner = dataset.scanner(columns=[], filter=condition, with_row_id=True, fragments=parts)
    return scanner.to_table()["_rowid"].to_numpy()


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
        row.get("language"),
    )


def _text_key(row: dict[str, Any]) -> bytes:
    """The same for rows with the same text. A note without text has a key of its own."""
    text = row["chunk_text"] or row["chunk_id"]
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _values_of(found: Any, column: str) -> list[Any]:
    """The values of a column of Arrow rows, with vectors as bytes."""
    return list(vectors_of(found[column]) if column == VECTOR else found[column].to_pylist())
