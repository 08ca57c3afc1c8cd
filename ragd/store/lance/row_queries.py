"""Queries that find the rows of one version: only their ids and scores.

With phrases, it searches for more rows until enough of them have the phrases, or do not have them.
It never reads a row.
"""

import itertools
import math
from collections.abc import Awaitable, Callable, Container, Iterable, Sequence
from typing import Any, NamedTuple

from ragd.search.query.conditions import Condition
from ragd.search.query.filters import Filters
from ragd.store.lance import libraries, phrase_rows
from ragd.store.lance.scans import Scan, Words
from ragd.store.lance.sql import both, condition, one_of
from ragd.store.lance.table_version import ChunkHit, TableVersion

DEEPER = 4  # times as many rows, if too few of them have the phrases
DEEPEST = 12_800  # rows, for wanted phrases
DEEPEST_UNWANTED = 800  # rows, for excluded phrases; after that, comparing all rows is as fast


class ScoredRows(NamedTuple):
    """Rows that a query found, best first: their ids, and their scores or distances."""

    row_ids: list[int]
    scores: list[float]

    def kept(self, keeps: Iterable[bool]) -> "ScoredRows":
        """Those whose flag is true."""
        flags = list(keeps)
        return ScoredRows(
            list(itertools.compress(self.row_ids, flags)),
            list(itertools.compress(self.scores, flags)),
        )

    def only(self, row_ids: Container[int]) -> "ScoredRows":
        return self.kept(row_id in row_ids for row_id in self.row_ids)

    def among(self, row_ids: Any) -> "ScoredRows":
        """Those whose ids are in a sorted array; None: all."""
        if row_ids is None:
            return self
        numpy = libraries.numpy()
        return self.kept(numpy.isin(numpy.array(self.row_ids, dtype="u8"), row_ids).tolist())


Search = Callable[[int, str | None], Awaitable[ScoredRows]]  # the number of rows, a condition


def of_notes(where: str | None, notes: Sequence[str] | None) -> str | None:
    """The condition, limited to these notes; None: not limited."""
    return where if notes is None else both(where, one_of("source_file", notes))


def by_words(words: str, column: str, k: int) -> Scan:
    """The scan for the k rows that match some of the words best."""
    return Scan(["_score"], limit=k, words=Words(words, column), with_row_id=True)


async def find_best(
    now: TableVersion, search: Search, k: int, where: str | None, phrases: Sequence[Condition]
) -> ScoredRows:
    """The best k rows that have the wanted phrases and none of the excluded ones."""
    if not phrases:
        return await search(k, where)
    wanted = [phrase for one in phrases if not one.negated for phrase in one.values]
    unwanted = [phrase for one in phrases if one.negated for phrase in one.values]
    having = await phrase_rows.having_all(now, wanted)
    if having is not None and (listed := phrase_rows.listed(having)) is not None:
        where, having = both(where, listed), None
    most, deepest = 2 * k, DEEPEST_UNWANTED if unwanted else DEEPEST
    while most <= deepest:
        found = await search(most, where)
        kept = found.among(having)
        kept = kept.only(await phrase_rows.without(now, unwanted, kept.row_ids))
        if len(kept.row_ids) >= k or len(found.row_ids) < most:
            return ScoredRows(kept.row_ids[:k], kept.scores[:k])
        most *= DEEPER
    return await search(k, both(where, condition(Filters(conditions=tuple(phrases)))))


async def find_rows(
    now: TableVersion, scan: Scan, where: str | None = None, *, is_quick: bool = False
) -> ScoredRows:
    """The rows that a scan finds, without those whose score is not a number."""
    found = await now.scans.read(scan.limited(where), is_quick=is_quick)
    (score,) = (name for name in found.schema.names if name != "_rowid")
    scored = ScoredRows(found["_rowid"].to_pylist(), found[score].to_pylist())
    return scored.kept(map(math.isfinite, scored.scores))


def best_first(hits: Iterable[ChunkHit]) -> list[ChunkHit]:
    """By score; equal ones always in the same order."""
    return sorted(hits, key=lambda one: (-one.score, one.chunk_id))
