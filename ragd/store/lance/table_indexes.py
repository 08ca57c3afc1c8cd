"""The scalar and full-text indexes: created on the empty table, then extended with new rows.

An index is a list of segments, each over some fragments. New rows make a new segment; segments of
similar size are merged, as in a log-structured merge tree, so that neither their number nor the
work of one step grows with the table. Rows in no segment are found too, only more slowly.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ragd.store.lance import libraries
from ragd.store.lance.schema import KEYS, SEARCH_TEXT

SCALAR = {
    "source_file": "BTREE",
    "source_directory": "BTREE",
    "date": "BTREE",
    "chunk_id": "BTREE",
    "tags": "LABEL_LIST",
    "note_tags": "LABEL_LIST",
    "properties": "LABEL_LIST",
}
COLUMNS = (*SCALAR, SEARCH_TEXT, KEYS)
NAMES = tuple(f"{column}_idx" for column in COLUMNS)
_SCALAR_NAMES = frozenset(f"{column}_idx" for column in SCALAR)

FAN = 4  # this many segments of similar size become one
ALIKE = 2  # similar: at most this many times as large as the added rows
SEGMENT_ROWS = 65_536  # a search asks each segment, so few large ones are quicker
PURGE_ROWS = 32_768  # indexed again at most in one step, because some of a segment was removed
SEGMENTS_LARGE = 8  # about how many large segments a table should have

_TOKENS = {
    # icu finds words in Chinese and Japanese; for Korean, the text has pairs of syllables.
    "base_tokenizer": "icu",
    "language": "English",
    "stem": True,
    "lower_case": True,
    "ascii_folding": True,
    "remove_stop_words": False,  # "The Who" and "to be" are titles too
    "with_position": False,
    "max_token_length": 128,  # a SHA-512 can be searched for
}


_WHOLE_KEYS = {
    "base_tokenizer": "whitespace",
    "stem": False,
    "lower_case": False,
    "ascii_folding": False,
    "remove_stop_words": False,
    "with_position": False,
    "max_token_length": 1_024,
}


class IndexCoverage(NamedTuple):
    """The rows in each segment of an index, in order, and the rows in none."""

    segments: list[int]
    fresh: int


def create_all(dataset: Any) -> None:
    """Create every index except for the vector index."""
    for column in COLUMNS:
        create(dataset, column)


def create(dataset: Any, column: str) -> None:
    """Create the index of a column, or replace it."""
    kind, options = SCALAR.get(column, "INVERTED"), {}
    if column not in SCALAR:
        options = _WHOLE_KEYS if column == KEYS else _TOKENS
    dataset.create_scalar_index(column, kind, name=f"{column}_idx", replace=True, **options)


def fragments_with_all(dataset: Any) -> frozenset[int] | None:
    """The fragments in every scalar index that there is; None if there is none."""
    covered = [
        frozenset(one for segment in index.segments for one in segment.fragment_ids)
        for index in dataset.describe_indices()
        if index.name in _SCALAR_NAMES
    ]
    return frozenset.intersection(*covered) if covered else None


def rows_by_fragment(dataset: Any) -> dict[int, int]:
    """The rows in each fragment that are not deleted."""
    return {part.fragment_id: part.metadata.num_rows for part in dataset.get_fragments()}


def coverage(
    dataset: Any, name: str = f"{SEARCH_TEXT}_idx", counted: Mapping[int, int] | None = None
) -> IndexCoverage:
    """The coverage of the index with this name; no segments if there is none. `counted`: the rows
    of each fragment that count; None: all of them."""
    rows = rows_by_fragment(dataset) if counted is None else dict(counted)
    segments: list[int] = []
    for index in dataset.describe_indices():
        if index.name == name:
            for segment in index.segments:
                segments.append(sum(rows.pop(part, 0) for part in segment.fragment_ids))
    return IndexCoverage(segments, sum(rows.values()))


def merge_width(segments: Sequence[int], fresh: int, largest: int) -> int:
    """How many of the last segments are merged with the `fresh` rows. Pure.

    If not all segments of similar size fit into the largest one, as many as fit are merged.
    """
    width = 0
    size = fresh
    while True:
        alike = fitting = 0
        merged = size
        for rows in reversed(segments[: len(segments) - width]):
            if rows > ALIKE * size:
                break
            if fitting == alike and merged + rows <= largest:
                fitting += 1
                merged += rows
            alike += 1
        if alike < FAN - 1:
            return width
        width += fitting
        size = merged
        if fitting < alike:
            return width


def largest_segment(rows: int) -> int:
    """How many rows a segment may have in a table with this many rows."""
    return max(SEGMENT_ROWS, rows // SEGMENTS_LARGE)


def extend(dataset: Any) -> bool:
    """Add rows that are in no segment to the indexes. Returns whether there were any."""
    segments, fresh = coverage(dataset)
    if not fresh:
        return False
    width = merge_width(segments, fresh, largest_segment(sum(segments) + fresh))
    # A table of an earlier version does not have all of them.
    existing = [index.name for index in dataset.describe_indices() if index.name in NAMES]
    dataset.optimize.optimize_indices(num_indices_to_merge=width, index_names=existing)
    return True


def remove_dead_segments(dataset: Any) -> tuple[Any, bool]:
    """Remove segments that still have words of removed fragments. `extend` then indexes their other
    rows again.

    Returns the dataset, and whether any was removed. Bounded: about one segment at a time.
    """
    rows = rows_by_fragment(dataset)
    doomed: list[Any] = []
    remade: list[str] = []
    for index in dataset.describe_indices():
        if index.name not in NAMES:
            continue
        chosen = _stale_within(index.segments, rows, PURGE_ROWS)
        if chosen and len(chosen) == len(index.segments):
            remade.append(index.field_names[0])  # without any segment, lance drops the index
        else:
            doomed += [_as_removed(index, segment) for segment in chosen]
    for column in remade:
        create(dataset, column)
    if doomed:
        lance = libraries.lance()
        operation = lance.LanceOperation.CreateIndex(new_indices=[], removed_indices=doomed)
        dataset = lance.LanceDataset.commit(dataset, operation, read_version=dataset.version)
    return dataset, bool(doomed or remade)


def is_stale(dataset: Any) -> bool:
    """Whether some segment has words of a removed fragment."""
    rows = rows_by_fragment(dataset)
    return any(
        part not in rows
        for index in dataset.describe_indices()
        if index.name in NAMES
        for segment in index.segments
        for part in segment.fragment_ids
    )


def _stale_within(segments: Sequence[Any], rows: dict[int, int], limit: int) -> list[Any]:
    """Segments with removed fragments, up to `limit` remaining rows, but at least one."""
    chosen: list[Any] = []
    size = 0
    for segment in segments:
        if all(part in rows for part in segment.fragment_ids):
            continue
        size += sum(rows.get(part, 0) for part in segment.fragment_ids)
        if chosen and size > limit:
            break
        chosen.append(segment)
    return chosen


def _as_removed(index: Any, segment: Any) -> Any:
    return libraries.index_record(
        uuid=segment.uuid,
        name=index.name,
        fields=list(index.fields),
        dataset_version=segment.dataset_version_at_last_update,
        fragment_ids=segment.fragment_ids,
        index_version=segment.index_version,
    )
