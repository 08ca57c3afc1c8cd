"""The pinned reader: all searches see one version of the table until it is told to move on.

It never writes. Any text is a query, and none raises: at worst it finds nothing.
"""

import asyncio
import hashlib
import math
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ragd.adapters.lance_store import libraries, vector_index, word_counts
from ragd.adapters.lance_store.failures import translated
from ragd.adapters.lance_store.schema import (
    KEYS,
    LINKS,
    SEARCH_TEXT,
    TABLE,
    UNITS,
    VECTOR,
    Row,
    headed,
    linking,
    named,
    vectors_of,
)
from ragd.adapters.lance_store.sql import one_of, sql_text
from ragd.embedding import Vector, unpack
from ragd.notes.names import inner_words
from ragd.notes.properties import compared
from ragd.notes.search_text import hangul_bigrams
from ragd.search.titles import SAMPLE, Frequencies, frequencies

TOGETHER = 2  # more searches at once are not quicker, only larger
QUERY_WORDS = 128  # the cost of a full-text query grows with its words: 100 KB took half a minute
QUERY_CHARACTERS = 2_048
LINKED = 128  # passages with links to or from some notes, at most
NAMESAKES = 20  # notes of one name, at most

_ROW = list(Row.__struct_fields__)
_SAMPLED = ("title", "chunk_text", "language")
_HIT = ["chunk_id", "source_file", "chunk_text", "date", "modified_at", "title", "names", UNITS]
_HEAVY = ("chunk_text", UNITS)  # not for a list of many


class Hit(Struct, frozen=True):
    """A chunk that one leg found: cosine similarity or BM25, the higher the better."""

    chunk_id: str
    source_file: str
    text_key: bytes  # the same for passages with the same text
    score: float
    date: str | None = None  # the passage's own
    modified_at: str = ""  # the file's time
    text: str = ""
    title: str = ""  # of its note
    names: tuple[str, ...] = ()  # of the note, its title first
    vector: Vector | None = None  # only where words or a name found the chunk
    units: bytes = b""  # the vectors of its units, if it has any


class LinkRow(Struct, frozen=True):
    """A passage, as far as links concern it."""

    source_file: str
    title: str
    names: list[str]
    links: list[str]


_LINKS = list(LinkRow.__struct_fields__)


class Missing(Struct, frozen=True):
    """A chunk without a vector: what is needed to read its note again."""

    chunk_id: str
    source_file: str
    file_sha256: str
    content_hash: str
    chunk_index: int
    modified_at: str


class _Names(Struct, frozen=True):
    """What a question may be limited to, in one version of the table."""

    version: int
    directories: frozenset[str]
    tags: frozenset[str]


class Reader:
    """One generation's table, open for reading."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / f"{TABLE}.lance"
        self._permits = asyncio.Semaphore(TOGETHER)
        self._for_keys = asyncio.Semaphore(TOGETHER)  # quick lookups, which must not wait for long
        self._table: Any = None
        self._connection: Any = None
        self._has_vector_index = False
        self._names: _Names | None = None
        self.columns: frozenset[str] = frozenset()  # an earlier version's table has fewer
        self._of_hits: list[str] = []
        self._frequencies = Frequencies()
        self._counted_rows = -1
        self._counted_in = -1  # the version that was looked at last
        self._version = 0
        self._has_links = (-1, False)  # in which version, and whether

    async def open(self) -> None:
        """Open the newest version; what a former handle had cached is let go."""
        lancedb = await asyncio.to_thread(libraries.lancedb)
        session = lancedb.Session(**libraries.READER_CACHES)
        with translated(self._path):
            # An absolute path: one that starts with `db` would be taken for the cloud service.
            connection = await lancedb.connect_async(str(self._folder.absolute()), session=session)
            table = await connection.open_table(TABLE)
            self.columns = frozenset((await table.schema()).names)
            self._of_hits = [name for name in _HIT if name in self.columns]
        self._connection, self._table = connection, table
        await self.refresh()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._table = None

    async def refresh(self) -> int:
        """Move on to the newest version; which one that is."""
        with translated(self._path):
            await self._table.checkout_latest()
            indices = await self._table.list_indices()
            self._has_vector_index = any(index.name == vector_index.NAME for index in indices)
            self._version = int(await self._table.version())
            return self._version

    async def version(self) -> int:
        with translated(self._path):
            return int(await self._table.version())

    async def vector_leg(self, vector: Vector, k: int, where: str | None = None) -> list[Hit]:
        """The k chunks nearest in meaning, best first; chunks without a vector are not there."""
        query = self._table.query().nearest_to(list(unpack(vector)))
        query = query.distance_type(vector_index.METRIC).limit(k)
        query = query.select([*self._of_hits, "_distance"])
        if self._has_vector_index:
            # As many partitions as it takes: a selective filter must not lose rows.
            query = query.minimum_nprobes(20).maximum_nprobes(0).refine_factor(5)
        rows, _ = await self._hits_of(query, where)
        return _ranked([(row, 1.0 - row["_distance"], None) for row in rows])

    async def text_leg(self, text: str, k: int, where: str | None = None) -> list[Hit]:
        """The k chunks that match some of the words best, best first."""
        words = query_words(text)
        return await self._matching(words, k, where) if words else []

    async def newest(self, k: int, where: str) -> list[Hit]:
        """The k chunks with the newest dates, newest first; of those without, by the file's time.

        The chunks of a note stay together, in their order.
        """
        columns = [name for name in self._of_hits if name not in _HEAVY]
        query = self._table.query().select([*columns, "chunk_index"]).where(where)
        with translated(self._path):
            async with self._permits:
                found = await query.to_arrow()
        order = [("date", "descending"), ("modified_at", "descending")]
        order += [("source_file", "ascending"), ("chunk_index", "ascending")]
        rows = (await asyncio.to_thread(found.sort_by, order)).slice(0, k).to_pylist()
        return [_hit(row, _own_key(row), 0.0) for row in rows]

    async def undated_notes(self, where: str | None = None) -> int:
        """How many notes have no passage with a date."""
        query = self._table.query().select(["source_file", "date"])
        query = query if where is None else query.where(where)
        with translated(self._path):
            async with self._permits:
                found = await query.to_arrow()
        latest = found.group_by("source_file").aggregate([("date", "max")])["date_max"]
        return int(latest.null_count)

    async def named(self, name: str, where: str | None = None) -> list[Hit]:
        """The first passages of the notes with exactly this name; the score says nothing.

        If no note has the name, those of the notes that begin with such a heading.
        """
        key, heading = named(name), headed(name)
        if not key or KEYS not in self.columns:
            return []
        keys = f"{key} {heading}"
        query = self._by_words(keys, KEYS, NAMESAKES).select(
            [*self._of_hits, KEYS, VECTOR, "_score"]
        )
        rows, vectors = await self._hits_of(query, where, self._for_keys)
        found = list(zip(rows, vectors, strict=True))
        of_name = [one for one in found if key in one[0][KEYS].split()]
        return _ranked([(row, row["_score"], vector) for row, vector in of_name or found])

    async def has_links(self) -> bool:
        """Whether any passage links to a note: looked up once for each version."""
        if self._has_links[0] != self._version:
            version = self._version
            self._has_links = (version, bool(await self._with_keys([LINKS])))
        return self._has_links[1]

    async def links_of(self, paths: Sequence[str]) -> list[LinkRow]:
        """The passages of these notes that have links."""
        if KEYS not in self.columns:
            return []
        query = self._table.query().select(_LINKS).limit(LINKED)
        rows = await self._rows_of(query, one_of("source_file", paths))
        return [msgspec.convert(row, LinkRow) for row in rows if row["links"]]

    async def linking_to(self, names: Sequence[str]) -> list[LinkRow]:
        """Passages that link to a note with one of these names."""
        return await self._with_keys(map(linking, names))

    async def with_names(self, names: Sequence[str]) -> list[LinkRow]:
        """The first passages of notes with one of these names; a path counts as its last name."""
        return await self._with_keys(named(name.rpartition("/")[2]) for name in names)

    async def _with_keys(self, keys: Iterable[str]) -> list[LinkRow]:
        words = " ".join(dict.fromkeys(key for key in keys if key))
        if not words or KEYS not in self.columns:
            return []
        query = self._by_words(words, KEYS, LINKED).select([*_LINKS, "_score"])
        rows, _ = await self._hits_of(query, None, self._for_keys)
        rows.sort(key=lambda row: (-row["_score"], row["source_file"]))
        return [msgspec.convert(row, LinkRow) for row in rows]

    def _by_words(self, words: str, column: str, k: int) -> Any:
        match = libraries.lancedb().query.MatchQuery(words, column)
        return self._table.query().nearest_to_text(match).limit(k)

    async def _matching(self, words: str, k: int, where: str | None) -> list[Hit]:
        query = self._by_words(words, SEARCH_TEXT, k).select([*self._of_hits, VECTOR, "_score"])
        rows, vectors = await self._hits_of(query, where)
        found = zip(rows, vectors, strict=True)
        return _ranked([(row, row["_score"], vector) for row, vector in found])

    async def fetch(self, chunk_ids: Sequence[str]) -> list[Row]:
        """These chunks in this order, without those that are not there (any more)."""
        if not chunk_ids:
            return []
        query = self._table.query().select([name for name in _ROW if name in self.columns])
        rows = await self._rows_of(query, one_of("chunk_id", chunk_ids))
        found = {row["chunk_id"]: msgspec.convert(row, Row) for row in rows}
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    async def places(
        self, texts: Sequence[str], where: str | None = None
    ) -> dict[str, dict[str, int]]:
        """For each of these texts, the notes in which a passage is exactly that, and how often."""
        condition = one_of("chunk_text", texts)
        query = self._table.query().select(["chunk_text", "source_file"])
        query = query.where(condition if where is None else f"({where}) AND {condition}")
        with translated():
            async with self._permits:
                rows = await query.to_arrow()
        grouped = rows.group_by(["chunk_text", "source_file"]).aggregate([([], "count_all")])
        found: dict[str, dict[str, int]] = {}
        for row in grouped.to_pylist():
            found.setdefault(row["chunk_text"], {})[row["source_file"]] = row["count_all"]
        return found

    async def count(self, where: str | None = None) -> int:
        """How many chunks meet the condition."""
        with translated(self._path):
            async with self._permits:
                return int(await self._table.count_rows(where))

    async def directories(self) -> frozenset[str]:
        """Every folder, at any depth, that has a note in the index."""
        return (await self._names_now()).directories

    async def tags(self) -> frozenset[str]:
        """Every tag in the index, as it is spelled there."""
        return (await self._names_now()).tags

    async def _names_now(self) -> "_Names":
        """The names in the version that is pinned now: read once for each version."""
        version = await self.version()
        if self._names is None or self._names.version != version:
            query = self._table.query().select(["source_file", "tags"])
            with translated(self._path):
                async with self._permits:
                    found = await query.to_arrow()
            self._names = await asyncio.to_thread(_names_in, found, version)
        return self._names

    async def properties(self, name: str) -> list[str]:
        """The different properties of this name, as they are kept."""
        if "properties" not in self.columns:
            return []  # an earlier version made the table
        start = f"{compared(name)}="
        query = self._table.query().select(["properties"])
        with translated(self._path):
            async with self._permits:
                found = await query.where("chunk_index = 0").to_arrow()
        return await asyncio.to_thread(_starting, found["properties"], start)

    async def word_counts(self, most: int) -> dict[str, int]:
        """The most frequent words of the table, and how often each stands there."""
        counts: dict[str, int] = {}
        with translated(self._path):
            async for batch in await self._table.query().select([SEARCH_TEXT]).to_batches():
                await asyncio.to_thread(word_counts.add, batch[SEARCH_TEXT], counts, most)
        await asyncio.to_thread(word_counts.keep, counts, most)
        return counts

    async def titled(self, title: str) -> list[str]:
        """The paths of the notes with this title, in any case."""
        query = self._table.query().select(["source_file"])
        rows = await self._rows_of(query, f"chunk_index = 0 AND lower(title) = {sql_text(title)}")
        return sorted(row["source_file"] for row in rows)

    async def missing_vectors(self, limit: int, newest_first: bool = True) -> list[Missing]:
        """Chunks that have no vector yet."""
        columns = list(Missing.__struct_fields__)
        missing = [
            msgspec.convert(row, Missing)
            async for row in self.rows(columns, where=f"{VECTOR} IS NULL")
        ]
        missing.sort(key=lambda row: (row.source_file, row.chunk_index))
        missing.sort(key=lambda row: row.modified_at, reverse=newest_first)
        return missing[:limit]

    async def rows(
        self, columns: Sequence[str], where: str | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """All rows, streamed, as the version that is pinned now has them."""
        query = self._table.query().select(list(columns))
        if where is not None:
            query = query.where(where)
        with translated(self._path):
            async for batch in await query.to_batches():
                for row in batch.to_pylist():
                    yield row

    async def frequencies(self) -> Frequencies:
        """How common words are in this index, from a sample; again when the index has doubled."""
        if self._counted_in == self._version:
            return self._frequencies
        version, rows = self._version, await self.count()
        if rows > 2 * self._counted_rows:
            columns = [name for name in _SAMPLED if name in self.columns]
            sample = await self._rows_of(self._table.query().select(columns).limit(SAMPLE), None)
            texts = [f"{row['title']} {row['chunk_text']}" for row in sample]
            languages = [row.get("language") for row in sample]
            self._frequencies = await asyncio.to_thread(frequencies, texts, languages)
            self._counted_rows = rows
        self._counted_in = version
        return self._frequencies

    async def _hits_of(
        self, query: Any, where: str | None, permits: asyncio.Semaphore | None = None
    ) -> tuple[list[dict[str, Any]], list[Vector | None]]:
        """Rows, and their vectors if the query selects them."""
        if where is not None:
            query = query.where(where)
        with translated(self._path):
            async with permits or self._permits:
                found = await query.to_arrow()
        if VECTOR not in found.schema.names:
            return found.to_pylist(), []
        vectors = vectors_of(found[VECTOR])
        return found.drop_columns([VECTOR]).to_pylist(), vectors

    async def _rows_of(self, query: Any, where: str | None) -> list[dict[str, Any]]:
        if where is not None:
            query = query.where(where)
        with translated(self._path):
            async with self._permits:
                found: list[dict[str, Any]] = (await query.to_arrow()).to_pylist()
                return found


def query_words(text: str) -> str:
    """The distinct words of a query, Korean ones by syllables too, as many as a search can bear.

    Names such as `type_hints` are there word by word, too.
    """
    clean = text[: 8 * QUERY_CHARACTERS].encode("utf-8", "ignore").decode("utf-8")
    clean = f"{clean} {' '.join(inner_words(clean))} {hangul_bigrams(clean)}"
    words: dict[str, str] = {}
    room = QUERY_CHARACTERS
    for word in clean.split():
        if len(words) == QUERY_WORDS or room <= 0:
            break
        word = word[:room]  # a Chinese text may be one long word
        if word.casefold() not in words:
            words[word.casefold()] = word
            room -= len(word) + 1
    return " ".join(words.values())


def _starting(column: Any, start: str) -> list[str]:
    compute = libraries.pyarrow().compute
    values = compute.unique(compute.list_flatten(column))
    found: list[str] = values.filter(compute.starts_with(values, pattern=start)).to_pylist()
    return found


def _names_in(found: Any, version: int) -> _Names:
    compute = libraries.pyarrow().compute
    directories: set[str] = set()
    for path in compute.unique(found["source_file"]).to_pylist():
        folder = path.rpartition("/")[0]
        while folder and folder not in directories:
            directories.add(folder)
            folder = folder.rpartition("/")[0]
    tags = compute.unique(compute.list_flatten(found["tags"])).to_pylist()
    return _Names(version, frozenset(directories), frozenset(tags))


def _names(row: dict[str, Any]) -> tuple[str, ...]:
    return (row["title"], *row.get("names", ()))


def _key(row: dict[str, Any]) -> bytes:
    """The same for rows with the same text; a note that has only its name is like no other."""
    text = row["chunk_text"] or row["chunk_id"]
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _own_key(row: dict[str, Any]) -> bytes:
    """Like no other: in a list of notes, equal passages of two notes are two."""
    return hashlib.blake2b(row["chunk_id"].encode(), digest_size=16).digest()


def _hit(row: dict[str, Any], key: bytes, score: float, vector: Vector | None = None) -> Hit:
    return Hit(
        row["chunk_id"],
        row["source_file"],
        key,
        score,
        row["date"],
        row["modified_at"],
        row.get("chunk_text", ""),
        row["title"],
        _names(row),
        vector,
        row.get(UNITS) or b"",
    )


def _ranked(scored: Sequence[tuple[dict[str, Any], float, Vector | None]]) -> list[Hit]:
    hits = [
        _hit(row, _key(row), score, vector) for row, score, vector in scored if math.isfinite(score)
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))
