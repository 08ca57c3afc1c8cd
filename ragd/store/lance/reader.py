"""The pinned reader: all searches see one version of the table until it is told to move on.

It never writes. Any text is a query, and none raises: at worst it finds nothing.
"""

import asyncio
import functools
import hashlib
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ragd.embed.providers.embedder_port import Vector
from ragd.notes.names import inner_words
from ragd.notes.properties import comparable_name
from ragd.notes.search_text import hangul_bigrams
from ragd.protocol.limits import QUERY_READ_CHARS
from ragd.search.query.conditions import Condition
from ragd.search.query.filters import Filters
from ragd.search.ranking.title_match import SAMPLE, Frequencies, count_frequencies
from ragd.store.lance import key_lookups, libraries, phrase_rows, vector_index, word_counts
from ragd.store.lance.lance_errors import translated
from ragd.store.lance.packed_rows import LinkRow
from ragd.store.lance.row_queries import (
    ScoredRows,
    best_first,
    by_words,
    find_best,
    find_rows,
    of_notes,
)
from ragd.store.lance.schema import SEARCH_TEXT, TABLE, UNITS, VECTOR, ChunkRow
from ragd.store.lance.sql import both, condition, one_of, sql_text
from ragd.store.lance.table_version import HIT_COLUMNS, ROW_COLUMNS, ChunkHit, TableVersion, hit

TOGETHER = 2  # more searches at once are not quicker, only larger
QUERY_WORDS = 128  # the cost of a full-text query grows with its words: 100 KB took half a minute

_SAMPLED = ("title", "chunk_text", "language")
_HEAVY = ("chunk_text", UNITS, VECTOR)  # not for a list of many


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


class TableReader:
    """One generation's table, open for reading."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / f"{TABLE}.lance"
        self._permits = asyncio.Semaphore(TOGETHER)
        self._key_permits = asyncio.Semaphore(TOGETHER)  # quick lookups, which must not wait long
        self._threads = ThreadPoolExecutor(TOGETHER, thread_name_prefix="rows")
        self._connection: Any = None
        self._dataset: Any = None  # of the version that was read from last
        self._pinned: TableVersion | None = None
        self._refreshing = asyncio.Lock()
        self._names: _Names | None = None
        self.columns: frozenset[str] = frozenset()  # an earlier version's table has fewer
        self._frequencies = Frequencies()
        self._counted_rows = -1
        self._counted_in = -1  # the version that was looked at last

    async def open(self) -> None:
        """Open the newest version; what a former handle had cached is let go."""
        lancedb = await asyncio.to_thread(libraries.lancedb)
        session = lancedb.Session(**libraries.READER_CACHES)
        with translated(self._path):
            # An absolute path: one that starts with `db` would be taken for the cloud service.
            connection = await lancedb.connect_async(str(self._folder.absolute()), session=session)
            table = await connection.open_table(TABLE)
            self.columns = frozenset((await table.schema()).names)
            self._connection, self._dataset = connection, None
            self._pinned = await self._snapshot(table)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._connection = self._dataset = self._pinned = None

    async def refresh(self) -> int:
        """Move on to the newest version; which one that is. Searches that run go on with theirs."""
        async with self._refreshing:  # else the slower of two would move back
            with translated(self._path):
                table = await self._connection.open_table(TABLE)
                if int(await table.version()) != self._now.version:
                    self._pinned = await self._snapshot(table)
                return self._now.version

    async def _snapshot(self, table: Any) -> TableVersion:
        version = int(await table.version())
        indices = await table.list_indices()
        return TableVersion(
            self._path,
            table,
            version,
            self.columns,
            functools.partial(self._dataset_of, version),
            self._threads,
            self._permits,
            self._key_permits,
            has_vector_index=any(index.name == vector_index.NAME for index in indices),
        )

    def _dataset_of(self, version: int) -> Any:
        """The same version as lance has it, which reads single rows in a third of the time."""
        dataset = self._dataset
        if dataset is None:
            lance = libraries.lance()
            session = lance.Session(**libraries.ROW_CACHES)
            dataset = lance.dataset(str(self._path.absolute()), version=version, session=session)
        elif dataset.version != version:
            dataset = dataset.checkout_version(version)
        self._dataset = dataset
        return dataset

    @property
    def _now(self) -> TableVersion:
        """The version that searches see."""
        if self._pinned is None:
            raise RuntimeError("the index is closed")
        return self._pinned

    @property
    def _table(self) -> Any:
        return self._now.table

    async def version(self) -> int:
        return self._now.version

    async def find_by_vector(
        self,
        vector: Vector,
        k: int,
        where: str | None = None,
        phrases: Sequence[Condition] = (),
        notes: Sequence[str] | None = None,
    ) -> list[ChunkHit]:
        """The k chunks nearest in meaning, best first; chunks without a vector are not there."""
        now = self._now
        if not now.has_vector_index and await now.has_few_vectors(len(vector) // 4):

            async def compare(most: int, where: str | None) -> ScoredRows:
                return ScoredRows(*await now.nearest(vector, most, where, notes))

            return best_first(await now.hits(*await find_best(now, compare, k, where, phrases)))
        asked = libraries.numpy().frombuffer(vector, "<f4")

        async def search(most: int, where: str | None) -> ScoredRows:
            nearest = now.table.query().nearest_to(asked).distance_type(vector_index.METRIC)
            if now.has_vector_index:
                # As many partitions as it takes: a selective filter must not lose rows.
                nearest = nearest.minimum_nprobes(20).maximum_nprobes(0).refine_factor(5)
            return await find_rows(now, nearest.limit(most).select(["_distance"]), where)

        rows = await find_best(now, search, k, of_notes(where, notes), phrases)
        return best_first(await now.hits(rows.row_ids, [1.0 - one for one in rows.scores]))

    async def find_by_words(
        self,
        text: str,
        k: int,
        where: str | None = None,
        phrases: Sequence[Condition] = (),
        notes: Sequence[str] | None = None,
    ) -> list[ChunkHit]:
        """The k chunks that match some of the words best, best first."""
        now, words = self._now, query_words(text)
        if not words:
            return []

        async def search(most: int, where: str | None) -> ScoredRows:
            return await find_rows(now, by_words(now, words, SEARCH_TEXT, most), where)

        rows = await find_best(now, search, k, of_notes(where, notes), phrases)
        return best_first(await now.hits(rows.row_ids, rows.scores))

    async def find_newest(self, k: int, where: str) -> list[ChunkHit]:
        """The k chunks with the newest dates, newest first; of those without, by the file's time.

        The chunks of a note stay together, in their order.
        """
        light = [name for name in HIT_COLUMNS if name not in _HEAVY]
        columns = [name for name in light if name in self.columns]
        query = self._table.query().select([*columns, "chunk_index"]).where(where)
        with translated(self._path):
            async with self._permits:
                found = await query.to_arrow()
        order = [("date", "descending"), ("modified_at", "descending")]
        order += [("source_file", "ascending"), ("chunk_index", "ascending")]
        rows = (await asyncio.to_thread(found.sort_by, order)).slice(0, k).to_pylist()
        return [hit(row, _own_key(row)) for row in rows]

    async def count_undated_notes(self, where: str | None = None) -> int:
        """How many notes have no passage with a date."""
        query = self._table.query().select(["source_file", "date"])
        query = query if where is None else query.where(where)
        with translated(self._path):
            async with self._permits:
                found = await query.to_arrow()
        latest = found.group_by("source_file").aggregate([("date", "max")])["date_max"]
        return int(latest.null_count)

    async def find_by_name(
        self, name: str, where: str | None = None, phrases: Sequence[Condition] = ()
    ) -> list[ChunkHit]:
        """The first passages of the notes with exactly this name; the score says nothing."""
        return await key_lookups.find_by_name(self._now, name, where, phrases)

    async def has_links(self) -> bool:
        """Whether any passage links to a note."""
        return await key_lookups.has_links(self._now)

    async def read_links(self, paths: Sequence[str]) -> list[LinkRow]:
        """The passages of these notes that have links."""
        return await key_lookups.read_links(self._now, paths)

    async def find_linking_to(self, names: Sequence[str]) -> list[LinkRow]:
        """Passages that link to a note with one of these names."""
        return await key_lookups.find_linking_to(self._now, names)

    async def find_by_names(self, names: Sequence[str]) -> list[LinkRow]:
        """The first passages of notes with one of these names; a path counts as its last name."""
        return await key_lookups.find_by_names(self._now, names)

    async def read_chunks(self, chunk_ids: Sequence[str]) -> list[ChunkRow]:
        """These chunks in this order, without those that are not there (any more)."""
        if not chunk_ids:
            return []
        found = {row.chunk_id: row for row in await self._now.rows(chunk_ids)}
        if others := [one for one in chunk_ids if one not in found]:
            query = self._table.query().select([one for one in ROW_COLUMNS if one in self.columns])
            rows = await self._rows_of(query, one_of("chunk_id", others))
            found |= {row["chunk_id"]: msgspec.convert(row, ChunkRow) for row in rows}
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    async def find_exact_texts(
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

    async def has_phrase(self, phrase: str) -> bool:
        """Whether some passage has it."""
        return bool(len(await phrase_rows.having(self._now, phrase)))

    async def count(self, where: str | None = None) -> int:
        """How many chunks meet the condition."""
        return await self._now.count(where)

    async def count_matching(self, where: str | None, phrases: Sequence[Condition]) -> int:
        """How many chunks meet the condition and have the phrases that are wanted."""
        now, wanted = self._now, tuple(one for one in phrases if not one.negated)
        if where is not None or not wanted:
            return await now.count(both(where, condition(Filters(conditions=wanted))))
        names = [phrase for one in wanted for phrase in one.values]
        return len(await phrase_rows.having_all(now, names))

    async def list_directories(self) -> frozenset[str]:
        """Every folder, at any depth, that has a note in the index."""
        return (await self._names_now()).directories

    async def list_tags(self) -> frozenset[str]:
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

    async def list_properties(self, name: str) -> list[str]:
        """The different properties of this name, as they are kept."""
        if "properties" not in self.columns:
            return []  # an earlier version made the table
        start = f"{comparable_name(name)}="
        query = self._table.query().select(["properties"])
        with translated(self._path):
            async with self._permits:
                found = await query.where("chunk_index = 0").to_arrow()
        return await asyncio.to_thread(_starting, found["properties"], start)

    async def count_words(self, most: int) -> dict[str, int]:
        """The most frequent words of the table, and how often each stands there."""
        counts: dict[str, int] = {}
        with translated(self._path):
            async for batch in await self._table.query().select([SEARCH_TEXT]).to_batches():
                await asyncio.to_thread(word_counts.add, batch[SEARCH_TEXT], counts, most)
        await asyncio.to_thread(word_counts.keep, counts, most)
        return counts

    async def find_by_title(self, title: str) -> list[str]:
        """The paths of the notes with this title, in any case."""
        query = self._table.query().select(["source_file"])
        rows = await self._rows_of(query, f"chunk_index = 0 AND lower(title) = {sql_text(title)}")
        return sorted(row["source_file"] for row in rows)

    async def missing_vectors(self, limit: int, newest_first: bool = True) -> list[Missing]:
        """Chunks that have no vector yet."""
        columns = list(Missing.__struct_fields__)
        missing = [
            msgspec.convert(row, Missing)
            async for row in self.read_rows(columns, where=f"{VECTOR} IS NULL")
        ]
        missing.sort(key=lambda row: (row.source_file, row.chunk_index))
        missing.sort(key=lambda row: row.modified_at, reverse=newest_first)
        return missing[:limit]

    async def read_rows(
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

    async def word_frequencies(self) -> Frequencies:
        """How common words are in this index, from a sample; again when the index has doubled."""
        if self._counted_in == self._now.version:
            return self._frequencies
        version, rows = self._now.version, await self.count()
        if rows > 2 * self._counted_rows:
            columns = [name for name in _SAMPLED if name in self.columns]
            sample = await self._rows_of(self._table.query().select(columns).limit(SAMPLE), None)
            texts = [f"{row['title']} {row['chunk_text']}" for row in sample]
            languages = [row.get("language") for row in sample]
            self._frequencies = await asyncio.to_thread(count_frequencies, texts, languages)
            self._counted_rows = rows
        self._counted_in = version
        return self._frequencies

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
    clean = text[:QUERY_READ_CHARS].encode("utf-8", "ignore").decode("utf-8")
    clean = f"{clean} {' '.join(inner_words(clean))} {hangul_bigrams(clean)}"
    words: dict[str, str] = {}
    room = QUERY_READ_CHARS
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


def _own_key(row: dict[str, Any]) -> bytes:
    """Like no other: in a list of notes, equal passages of two notes are two."""
    return hashlib.blake2b(row["chunk_id"].encode(), digest_size=16).digest()
