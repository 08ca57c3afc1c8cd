"""Counts the notes and passages in scope, from the catalog. Pure.

All notes are compared, which takes 40 ms for 100,000. So the last results are kept, each for one
version of the table.
"""

from collections.abc import Mapping

from msgspec import Struct

from ragd.access.scope import Scope
from ragd.folds import State
from ragd.folds.catalog import Catalog, Entry
from ragd.folds.times import iso_of_ns
from ragd.notes.documents.kinds import count_kinds, is_slow

KEPT = 16


class StoredCounts(Struct, frozen=True):
    """How many notes and passages of the index are in scope, and the time of the newest note."""

    documents: int
    chunks: int
    embedded: int
    withheld: int
    pending: int
    newest_mtime: str | None
    kinds: Mapping[str, int]  # how many files of each kind


class ScopeCounts(Struct, frozen=True):
    """What is stored of a scope, and how many of its notes and documents wait for it."""

    stored: StoredCounts
    unindexed: int
    documents_waiting: dict[str, int]  # by kind, of those that take long to read


class ScopeCounter:
    """Counts, and keeps what it counted last."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], StoredCounts] = {}

    def count(self, state: State, scope: Scope) -> ScopeCounts:
        """The numbers of the notes in scope."""
        catalog = state.catalog
        waiting = scope.within(path for path in catalog.waiting if path not in catalog.skipped)
        slow = [path for path in waiting if is_slow(path)]
        stored = self._stored(catalog, scope)
        return ScopeCounts(stored, len(waiting) - len(slow), count_kinds(slow))

    def _stored(self, catalog: Catalog, scope: Scope) -> StoredCounts:
        generation = catalog.index.generation if catalog.index is not None else ""
        key = (
            *(scope, generation, catalog.table_version, catalog.documents, catalog.chunks),
            *(catalog.chunks_embedded, catalog.chunks_barred, catalog.newest_mtime),
        )
        if key not in self._kept:
            while len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            files = {path: one for path, one in catalog.files.items() if scope.includes(path)}
            self._kept[key] = count_entries(files)
        return self._kept[key]


def count_entries(files: Mapping[str, Entry]) -> StoredCounts:
    """The numbers of these notes."""
    entries = list(files.values())
    newest_ns = max((entry.mtime_ns for entry in entries), default=None)
    return StoredCounts(
        len(entries),
        sum(entry.chunks for entry in entries),
        sum(entry.embedded for entry in entries),
        sum(entry.withheld for entry in entries),
        sum(entry.lacking for entry in entries),
        None if newest_ns is None else iso_of_ns(newest_ns),
        count_kinds(files),
    )
