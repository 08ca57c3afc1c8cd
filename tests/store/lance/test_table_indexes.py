import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.store.lance import ChunkIndex, vector_index, vector_matrix
from ragd.store.lance.table_indexes import FAN, SEGMENT_ROWS, coverage, largest_segment, merge_width
from tests.patience import PATIENCE_S
from tests.store.lance.drafts import bulk, ids, note, vector, vectors_of
from tests.store.lance.lance_files import dataset


@given(st.lists(st.integers(1, 5_000), max_size=400))
def test_segments_stay_few_and_none_grows_beyond_the_limit(additions: list[int]) -> None:
    segments: list[int] = []
    for fresh in additions:
        largest = largest_segment(sum(segments) + fresh)
        width = merge_width(segments, fresh, largest)
        merged = fresh + sum(segments[len(segments) - width :])
        assert width == 0 or merged <= largest
        segments = [*segments[: len(segments) - width], merged]
    assert sum(segments) == sum(additions)
    # At most three of a size before the fourth comes, in sizes from one row to the largest.
    assert len(segments) <= 3 * 20 + sum(segments) // (SEGMENT_ROWS // FAN)


def test_equal_additions_count_in_fours() -> None:
    segments: list[int] = []
    sizes = []
    for _ in range(64):
        width = merge_width(segments, 5, SEGMENT_ROWS)
        segments = [
            *segments[: len(segments) - width],
            5 + sum(segments[len(segments) - width :]),
        ]
        sizes.append(len(segments))
    assert max(sizes) <= 9
    assert sum(segments) == 320


def test_a_small_addition_never_rewrites_a_large_segment() -> None:
    assert merge_width([30_000, 20_000, 4_000, 4_000, 4_000], 5, SEGMENT_ROWS) == 0
    assert merge_width([4_096, 4_096, 4_096], 4_096, SEGMENT_ROWS) == 3
    assert merge_width([16_384, 16_384, 16_384], 16_384, 32_768) == 1  # as many as fit
    assert merge_width([32_768, 32_768, 32_768], 16_384, 32_768) == 0
    assert merge_width([16_384, 16_384, 16_384], 16_384, largest_segment(600_000)) == 3
    assert merge_width([], 7, SEGMENT_ROWS) == 0


def test_a_first_index_of_a_large_table_leaves_few_segments() -> None:
    """A first index of 500,000 rows adds steps of these two sizes in turns. They became 47
    segments, because all that were similar did not fit into one."""
    segments: list[int] = []
    for fresh in [3_290, 16_430] * 25:
        width = merge_width(segments, fresh, largest_segment(sum(segments) + fresh))
        rest = len(segments) - width
        segments = [*segments[:rest], fresh + sum(segments[rest:])]
    assert len(segments) <= 16


async def test_many_saves_leave_few_segments_and_all_rows_in_the_index(
    index: ChunkIndex, folder: Path
) -> None:
    for number in range(30):
        await index.replace(bulk(1, start=number))
        await index.maintain()
    covered = coverage(dataset(folder))
    assert covered.fresh == 0
    assert len(covered.segments) <= 9
    assert sum(covered.segments) == 120
    for number in (0, 15, 29):
        assert len(await index.find_by_words(f"w{number}x1", 5)) == 1
        assert await index.count(f"source_file = 'Bulk{number % 7}/note {number}.md'") == 4


@pytest.fixture
def small_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vector index for 600 rows or more, from 360 vectors on."""
    monkeypatch.setattr(vector_index, "WORTHWHILE_FLOATS", 600 * 16)
    monkeypatch.setattr(vector_matrix, "MOST_SHORTS", 600 * 16)
    monkeypatch.setattr(vector_index, "EXTEND_ROWS", 64)


async def test_below_the_threshold_there_is_no_vector_index(
    index: ChunkIndex, small_threshold: None, folder: Path
) -> None:
    await index.replace(bulk(149, vectors=True))  # 596 rows
    await index.maintain()
    assert not vector_index.exists(dataset(folder))
    await index.replace(bulk(160))  # 640 rows
    await index.fill(vectors_of(bulk(80)))  # 320 vectors
    await index.maintain()
    assert not vector_index.exists(dataset(folder))


async def test_above_it_every_vector_is_still_found_under_any_filter(
    index: ChunkIndex, small_threshold: None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = bulk(400, vectors=True)
    await index.replace(files)
    assert (await index.maintain()).changed
    assert vector_index.exists(dataset(folder))
    monkeypatch.setattr(vector_matrix, "MOST_SHORTS", 0)  # searches must use the index
    assert not (await index.maintain()).changed
    for file in files[::57]:
        where = f"source_file = '{file.path}'"
        hits = await index.find_by_vector(vector("somewhere else"), 10, where)
        assert {hit.chunk_id for hit in hits} == set(ids([file]))
    for chunk_id in ids(files)[::101]:
        (hit,) = await index.find_by_vector(vectors_of(files)[chunk_id], 1)
        assert hit.chunk_id == chunk_id and hit.score == pytest.approx(1.0, abs=1e-3)


async def test_what_comes_after_the_training_is_found_and_taken_in(
    index: ChunkIndex, small_threshold: None, folder: Path
) -> None:
    files = bulk(200, vectors=True)
    await index.replace(files)
    await index.maintain()
    later = bulk(50, start=500)
    await index.replace(later, [files[0].path])
    half = dict(list(vectors_of(later).items())[:100])
    await index.fill(half)
    await index.maintain()
    await index.fill(vectors_of(later))
    for _ in range(2):
        for file in (later[0], later[24], later[49]):
            hits = await index.find_by_vector(vector(file.chunks[1].text), 20)
            assert hits[0].chunk_id == file.chunks[1].chunk_id
            assert len({hit.chunk_id for hit in hits}) == len(hits)
        gone = await index.find_by_vector(vector(files[0].chunks[0].text), 5)
        assert files[0].chunks[0].chunk_id not in {hit.chunk_id for hit in gone}
        await index.maintain()
    assert coverage(dataset(folder), vector_index.NAME).fresh < 64


async def test_saves_and_fills_go_on_while_an_index_is_trained(
    index: ChunkIndex, small_threshold: None, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    files = bulk(600)  # three fragments
    await index.replace(files)
    await index.fill(vectors_of(files[:580]))
    started, go_on = threading.Event(), threading.Event()
    real = vector_index.train

    def held(task: vector_index.TrainingTask) -> Any:
        built = real(task)
        started.set()
        assert go_on.wait(PATIENCE_S)
        return built

    monkeypatch.setattr(vector_index, "train", held)
    async with asyncio.TaskGroup() as group:
        maintaining = group.create_task(index.maintain())
        await asyncio.to_thread(started.wait, PATIENCE_S)
        await index.fill(vectors_of(files[580:]))
        saved = note("saved.md", "saved meanwhile", vectors=True)
        await index.replace([saved], [files[3].path])
        go_on.set()
    assert maintaining.result().changed
    assert vector_index.exists(dataset(folder))
    for file in (files[0], files[585], files[599], saved):
        for one in file.chunks:
            (hit,) = await index.find_by_vector(vector(one.text), 1)
            assert hit.chunk_id == one.chunk_id
    (hit,) = await index.find_by_vector(vector(files[3].chunks[0].text), 1)
    assert hit.chunk_id not in ids([files[3]])


async def test_a_table_that_has_grown_fourfold_gets_a_better_index(
    index: ChunkIndex, small_threshold: None, folder: Path
) -> None:
    await index.replace(bulk(200, vectors=True))
    await index.maintain()
    await index.replace(bulk(800, vectors=True, start=1_000))
    await index.maintain()
    assert len(coverage(dataset(folder), vector_index.NAME).segments) == 1
    assert not (await index.maintain()).changed
