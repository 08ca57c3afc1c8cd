"""The index over vectors, for tables so large that comparing with every vector takes too long.

It is trained beside the writer, which goes on meanwhile: what a save or a fill has changed since is
left out of the finished index, and found by comparison until the next extension.
"""

import dataclasses
from typing import Any

from msgspec import Struct

from ragd.store.lance import libraries
from ragd.store.lance.schema import VECTOR, dimensions_of
from ragd.store.lance.table_indexes import coverage, largest_segment, merge_width

NAME = f"{VECTOR}_idx"
WORTHWHILE_FLOATS = 8_000_000  # 21,000 vectors of 384 dimensions: 20 ms flat, 4 ms with the index
EXTEND_ROWS = 1_024
RETRAIN_GROWTH = 4
METRIC = "cosine"
BITS = 1


class TrainingTask(Struct, frozen=True):
    """What an index shall be trained on: the table at a version, fragment by fragment."""

    uri: str
    version: int
    partitions: int
    fragments: dict[int, tuple[str, ...]]  # the files that make up each


def is_there(dataset: Any) -> bool:
    return any(index.name == NAME for index in dataset.describe_indices())


def files_by_fragment(dataset: Any) -> dict[int, tuple[str, ...]]:
    """Which files hold each fragment: another list is another content."""
    return {
        part.fragment_id: tuple(file.path for file in part.metadata.files)
        for part in dataset.get_fragments()
    }


def training(dataset: Any) -> TrainingTask | None:
    """What to train an index on, if the table has become large enough for a (better) one."""
    dimensions = dimensions_of(dataset.schema)
    least = WORTHWHILE_FLOATS // dimensions
    if is_there(dataset):
        segments, _ = coverage(dataset, NAME)
        least = max(least, RETRAIN_GROWTH * max(1, segments[0] if segments else 0))
    if dataset.count_rows() < least:
        return None
    vectors = dataset.count_rows(f"{VECTOR} IS NOT NULL")
    if vectors < least:
        return None
    partitions = max(1, round(vectors**0.5 / 2))
    return TrainingTask(dataset.uri, dataset.version, partitions, files_by_fragment(dataset))


def train(task: TrainingTask) -> Any:
    """Build the index without publishing it. Long: for a thread of its own."""
    dataset = libraries.lance().dataset(task.uri, version=task.version)
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
    """Publish a finished index over those fragments that are still what it was trained on."""
    present = files_by_fragment(dataset)
    same = {part for part, files in task.fragments.items() if present.get(part) == files}
    if not same:
        return None
    trimmed = dataclasses.replace(built, fragment_ids=same)
    return dataset.commit_existing_index_segments(NAME, VECTOR, [trimmed])


def extend(dataset: Any) -> bool:
    """Take vectors that came since into the index, once they are many enough to matter."""
    if not is_there(dataset):
        return False
    segments, fresh = coverage(dataset, NAME)
    if fresh < EXTEND_ROWS:
        return False
    width = merge_width(segments[1:], fresh, largest_segment(sum(segments) + fresh))
    dataset.optimize.optimize_indices(num_indices_to_merge=width, index_names=[NAME])
    return True
