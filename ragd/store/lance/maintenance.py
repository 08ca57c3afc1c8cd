"""Keeps the table small and fast, a bounded piece at a time. It never changes the table's content.

The text of a deleted note stays in its fragment's file, and its words in the indexes, until the
fragment is rewritten. It stays in old versions until those are removed. Both happen here.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from msgspec import Struct

from ragd.store.lance import table_indexes, vector_index
from ragd.store.lance.writer import FRAGMENT_ROWS, TableWriter

SMALL_ROWS = FRAGMENT_ROWS // 2  # a smaller fragment is merged with its neighbours
COMPACT_ROWS = 8 * FRAGMENT_ROWS  # rewritten at most in one step
SETTLED_ROWS = 4 * FRAGMENT_ROWS  # of a fragment once all vectors are there: rows are read faster
KEEP_S = 600.0


class CompactionResult(Struct, frozen=True):
    """What one step did. `more`: another step is needed."""

    changed: bool
    more: bool


def compact(writer: TableWriter) -> CompactionResult:
    """Extend the indexes, and rewrite a bounded number of fragments that need it."""
    removed = writer.remove_dead_segments()
    extended = writer.extend()
    vectors = vector_index.extend(writer.dataset, writer.vectors_by_fragment)
    purged = _rewrite_fragments(writer.dataset, _large(writer.dataset), SETTLED_ROWS)
    if purged is None:
        purged = _rewrite_fragments(writer.dataset, _to_rewrite(writer.dataset), FRAGMENT_ROWS)
    settled = None
    if purged is None and writer.has_all_vectors():
        settled = _rewrite_fragments(writer.dataset, _to_settle(writer.dataset), SETTLED_ROWS)
    if removed or purged:
        # Remapping and merging would keep the names of tags that no note has any more.
        table_indexes.create(writer.dataset, "tags")
    more = table_indexes.is_stale(writer.dataset) or any(_to_rewrite(writer.dataset).values())
    writer.note_version()
    rewrote = purged is not None or settled is not None
    if rewrote and writer.has_all_vectors():
        more = more or bool(_to_settle(writer.dataset))
    return CompactionResult(removed or extended or vectors or rewrote, more)


def _rewrite_fragments(dataset: Any, wanted: Mapping[int, int], rows: int) -> bool | None:
    """Rewrite some of these fragments as fragments of so many rows. True if that removed deleted
    rows; None if nothing was rewritten."""
    if not wanted:
        return None
    others = [
        part.fragment_id for part in dataset.get_fragments() if part.fragment_id not in wanted
    ]
    before = dataset.version
    dataset.optimize.compact_files(
        target_rows_per_fragment=rows,
        materialize_deletions=True,
        materialize_deletions_threshold=0.0,
        max_source_rows=COMPACT_ROWS,
        excluded_fragment_ids=others,
        num_threads=1,
    )
    if dataset.version == before:  # a small fragment without neighbours stays
        return None
    return any(wanted.values())


def _to_rewrite(dataset: Any) -> dict[int, int]:
    """The fragments that are small or have deleted rows, and how many deleted rows each has."""
    found = {}
    for part in dataset.get_fragments():
        facts = part.metadata
        if facts.num_deletions or facts.num_rows < SMALL_ROWS:
            found[part.fragment_id] = facts.num_deletions
    return found


def _large(dataset: Any) -> dict[int, int]:
    """The large fragments that have deleted rows: they stay large."""
    large = {one.fragment_id for one in dataset.get_fragments() if _is_large(one.metadata)}
    return {one: deleted for one, deleted in _to_rewrite(dataset).items() if one in large}


def _is_large(facts: Any) -> bool:
    return int(facts.num_rows) > FRAGMENT_ROWS


def _to_settle(dataset: Any) -> dict[int, int]:
    """The first fragments, side by side, that make a larger one; no deleted rows are in them."""
    found: dict[int, int] = {}
    rows = 0
    for part in dataset.get_fragments():
        facts = part.metadata
        if facts.num_deletions or facts.num_rows > SETTLED_ROWS // 2:
            if rows >= SETTLED_ROWS:
                break
            found, rows = {}, 0
        elif rows < COMPACT_ROWS:
            found[part.fragment_id] = 0
            rows += facts.num_rows
    return found if rows >= SETTLED_ROWS else {}


def remove_old_versions(writer: TableWriter, keep_s: float = KEEP_S) -> None:
    """Remove versions older than `keep_s`, and files of no version.

    A killed commit leaves files of no version. In a folder, removing them is safe: no other process
    writes there. In an object store, a suspended machine may wake up in here after another has
    taken over, so that lance removes such files only when they are a week old.
    """
    writer.keep_fence(keep_s)
    old = [version for version, age_s in writer.ages.of_old().items() if age_s >= keep_s]
    writer.dataset.cleanup_old_versions(
        # lance refuses an empty list. Files of no version are removed either way.
        **({"versions": old} if old else {"older_than": timedelta(seconds=keep_s)}),
        delete_unverified=not writer.fence,
        error_if_tagged_old_versions=False,
    )
    writer.ages.keep_only(writer.ages.known.difference(old))


def seconds_until_removal(writer: TableWriter, keep_s: float) -> float | None:
    """When the next version is older than `keep_s`; None if there is only the newest."""
    oldest_s = max(writer.ages.of_old().values(), default=None)
    return None if oldest_s is None else max(0.0, keep_s - oldest_s)
