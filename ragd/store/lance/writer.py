"""The only writer of a table: every change is one atomic commit.

Synchronous, for one thread. It never searches, and never uses merge_insert, which reads the whole
table and removes rows from the full-text index.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ragd.embed.providers.embedder_port import Vector
from ragd.objects.writer_lease import clock_that_counts_sleep
from ragd.store.lance import fence, generation_folders, libraries, table_indexes, vector_index
from ragd.store.lance.index_place import TablePlace, table_at
from ragd.store.lance.schema import (
    UNITS,
    VECTOR,
    FileRows,
    arrow_table,
    dimensions_of,
    unit_bytes,
    vector_array,
)
from ragd.store.lance.sql import one_of
from ragd.store.lance.vector_counts import VectorCounts
from ragd.store.lance.version_ages import VersionAges

FRAGMENT_ROWS = 1_024  # the most that a fill has to rewrite for one row
EXTEND_ROWS = 4_096  # rows that may be outside the full-text index: searches stay fast
EXTEND_ROWS_MOST = 16_384  # the same for a large table: fewer, larger steps take less time in all
ATTEMPTS = 4


class FillResult(NamedTuple):
    """The chunks that were in the table and have their vector now, and the version.

    `embedded`: for each of their notes, how many of its rows have a vector.
    """

    found: frozenset[str]  # chunk ids
    version: int
    embedded: Mapping[str, int]  # by path


class TableWriter:
    """The table of one generation, open for writing."""

    def __init__(
        self, path: Path | TablePlace, now: Callable[[], float] = clock_that_counts_sleep
    ) -> None:
        self._table = table_at(path)
        self._now = now
        self._ages: VersionAges | None = None  # read when it is needed: it reads each version
        self._vector_counts: VectorCounts | None = None
        self.reopen()
        self._fence = fence.fence_of(self.dataset)
        self._fenced_at = float("-inf")

    def reopen(self) -> None:
        """Open the table again, with empty caches."""
        lance = libraries.lance()
        session = lance.Session(**libraries.WRITER_CACHES)
        self.dataset = libraries.open_dataset(self._table, session=session)
        self._fresh_rows = table_indexes.coverage(self.dataset).fresh
        self._counted_version = 0

    def take_over(self, fence_number: int) -> None:
        """From now on, no other writer's commits land, not even those that were begun before."""
        fence.raise_fence(self.dataset, fence_number)
        self._fence, self._fenced_at = fence_number, self._now()
        self.note_version()

    def keep_fence(self, keep_s: float) -> None:
        """Call it before versions older than `keep_s` are removed. lance finds late commits by the
        versions that are left, so one of them must be this writer's restore."""
        if self._fence and self._now() - self._fenced_at >= keep_s / 2:
            self.take_over(self._fence)

    @property
    def fence(self) -> int:
        """The fencing number that the table has."""
        return self._fence

    @property
    def version(self) -> int:
        return int(self.dataset.version)

    def versions(self) -> list[int]:
        """All versions that are there. What is known of their ages is corrected."""
        found = sorted(int(known["version"]) for known in self.dataset.version_refs())
        if self._ages is not None:
            self._ages.keep_only(found)
        return found

    @property
    def ages(self) -> VersionAges:
        """How old the versions are."""
        if self._ages is None:
            wall, found = time.time(), self.dataset.versions()
            made = {int(one["version"]): one["timestamp"].timestamp() for one in found}
            self._ages = VersionAges(self._now, {one: wall - at for one, at in made.items()})
        return self._ages

    def note_version(self) -> None:
        """The newest version was just made."""
        if self._ages is not None:
            self._ages.add_new(self.version)

    def set_complete(self) -> int:
        generation_folders.set_complete(self.dataset)
        return self.make_durable()

    def make_durable(self) -> int:
        """Make all commits durable, and return the version."""
        self.note_version()
        self._table.make_durable()
        return self.version

    def replace(self, files: Sequence[FileRows], removed: Iterable[str]) -> int:
        """Replace the rows of these notes, and delete those of `removed`."""
        paths = [*(file.path for file in files), *removed]
        assert len(set(paths)) == len(paths), "a note occurs twice"
        table = arrow_table(files, self.dataset.schema)
        assert len(set(table["chunk_id"].to_pylist())) == len(table), "a chunk occurs twice"
        added = self._write(table) if len(table) else []
        condition = one_of("source_file", paths)
        self._commit(lambda dataset: _replacement(dataset, condition, added))
        self._fresh_rows += len(table)
        if self._fresh_rows >= unindexed_rows_max(self.dataset.count_rows()):
            self.extend()
        return self.make_durable()

    def extend(self) -> bool:
        """Add new rows to the indexes."""
        extended = table_indexes.extend(self.dataset)
        self._fresh_rows = 0
        return extended

    def remove_dead_segments(self) -> bool:
        """Remove the words of removed fragments from the indexes."""
        self.dataset, removed = table_indexes.remove_dead_segments(self.dataset)
        return removed

    def plan_training(self) -> vector_index.TrainingTask | None:
        """What to train a vector index on now, if the table is large enough."""
        return vector_index.plan_training(self.dataset, self.vectors_by_fragment)

    def adopt(self, task: vector_index.TrainingTask, built: Any) -> bool:
        """Publish a trained vector index; False if all of it is out of date."""
        adopted = vector_index.adopt(self.dataset, task, built)
        self.dataset = adopted or self.dataset
        return adopted is not None

    def fill(self, vectors: Mapping[str, Vector], paths: Iterable[str] = ()) -> FillResult:
        """Add vectors to chunks, in place; some chunks may be gone. `paths`: notes to count, in
        addition to those of the chunks."""
        dimensions = dimensions_of(self.dataset.schema)
        vector_array(list(vectors.values()), dimensions)  # raises ValueError for a wrong vector
        found: dict[str, str] = {}  # chunk id -> path

        def operation(dataset: Any) -> Any:
            nonlocal found
            found, places = _locate(dataset, vectors)
            return _filling(dataset, places, vectors, dimensions)

        self._commit(operation)
        embedded = _embedded(self.dataset, {*found.values(), *paths})
        filled = len(found.keys() & embedded.keys())
        if filled != len(found):
            raise RuntimeError(f"{len(found)} vectors were written and {filled} were found")
        return FillResult(frozenset(found), self.make_durable(), Counter(embedded.values()))

    def vectors_by_fragment(self) -> Mapping[int, int]:
        """How many rows of each fragment have a vector."""
        if self._vector_counts is None or self._counted_version != self.version:
            self._vector_counts = VectorCounts(self.dataset, self._vector_counts)
            self._counted_version = self.version
        return self._vector_counts.by_fragment

    def count_vectors(self) -> int:
        """How many rows have a vector. Only changed fragments are read again."""
        return sum(self.vectors_by_fragment().values())

    def has_all_vectors(self) -> bool:
        """Whether every row has a vector."""
        return self.count_vectors() == int(self.dataset.count_rows())

    def _write(self, table: Any) -> Any:
        """Write the new rows, in fragments that are not visible before the commit."""
        return libraries.lance().fragment.write_fragments(
            table, self.dataset, schema=self.dataset.schema, max_rows_per_file=FRAGMENT_ROWS
        )

    def _commit(self, operation: Callable[[Any], Any]) -> None:
        """Commit the `operation` on the newest version. If the version has changed, try again."""
        lance = libraries.lance()
        for attempt in range(1, ATTEMPTS + 1):
            planned = operation(self.dataset)
            if planned is None:
                return
            try:
                self.dataset = lance.LanceDataset.commit(
                    self.dataset, planned, read_version=self.dataset.version
                )
                fence.require_fence(self.dataset, self._fence)
                return
            except lance.commit.CommitConflictError:
                if attempt == ATTEMPTS:
                    raise
                self.dataset.checkout_latest()
                fence.require_fence(self.dataset, self._fence)


def unindexed_rows_max(rows: int) -> int:
    """How many rows of a table with this many may be outside the full-text index. Pure."""
    return min(EXTEND_ROWS_MOST, max(EXTEND_ROWS, rows // 4))


def _replacement(dataset: Any, condition: str, added: Sequence[Any]) -> Any:
    """The operation that deletes rows that meet the condition, and adds these fragments."""
    updated, emptied = [], []
    for number in _fragments_with(dataset, condition):
        rest = dataset.get_fragment(number).delete(condition)
        if rest is None:
            emptied.append(number)
        else:
            updated.append(rest)
    if not (added or updated or emptied):
        return None
    return libraries.lance().LanceOperation.Update(
        removed_fragment_ids=emptied, updated_fragments=updated, new_fragments=list(added)
    )


def _fragments_with(dataset: Any, condition: str) -> list[int]:
    if not dataset.count_rows():
        return []
    found = dataset.scanner(columns=[], filter=condition, with_row_address=True).to_table()
    return sorted({address >> 32 for address in found["_rowaddr"].to_pylist()})


_Places = Mapping[int, Sequence[tuple[int, str]]]


def _locate(dataset: Any, chunk_ids: Iterable[str]) -> tuple[dict[str, str], _Places]:
    """The paths of these chunks, without those that are gone; and for each fragment, the row ids
    and chunk ids."""
    condition = one_of("chunk_id", chunk_ids)
    columns = ["chunk_id", "source_file"]
    rows = dataset.scanner(columns=columns, filter=condition, with_row_id=True).to_table()
    chunks = rows["chunk_id"].to_pylist()
    places: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for row, chunk in zip(rows["_rowid"].to_pylist(), chunks, strict=True):
        places[row >> 32].append((row, chunk))
    return dict(zip(chunks, rows["source_file"].to_pylist(), strict=True)), places


def _filling(
    dataset: Any,
    places: _Places,
    vectors: Mapping[str, Vector],
    dimensions: int,
) -> Any:
    """The operation that rewrites only the columns of vectors and units in these fragments."""
    if not places:
        return None
    pa = libraries.pyarrow()
    updated: list[Any] = []
    fields: set[int] = set()
    for number, rows in places.items():
        made = [vectors[chunk] for _, chunk in rows]
        columns = {
            "_rowid": pa.array([row for row, _ in rows], type=pa.uint64()),
            VECTOR: vector_array(made, dimensions),
        }
        if UNITS in dataset.schema.names:  # not in a table of an earlier version
            columns[UNITS] = pa.array(map(unit_bytes, made), type=pa.binary())
        part, modified = dataset.get_fragment(number).update_columns(
            pa.table(columns), left_on="_rowid"
        )
        updated.append(part)
        fields.update(modified)
    return libraries.lance().LanceOperation.Update(
        updated_fragments=updated,
        fields_modified=sorted(fields),
        update_mode="rewrite_columns",
    )


def _embedded(dataset: Any, paths: Iterable[str]) -> dict[str, str]:
    """The chunks of these notes that have a vector, read back from the table, with their path."""
    condition = f"{one_of('source_file', paths)} AND {VECTOR} IS NOT NULL"
    rows = dataset.scanner(columns=["chunk_id", "source_file"], filter=condition).to_table()
    return dict(zip(rows["chunk_id"].to_pylist(), rows["source_file"].to_pylist(), strict=True))
