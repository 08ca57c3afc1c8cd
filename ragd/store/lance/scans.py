"""Reads of one version of the table, in threads: scans, counts, and rows by their ids.

lance's calls block, so they run in a few threads. A scan that nobody waits for any more ends with
its current batch. It keeps nothing.
"""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from msgspec import Struct, structs

from ragd.store.lance import libraries
from ragd.store.lance.index_place import TablePlace
from ragd.store.lance.lance_errors import translated

PARALLEL_READS = 2  # more at once are not faster, and need more memory
BATCHES_AHEAD = 2
PARTS = 20  # of the vector index that a search reads at least

T = TypeVar("T")


class Words(Struct, frozen=True):
    """Words to search for in a column with a full-text index. `every`: all of them."""

    text: str
    column: str
    every: bool = False


class NearestRows(Struct, frozen=True):
    """The rows that are nearest to a vector. `has_index`: the column has a vector index.
    `only_indexed`: only rows that are in it. `is_quick`: in the nearest parts of it only, in which
    there may be too few rows."""

    vector: Any
    column: str
    metric: str
    has_index: bool
    only_indexed: bool = False
    is_quick: bool = False


class Scan(Struct, frozen=True):
    """What to read. `filters_last`: the condition is checked for what was found only."""

    columns: Sequence[str]
    where: str | None = None
    limit: int | None = None
    words: Words | None = None
    nearest: NearestRows | None = None
    with_row_id: bool = False
    filters_last: bool = False

    def limited(self, where: str | None) -> "Scan":
        """The same, with this condition."""
        return structs.replace(self, where=where)


class ReadThreads:
    """The threads for reads of one table. Quick lookups have their own, so they never wait long.

    They end when the last version that reads with them is gone: a read that runs when the index is
    closed comes to its end.
    """

    def __init__(self) -> None:
        self.rows = ThreadPoolExecutor(PARALLEL_READS, thread_name_prefix="rows")
        self.keys = ThreadPoolExecutor(PARALLEL_READS, thread_name_prefix="keys")


class TableScans:
    """Reads of one version."""

    def __init__(self, path: TablePlace, dataset: Any, threads: ReadThreads) -> None:
        self._path = path
        self.dataset = dataset
        self._threads = threads

    async def read(self, scan: Scan, *, is_quick: bool = False) -> Any:
        """All rows that a scan finds, as an Arrow table."""
        ended = threading.Event()

        def read() -> Any:
            scanner = _scanner(self.dataset, scan)
            batches = list(itertools.takewhile(lambda _: not ended.is_set(), scanner.to_batches()))
            schema = batches[0].schema if batches else scanner.projected_schema
            return libraries.pyarrow().Table.from_batches(batches, schema)

        try:
            return await self.run(read, is_quick=is_quick)
        finally:
            ended.set()

    async def batches(self, scan: Scan) -> AsyncIterator[Any]:
        """The batches of rows that a scan finds, one after another."""
        reader = await self.run(lambda: iter(_scanner(self.dataset, scan).to_batches()))
        while (batch := await self.run(lambda: _next(reader))) is not None:
            yield batch

    async def count(self, where: str | None) -> int:
        """How many rows meet the condition."""
        return int(await self.run(lambda: self.dataset.count_rows(where)))

    async def take(self, row_ids: Sequence[int], columns: Sequence[str]) -> Any:
        """These columns of the rows with these ids, in this order."""
        ids, names = list(row_ids), list(columns)
        return await self.run(lambda: self.dataset._take_rows(ids, columns=names))

    async def run(self, work: Callable[[], T], *, is_quick: bool = False) -> T:
        """Run a call of lance in a thread."""
        threads = self._threads.keys if is_quick else self._threads.rows
        with translated(self._path):
            return await asyncio.get_running_loop().run_in_executor(threads, work)


def _next(batches: Iterator[Any]) -> Any:
    return next(batches, None)


def _scanner(dataset: Any, scan: Scan) -> Any:
    options: dict[str, Any] = {}
    if scan.words is not None:
        fts = libraries.full_text()
        operator = fts.FullTextOperator.AND if scan.words.every else fts.FullTextOperator.OR
        match = fts.MatchQuery(scan.words.text, scan.words.column, operator=operator)
        options["full_text_query"] = match
    if (near := scan.nearest) is not None:
        options["nearest"] = {
            "column": near.column,
            "q": near.vector,
            "k": scan.limit,
            "metric": near.metric,
            "use_index": near.has_index,
        }
        if near.has_index:
            # By default without a limit: a selective filter must not lose rows.
            options["nearest"] |= {"minimum_nprobes": PARTS, "refine_factor": 5}
            if near.is_quick:
                options["nearest"]["maximum_nprobes"] = PARTS
    return dataset.scanner(
        columns=list(scan.columns),
        filter=scan.where,
        limit=scan.limit,
        with_row_id=scan.with_row_id,
        prefilter=not scan.filters_last,
        batch_readahead=BATCHES_AHEAD,
        fast_search=near is not None and near.only_indexed,
        **options,
    )
