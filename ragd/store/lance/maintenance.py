"""Keeps the table small and quick, a bounded piece at a time. It never changes what is in it.

The text of a deleted note is still in its fragment's file, and its words in the indexes, until the
fragment is rewritten; and in old versions until they are removed. Both happen here.
"""

from datetime import timedelta
from typing import Any

from msgspec import Struct

from ragd.store.lance import table_indexes, vector_index
from ragd.store.lance.writer import FRAGMENT_ROWS, TableWriter

SMALL_ROWS = FRAGMENT_ROWS // 2  # a fragment below this is worth merging with its neighbours
COMPACT_ROWS = 8 * FRAGMENT_ROWS  # rewritten at most in one piece of work
KEEP_S = 600.0


class CompactionResult(Struct, frozen=True):
    """What a piece of work did: `more` says that there is another one to do."""

    changed: bool
    more: bool


def tidy(writer: TableWriter) -> CompactionResult:
    """Extend the indexes, and rewrite a bounded number of fragments that need it."""
    shed = writer.shed_dead_rows()
    extended = writer.extend()
    vectors = vector_index.extend(writer.dataset)
    purged = _compact(writer.dataset)
    if shed or purged:
        # Remapping and merging would keep the names of tags that nobody has any more.
        table_indexes.create(writer.dataset, "tags")
    more = table_indexes.is_stale(writer.dataset) or any(_unsightly(writer.dataset).values())
    return CompactionResult(shed or extended or vectors or purged is not None, more)


def _compact(dataset: Any) -> bool | None:
    """Rewrite some fragments: True if deleted rows are gone with that, None if there were none."""
    wanted = _unsightly(dataset)
    others = [
        part.fragment_id for part in dataset.get_fragments() if part.fragment_id not in wanted
    ]
    before = dataset.version
    dataset.optimize.compact_files(
        target_rows_per_fragment=FRAGMENT_ROWS,
        materialize_deletions=True,
        materialize_deletions_threshold=0.0,
        max_source_rows=COMPACT_ROWS,
        excluded_fragment_ids=others,
        num_threads=1,
    )
    if dataset.version == before:  # a small fragment without neighbours stays
        return None
    return any(wanted.values())


def _unsightly(dataset: Any) -> dict[int, int]:
    """Fragments that are small or have deleted rows, and how many of those."""
    found = {}
    for part in dataset.get_fragments():
        facts = part.metadata
        if facts.num_deletions or facts.num_rows < SMALL_ROWS:
            found[part.fragment_id] = facts.num_deletions
    return found


def clean(writer: TableWriter, keep_s: float = KEEP_S) -> int:
    """Remove versions older than `keep_s`, and files of no version; how many bytes.

    Files of no version are what a killed commit left: safe, because nobody else writes here.
    """
    stats = writer.dataset.cleanup_old_versions(
        older_than=timedelta(seconds=keep_s),
        delete_unverified=True,
        error_if_tagged_old_versions=False,
    )
    return int(stats.bytes_removed)
