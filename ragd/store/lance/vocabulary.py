"""The tags, properties and words of the table, for suggestions and for ranking. It never writes."""

import asyncio
from typing import Any

from ragd.notes.properties import comparable_name
from ragd.search.ranking.title_match import SAMPLE, Frequencies, count_frequencies
from ragd.store.lance import libraries
from ragd.store.lance.pinned_table import PinnedTable
from ragd.store.lance.scans import Scan
from ragd.store.lance.schema import SEARCH_TEXT
from ragd.store.lance.sql import both
from ragd.store.lance.word_counts import WordCounts

_SAMPLED = ("title", "chunk_text", "language")


class TableVocabulary:
    """What the pinned version contains. Tags and word frequencies are kept in memory.

    `within`: the condition for the rows that count; None: all rows.
    """

    def __init__(self, pinned: PinnedTable, within: str | None = None) -> None:
        self._pinned = pinned
        self._within = within
        self._tags: frozenset[str] = frozenset()
        self._tags_version = -1
        self._frequencies = Frequencies()
        self._frequencies_version = -1
        self._frequencies_rows = -1

    async def list_tags(self) -> frozenset[str]:
        """Every tag in the index, as it is spelled there. Read once for each version."""
        now = self._pinned.now
        if self._tags_version != now.version:
            found = await now.scans.read(self._scan(["tags"]))
            self._tags = await asyncio.to_thread(_distinct, found["tags"])
            self._tags_version = now.version
        return self._tags

    async def list_properties(self, name: str) -> list[str]:
        """The distinct properties of this name, as they are stored."""
        if "properties" not in self._pinned.columns:
            return []  # a table of an earlier version
        now, start = self._pinned.now, f"{comparable_name(name)}="
        found = await now.scans.read(self._scan(["properties"], "chunk_index = 0"))
        return await asyncio.to_thread(_starting_with, found["properties"], start)

    async def list_property_names(self) -> list[str]:
        """The distinct names of properties, in the form that is compared."""
        if "properties" not in self._pinned.columns:
            return []  # a table of an earlier version
        now = self._pinned.now
        found = await now.scans.read(self._scan(["properties"], "chunk_index = 0"))
        known = await asyncio.to_thread(_distinct, found["properties"])
        return sorted({one.partition("=")[0] for one in known})

    async def count_words(self, most: int) -> dict[str, int]:
        """The most frequent words of the table, and how often each occurs."""
        counted = WordCounts(most)
        async for batch in self._pinned.now.scans.batches(self._scan([SEARCH_TEXT])):
            await asyncio.to_thread(counted.add, batch[SEARCH_TEXT])
        return await asyncio.to_thread(counted.result)

    async def word_frequencies(self) -> Frequencies:
        """How common words are in this index, from a sample. Sampled again when it has doubled."""
        now = self._pinned.now
        if self._frequencies_version == now.version:
            return self._frequencies
        rows = await now.count(self._within)
        if rows > 2 * self._frequencies_rows:
            columns = [name for name in _SAMPLED if name in self._pinned.columns]
            found = await now.scans.read(self._scan(columns, limit=SAMPLE))
            sample = found.to_pylist()
            texts = [f"{row['title']} {row['chunk_text']}" for row in sample]
            languages = [row.get("language") for row in sample]
            self._frequencies = await asyncio.to_thread(count_frequencies, texts, languages)
            self._frequencies_rows = rows
        self._frequencies_version = now.version
        return self._frequencies

    def _scan(self, columns: list[str], where: str | None = None, limit: int | None = None) -> Scan:
        """The scan of these columns of the rows that count."""
        return Scan(columns, both(self._within, where), limit)


def _distinct(column: Any) -> frozenset[str]:
    compute = libraries.pyarrow().compute
    return frozenset(compute.unique(compute.list_flatten(column)).to_pylist())


def _starting_with(column: Any, start: str) -> list[str]:
    compute = libraries.pyarrow().compute
    values = compute.unique(compute.list_flatten(column))
    found: list[str] = values.filter(compute.starts_with(values, pattern=start)).to_pylist()
    return found
