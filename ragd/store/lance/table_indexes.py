"""The scalar and full-text indexes: made on the empty table, extended by what is new.

An index is a list of segments, each over some fragments. New rows make a new segment; segments of
like size are merged, as in a log-structured tree, so that neither their number nor the work of one
step grows with the table. Rows in no segment are found all the same, only slower.
"""

from collections.abc import Sequence
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

FAN = 4  # so many segments of like size become one
ALIKE = 2  # and that is: not more than twice as large as what is added
SEGMENT_ROWS = 32_768
SEGMENTS_LARGE = 8  # a table of any size aims at about so many large segments

_TOKENS = {
    # icu finds words in Chinese and Japanese; Korean comes as pairs of syllables in the text.
    "base_tokenizer": "icu",
    "language": "English",
    "stem": True,
    "lower_case": True,
    "ascii_folding": True,
    "remove_stop_words": False,  # "The Who" and "to be" are titles too
    "with_position": False,
    "max_token_length": 128,  # a SHA-512 is still a word that somebody may look for
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
    """How far the full-text index reaches: rows of each segment in order, and rows in none."""

    segments: list[int]
    fresh: int


def create_all(dataset: Any) -> None:
    """Make every index but the vectors'."""
    for column in COLUMNS:
        create(dataset, column)


def create(dataset: Any, column: str) -> None:
    """Make the index of a column, in place of the one that may be there."""
    kind, options = SCALAR.get(column, "INVERTED"), {}
    if column not in SCALAR:
        options = _WHOLE_KEYS if column == KEYS else _TOKENS
    dataset.create_scalar_index(column, kind, name=f"{column}_idx", replace=True, **options)


def rows_by_fragment(dataset: Any) -> dict[int, int]:
    """The rows in each fragment that are not deleted."""
    return {part.fragment_id: part.metadata.num_rows for part in dataset.get_fragments()}


def coverage(dataset: Any, name: str = f"{SEARCH_TEXT}_idx") -> IndexCoverage:
    """What the index of this name covers; no segments if there is none."""
    rows = rows_by_fragment(dataset)
    segments: list[int] = []
    for index in dataset.describe_indices():
        if index.name == name:
            for segment in index.segments:
                segments.append(sum(rows.pop(part, 0) for part in segment.fragment_ids))
    return IndexCoverage(segments, sum(rows.values()))


def merge_width(segments: Sequence[int], fresh: int, largest: int) -> int:
    """How many of the last segments to merge with `fresh` rows into one. Pure."""
    width = 0
    size = fresh
    while True:
        alike = 0
        for rows in reversed(segments[: len(segments) - width]):
            if rows > ALIKE * size:
                break
            alike += 1
        if alike < FAN - 1:
            return width
        merged = size + sum(segments[len(segments) - width - alike : len(segments) - width])
        if merged > largest:
            return width
        width += alike
        size = merged


def largest_segment(rows: int) -> int:
    """How many rows a segment may have in a table of so many rows."""
    return max(SEGMENT_ROWS, rows // SEGMENTS_LARGE)


def extend(dataset: Any) -> bool:
    """Take rows that are in no segment into the indexes; True if there were any."""
    segments, fresh = coverage(dataset)
    if not fresh:
        return False
    width = merge_width(segments, fresh, largest_segment(sum(segments) + fresh))
    # A table that an earlier version made does not have all of them.
    there = [index.name for index in dataset.describe_indices() if index.name in NAMES]
    dataset.optimize.optimize_indices(num_indices_to_merge=width, index_names=there)
    return True


def shed_dead_rows(dataset: Any) -> tuple[Any, bool]:
    """Drop segments that still hold words of fragments that are gone; extend what is left anew.

    Returns the dataset, and whether anything was shed. Bounded: about one segment at a time.
    """
    rows = rows_by_fragment(dataset)
    doomed: list[Any] = []
    remade: list[str] = []
    for index in dataset.describe_indices():
        if index.name not in NAMES:
            continue
        chosen = _stale_within(index.segments, rows, SEGMENT_ROWS)
        if chosen and len(chosen) == len(index.segments):
            remade.append(index.field_names[0])  # an index without a segment would be gone
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
    """True if some segment holds words of a fragment that is gone."""
    rows = rows_by_fragment(dataset)
    return any(
        part not in rows
        for index in dataset.describe_indices()
        if index.name in NAMES
        for segment in index.segments
        for part in segment.fragment_ids
    )


def _stale_within(segments: Sequence[Any], rows: dict[int, int], limit: int) -> list[Any]:
    """Segments with dead fragments, as many as have `limit` living rows, but at least one."""
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
