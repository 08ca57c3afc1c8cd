"""Searches and reads of the pinned version of the table.

It never writes. Any text is a valid query: at worst it finds nothing.
"""

import asyncio
import hashlib
import heapq
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import structs

from ragd.embed.providers.embedder_port import Vector
from ragd.search.query.conditions import Condition
from ragd.search.query.filters import Filters
from ragd.store.lance import key_lookups, libraries, phrase_rows, vector_index
from ragd.store.lance.equal_texts import find_equal_texts
from ragd.store.lance.packed_rows import LinkRow
from ragd.store.lance.pinned_table import PinnedTable
from ragd.store.lance.query_words import query_words
from ragd.store.lance.row_queries import (
    ScoredRows,
    best_first,
    by_words,
    find_best,
    find_rows,
    of_notes,
)
from ragd.store.lance.scans import NearestRows, Scan
from ragd.store.lance.schema import SEARCH_TEXT, UNITS, VECTOR, ChunkRow
from ragd.store.lance.sql import both, condition, one_of, sql_text
from ragd.store.lance.table_version import (
    HIT_COLUMNS,
    ROW_COLUMNS,
    ChunkHit,
    TableVersion,
    hit,
)
from ragd.store.lance.vector_matrix import VectorMatrix

_HEAVY = ("chunk_text", UNITS, VECTOR)  # not read for a long list


class TableReader:
    """Searches and reads of one generation's table.

    `within`: the condition for the rows that this reader finds and counts; None: all rows. Only
    `read_chunks`, `read_links` and `read_rows` do not apply it: they read what was found before.
    """

    def __init__(self, pinned: PinnedTable, within: str | None = None) -> None:
        self._pinned = pinned
        self._within = within

    # Searching

    async def find_by_vector(
        self,
        vector: Vector,
        k: int,
        where: str | None = None,
        phrases: Sequence[Condition] = (),
        notes: Sequence[str] | None = None,
    ) -> list[ChunkHit]:
        """The k chunks nearest in meaning, best first; the score is the cosine. `notes`: only in
        these. Chunks without a vector are not found."""
        now, where = self._pinned.now, both(self._within, where)
        compared = await now.compared()
        if compared.is_all and (matrix := compared.matrix) is not None:

            async def compare(most: int, where: str | None) -> ScoredRows:
                return ScoredRows(*await now.nearest(matrix, vector, most, where, notes))

            return best_first(await now.hits(*await find_best(now, compare, k, where, phrases)))
        search = partial(_find_by_vector_index, now, compared.matrix, vector)
        rows = await find_best(now, search, k, of_notes(where, notes), phrases)
        return best_first(await now.hits(*rows))

    async def find_by_words(
        self,
        text: str,
        k: int,
        where: str | None = None,
        phrases: Sequence[Condition] = (),
        notes: Sequence[str] | None = None,
    ) -> list[ChunkHit]:
        """The k chunks that match some of the words best, best first; the score is BM25."""
        now, words = self._pinned.now, query_words(text)
        if not words:
            return []
        where = both(self._within, where)

        async def search(most: int, where: str | None) -> ScoredRows:
            return await find_rows(now, by_words(words, SEARCH_TEXT, most), where)

        rows = await find_best(now, search, k, of_notes(where, notes), phrases)
        return best_first(await now.hits(rows.row_ids, rows.scores))

    async def find_newest(self, k: int, where: str) -> list[ChunkHit]:
        """The k chunks with the newest dates, newest first. Chunks without a date follow, by their
        file's time. The chunks of a note stay together, in their order."""
        now = self._pinned.now
        light = [name for name in HIT_COLUMNS if name not in _HEAVY]
        columns = [name for name in light if name in self._pinned.columns]
        found = await now.scans.read(Scan([*columns, "chunk_index"], both(self._within, where)))
        order = [("date", "descending"), ("modified_at", "descending")]
        order += [("source_file", "ascending"), ("chunk_index", "ascending")]
        rows = (await asyncio.to_thread(found.sort_by, order)).slice(0, k).to_pylist()
        return [hit(row, _own_key(row)) for row in rows]

    async def find_by_name(
        self, name: str, where: str | None = None, phrases: Sequence[Condition] = ()
    ) -> list[ChunkHit]:
        """The first passages of the notes with exactly this name, apart from separators and case.
        Their scores mean nothing."""
        where = both(self._within, where)
        return await key_lookups.find_by_name(self._pinned.now, name, where, phrases)

    async def find_by_names(self, names: Sequence[str]) -> list[LinkRow]:
        """The first passages of notes with one of these names; a path counts as its last name."""
        return await key_lookups.find_by_names(self._pinned.now, names, self._within)

    async def find_by_title(self, title: str) -> list[str]:
        """The paths of the notes with this title, which is in lower case."""
        now = self._pinned.now
        where = both(self._within, f"chunk_index = 0 AND lower(title) = {sql_text(title)}")
        found = await now.scans.read(Scan(["source_file"], where))
        return sorted(found["source_file"].to_pylist())

    async def find_exact_texts(
        self, texts: Sequence[str], where: str | None = None
    ) -> dict[str, Mapping[str, int]]:
        """For each of these texts, the notes with a passage that is exactly that, and how many."""
        return await find_equal_texts(self._pinned.now, texts, both(self._within, where))

    async def has_phrase(self, phrase: str) -> bool:
        """Whether some passage has this phrase."""
        now = self._pinned.now
        return await phrase_rows.has_row(now, await phrase_rows.having(now, phrase), self._within)

    # Links

    async def has_links(self) -> bool:
        """Whether any passage links to a note."""
        return await key_lookups.has_links(self._pinned.now)

    async def read_links(self, paths: Sequence[str]) -> list[LinkRow]:
        """The passages of these notes that have links."""
        return await key_lookups.read_links(self._pinned.now, paths)

    async def find_linking_to(self, names: Sequence[str]) -> list[LinkRow]:
        """The passages that link to a note with one of these names."""
        return await key_lookups.find_linking_to(self._pinned.now, names, self._within)

    # Counting

    async def count(self, where: str | None = None) -> int:
        """How many chunks meet the condition."""
        return await self._pinned.now.count(both(self._within, where))

    async def count_matching(self, where: str | None, phrases: Sequence[Condition]) -> int:
        """How many chunks meet the condition and have the phrases that are wanted."""
        now, wanted = self._pinned.now, tuple(one for one in phrases if not one.negated)
        where = both(self._within, where)
        if where is not None or not wanted:
            return await now.count(both(where, condition(Filters(conditions=wanted))))
        names = [phrase for one in wanted for phrase in one.values]
        return len(await phrase_rows.having_all(now, names))

    async def count_undated_notes(self, where: str | None = None) -> int:
        """How many notes have no passage with a date."""
        now = self._pinned.now
        found = await now.scans.read(Scan(["source_file", "date"], both(self._within, where)))
        latest = found.group_by("source_file").aggregate([("date", "max")])["date_max"]
        return int(latest.null_count)

    async def count_notes_in(self, languages: Iterable[str]) -> dict[str, int]:
        """How many notes begin in each of these languages; without those that no note begins in."""
        now = self._pinned.now
        where = both("chunk_index = 0", one_of("language", sorted(languages)))
        found = await now.scans.read(Scan(["language"], both(self._within, where)))
        return dict(Counter(found["language"].to_pylist()))

    # Reading

    async def read_chunks(self, chunk_ids: Sequence[str]) -> list[ChunkRow]:
        """These chunks in this order, without those that are gone."""
        if not chunk_ids:
            return []
        now = self._pinned.now
        found = {row.chunk_id: row for row in await now.rows(chunk_ids)}
        if others := [one for one in chunk_ids if one not in found]:
            columns = [one for one in ROW_COLUMNS if one in self._pinned.columns]
            scan = Scan(columns, one_of("chunk_id", others))
            rows = (await now.scans.read(scan)).to_pylist()
            found |= {row["chunk_id"]: msgspec.convert(row, ChunkRow) for row in rows}
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    async def read_rows(
        self, columns: Sequence[str], where: str | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """All rows of the version that is pinned now, streamed."""
        async for batch in self._pinned.now.scans.batches(Scan(columns, where)):
            for row in batch.to_pylist():
                yield row


async def _find_by_vector_index(
    now: TableVersion, others: VectorMatrix | None, vector: Vector, most: int, where: str | None
) -> ScoredRows:
    """The nearest rows and their cosines, with the vector index if there is one. `others`: the
    vectors that are not in it; None: they are not in memory, so lance reads them."""
    asked = libraries.numpy().frombuffer(vector, "<f4")
    nearest = NearestRows(asked, VECTOR, vector_index.METRIC, now.indexed is not None)
    if others is None:
        rows = await _scan_vectors(now, nearest, most, where)
        return ScoredRows(rows.row_ids, [1.0 - one for one in rows.scores])
    indexed, compared = await asyncio.gather(
        _find_indexed(now, nearest, most, where), now.nearest(others, vector, most, where)
    )
    # A row that got another vector may still be in the index: what was compared is right.
    cosines = dict(zip(indexed.row_ids, (1.0 - one for one in indexed.scores), strict=True))
    cosines.update(zip(*compared, strict=True))
    best = heapq.nlargest(most, cosines.items(), key=lambda one: one[1])
    return ScoredRows([row_id for row_id, _ in best], [cosine for _, cosine in best])


async def _find_indexed(
    now: TableVersion, nearest: NearestRows, most: int, where: str | None
) -> ScoredRows:
    """The nearest rows of those in the vector index, and their distances."""
    nearest = structs.replace(nearest, only_indexed=True)
    if where is None:
        quick = await _scan_vectors(now, structs.replace(nearest, is_quick=True), most, None)
        if len(quick.row_ids) == most:
            return quick
    return await _scan_vectors(now, nearest, most, where)


async def _scan_vectors(
    now: TableVersion, nearest: NearestRows, most: int, where: str | None
) -> ScoredRows:
    scan = Scan(["_distance"], limit=most, nearest=nearest, with_row_id=True)
    return await find_rows(now, scan, where)


def _own_key(row: dict[str, Any]) -> bytes:
    """A unique key: in a list of notes, equal passages of two notes are both shown."""
    return hashlib.blake2b(row["chunk_id"].encode(), digest_size=16).digest()
