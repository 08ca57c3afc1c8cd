"""The vector index, for tables so large that comparing all vectors takes too long.

It is trained while the writer continues. Rows that were changed meanwhile are left out of the new
index, and are found by comparison until the index is extended.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from ragd.store.lance import libraries
from ragd.store.lance.schema import VECTOR, dimensions_of
from ragd.store.lance.table_indexes import coverage, largest_segment, merge_width

NAME = f"{VECTOR}_idx"
WORTHWHILE_FLOATS = 36_000_000  # 94,000 vectors of 384 numbers; fewer are in memory
EXTEND_ROWS = 1_024
RETRAIN_GROWTH = 4
METRIC = "cosine"
BITS = 1


class TrainingTask(Struct, frozen=True):
    """What an index is trained on: a version of the table, and its fragments."""

    uri: str
    version: int
    partitions: int
    fragments: dict[int, tuple[str, ...]]  # the files that make up each
    options: dict[str, str] | None = None  # of the object store


def exists(dataset: Any) -> bool:
    return any(index.name == NAME for index in dataset.describe_indices())


def files_by_fragment(dataset: Any) -> dict[int, tuple[str, ...]]:
    """The files of each fragment. A fragment with other files has other content."""
    return {
        part.fragment_id: tuple(file.path for file in part.metadata.files)
        for part in dataset.get_fragments()
    }


def plan_training(dataset: Any, count_vectors: Callable[[], int]) -> TrainingTask | None:
    """What to train an index on, if the table is large enough for a first or a better one.
    `count_vectors` is called for a large table only: it may read much."""
    dimensions = dimensions_of(dataset.schema)
    least = WORTHWHILE_FLOATS // dimensions
    if exists(dataset):
        segments, _ = coverage(dataset, NAME)
        least = max(least, RETRAIN_GROWTH * max(1, segments[0] if segments else 0))
    if dataset.count_rows() < least:
        return None
    vectors = count_vectors()
    if vectors < least:
        return None
    partitions = max(1, round(vectors**0.5 / 2))
    return TrainingTask(
        dataset.uri,
        dataset.version,
        partitions,
        files_by_fragment(dataset),
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
    return dataset.commit_existing_index_segments(NAME, VECTOR, [trimmed])


def extend(dataset: Any) -> bool:
    """Add new vectors to the index, once there are enough of them."""
    if not exists(dataset):
        return False
    segments, fresh = coverage(dataset, NAME)
    if fresh < EXTEND_ROWS:
        return False
    width = merge_width(segments[1:], fresh, largest_segment(sum(segments) + fresh))
    dataset.optimize.optimize_indices(num_indices_to_merge=width, index_names=[NAME])
    return True
