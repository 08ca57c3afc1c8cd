"""The vector index, for tables so large that comparing all vectors takes too long.

It is trained while the writer continues. Fragments that get vectors afterwards are not in it: their
vectors are in memory (`vector_matrix.py`) until the index is extended.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ragd.store.lance import libraries
from ragd.store.lance.schema import VECTOR, dimensions_of
from ragd.store.lance.table_indexes import coverage, fragments_with_all
from ragd.store.lance.vector_matrix import MOST_SHORTS

NAME = f"{VECTOR}_idx"
WORTHWHILE_FLOATS = MOST_SHORTS  # a table with fewer numbers is in memory
# Train when 60 % of these have vectors, so the index is ready before the rest no longer fits in
# memory.
FIRST_SHARE = 0.6
EXTEND_ROWS = 8_192  # compared in 1 ms; each step takes about a second
RETRAIN_GROWTH = 4
ALIKE = 2  # a segment that is at most so many times as large is merged
METRIC = "cosine"
BITS = 1


class TrainingTask(Struct, frozen=True):
    """What an index is trained on: a version of the table, and its fragments with vectors."""

    uri: str
    version: int
    partitions: int
    fragments: dict[int, tuple[str, ...]]  # the files that make up each
    options: dict[str, str] | None = None  # of the object store


def exists(dataset: Any) -> bool:
    return any(index.name == NAME for index in dataset.describe_indices())


def indexed_fragments(dataset: Any) -> frozenset[int] | None:
    """The fragments whose vectors are all in the index; None if there is no index."""
    for index in dataset.describe_indices():
        if index.name == NAME:
            return frozenset(one for segment in index.segments for one in segment.fragment_ids)
    return None


def searched_fragments(dataset: Any) -> frozenset[int] | None:
    """The fragments that a search of the index finds, also with a filter; None without an index.

    Such a search reads no row that is missing in the index of a filter's column, and a fragment may
    be missing there until the next maintenance step.
    """
    found, covered = indexed_fragments(dataset), fragments_with_all(dataset)
    return found if found is None or covered is None else found & covered


def files_by_fragment(dataset: Any) -> dict[int, tuple[str, ...]]:
    """The files of each fragment. A fragment with other files has other content."""
    return {
        part.fragment_id: tuple(file.path for file in part.metadata.files)
        for part in dataset.get_fragments()
    }


def plan_training(
    dataset: Any, count_vectors: Callable[[], Mapping[int, int]]
) -> TrainingTask | None:
    """What to train an index on, if the table is large enough for a first or a better one.
    `count_vectors`: by fragment. It is called for a large table only: it may read much."""
    dimensions = dimensions_of(dataset.schema)
    if dataset.count_rows() * dimensions < WORTHWHILE_FLOATS:
        return None
    counted = count_vectors()
    vectors = sum(counted.values())
    if vectors * dimensions < FIRST_SHARE * WORTHWHILE_FLOATS:
        return None
    if exists(dataset):
        # Count partitions, not rows: a segment can have lost all its fragments.
        stats = dataset.stats.index_stats(NAME)["indices"]
        parts = max((one.get("num_partitions", 0) for one in stats), default=0)
        if vectors < RETRAIN_GROWTH * (2 * parts) ** 2:
            return None
    files = files_by_fragment(dataset)
    return TrainingTask(
        dataset.uri,
        dataset.version,
        # The next `plan_training` computes the trained size from this number.
        max(1, round(vectors**0.5 / 2)),
        # Rows without a vector would make it four times as slow.
        {one: files[one] for one, count in counted.items() if count},
        dataset.initial_storage_options,
    )


def train(task: TrainingTask) -> Any:
    """Build the index without publishing it. It takes long, so run it in a separate thread."""
    dataset = libraries.lance().dataset(
        task.uri, version=task.version, storage_options=task.options
    )
    return dataset.create_index_uncommitted(
        VECTOR,
        "IVF_RQ",
        name=NAME,
        metric=METRIC,
        replace=True,
        num_partitions=task.partitions,
        num_bits=BITS,
        fragment_ids=list(task.fragments),
    )


def adopt(dataset: Any, task: TrainingTask, built: Any) -> Any | None:
    """Publish a finished index for the fragments that have not changed since it was trained."""
    present = files_by_fragment(dataset)
    same = {part for part, files in task.fragments.items() if present.get(part) == files}
    if not same:
        return None
    trimmed = dataclasses.replace(built, fragment_ids=same)
    if (indexed_fragments(dataset) or frozenset()) - same:
        # lance refuses an index with fewer fragments than the one that it replaces. Between the two
        # commits, a reader on another machine reads all vectors, which is slow and right. After a
        # crash, the index is trained again.
        dataset.drop_index(NAME)
    return dataset.commit_existing_index_segments(NAME, VECTOR, [trimmed])


def merge_width(segments: Sequence[int], fresh: int) -> int:
    """How many of the last segments are merged with the `fresh` rows. Then each segment is more
    than twice as large as the next: there are few, since a search asks each. Pure."""
    width, size = 0, fresh
    for rows in reversed(segments):
        if rows > ALIKE * size:
            break
        width, size = width + 1, size + rows
    return width


def extend(dataset: Any, count_vectors: Callable[[], Mapping[int, int]]) -> bool:
    """Add new vectors to the index, once there are enough of them."""
    if not exists(dataset):
        return False
    segments, fresh = coverage(dataset, NAME, count_vectors())
    if fresh < EXTEND_ROWS:
        return False
    width = merge_width(segments, fresh)
    dataset.optimize.optimize_indices(num_indices_to_merge=width, index_names=[NAME])
    return True
