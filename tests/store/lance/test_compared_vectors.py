"""Which vectors of a large table are in memory, and that searches find the others, too."""

from itertools import pairwise
from pathlib import Path

import pytest

from ragd.store.lance import ChunkIndex, scans, vector_index, vector_matrix
from ragd.store.lance.compared_vectors import ComparedVectors, read_compared
from ragd.store.lance.vector_counts import VectorCounts
from ragd.store.lance.writer import TableWriter
from tests.store.lance.drafts import bulk, ids, vector, vectors_of
from tests.store.lance.lance_files import dataset, table_folder

FIT = 600  # vectors in memory
MANY = 500  # notes of four passages: two fragments


@pytest.fixture(autouse=True)
def small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_matrix, "MOST_SHORTS", FIT * 16)
    monkeypatch.setattr(vector_index, "WORTHWHILE_FLOATS", FIT * 16)
    monkeypatch.setattr(vector_index, "EXTEND_ROWS", 200)


def compared(folder: Path) -> ComparedVectors:
    now = dataset(folder)
    return read_compared(now, vector_index.indexed_fragments(now), ComparedVectors())


async def finds(index: ChunkIndex, chunk_id: str, text: str) -> bool:
    hits = await index.find_by_vector(vector(text), 20)
    found = [hit.chunk_id for hit in hits]
    assert len(set(found)) == len(found) == 20
    return found[0] == chunk_id and hits[0].score == pytest.approx(1.0, abs=1e-3)


async def test_few_vectors_of_many_rows_are_all_in_memory(index: ChunkIndex, folder: Path) -> None:
    files = bulk(MANY)
    await index.replace(files)
    assert compared(folder).is_all and compared(folder).bytes == 0
    await index.fill(vectors_of(files[:50]))
    now = compared(folder)
    assert now.is_all and now.matrix is not None and now.matrix.rows == 200
    assert set(now.matrix.contents) == {0}  # the other one is not read: it has no vectors
    assert await finds(index, files[7].chunks[1].chunk_id, files[7].chunks[1].text)


async def test_too_many_vectors_without_an_index_are_read_from_the_disk(
    index: ChunkIndex, folder: Path
) -> None:
    files = bulk(MANY, vectors=True)
    await index.replace(files)
    assert compared(folder).matrix is None
    for file in files[::99]:
        assert await finds(index, file.chunks[2].chunk_id, file.chunks[2].text)


async def test_an_index_is_trained_on_fragments_with_vectors_only(
    index: ChunkIndex, folder: Path
) -> None:
    files = bulk(MANY)
    await index.replace(files)
    writer = TableWriter(table_folder(folder))
    assert writer.plan_training() is None
    await index.fill(vectors_of(files[:100]))  # all in the first of two
    task = TableWriter(table_folder(folder)).plan_training()
    assert task is not None
    assert list(task.fragments) == [0] and len(dataset(folder).get_fragments()) == 2


async def test_what_the_index_does_not_have_is_in_memory_and_both_are_found(
    index: ChunkIndex, folder: Path
) -> None:
    files = bulk(MANY)
    await index.replace(files)
    await index.fill(vectors_of(files[:150]))
    await index.maintain()
    assert vector_index.indexed_fragments(dataset(folder)) == frozenset({0})
    await index.fill(vectors_of(files[300:320]))  # in the second fragment
    now = compared(folder)
    assert not now.is_all and now.matrix is not None and now.matrix.rows == 80
    for file in (files[3], files[140], files[300], files[319]):
        assert await finds(index, file.chunks[1].chunk_id, file.chunks[1].text)
        where = f"source_file = '{file.path}'"
        hits = await index.find_by_vector(vector("x"), 9, where)
        assert {hit.chunk_id for hit in hits} == set(ids([file]))
    await index.replace([], [files[3].path, files[300].path])
    for file in (files[3], files[300]):
        hits = await index.find_by_vector(vector(file.chunks[1].text), 5)
        assert file.path not in {hit.source_file for hit in hits}


async def test_a_filter_finds_what_its_own_index_does_not_have_yet(
    index: ChunkIndex, folder: Path
) -> None:
    """A note may be stored after the other indexes were extended and before the vector index is
    trained. On the way through maintenance, a segment of another index may also be missing."""
    files, late = bulk(MANY, vectors=True), bulk(5, vectors=True, start=9_000)
    await index.replace(files)
    await index.maintain()
    await index.replace(late)
    writer = TableWriter(table_folder(folder))
    writer.dataset.optimize.optimize_indices(
        num_indices_to_merge=0, index_names=[vector_index.NAME]
    )
    await index.move_to(int(dataset(folder).version))
    now = dataset(folder)
    indexed, searched = (
        vector_index.indexed_fragments(now),
        vector_index.searched_fragments(now),
    )
    assert indexed is not None and searched is not None and len(indexed - searched) == 1
    for file in (files[3], late[2]):
        hits = await index.find_by_vector(vector("x"), 9, None, (), [file.path])
        assert {hit.chunk_id for hit in hits} == set(ids([file]))
        assert await finds(index, file.chunks[1].chunk_id, file.chunks[1].text)


async def test_an_index_with_an_empty_segment_is_trained_again_when_it_is_time(
    index: ChunkIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fill of every fragment of a segment leaves it without any."""
    files = bulk(MANY)
    await index.replace(files)
    await index.fill(vectors_of(files[:200] + files[300:480]))
    await index.maintain()
    monkeypatch.setattr(vector_index, "EXTEND_ROWS", 10**9)
    await index.fill(vectors_of(files[200:210] + files[490:]))
    assert vector_index.indexed_fragments(dataset(folder)) == frozenset()
    await index.maintain()
    assert vector_index.indexed_fragments(dataset(folder)) == frozenset({0, 1})
    assert await finds(index, files[205].chunks[1].chunk_id, files[205].chunks[1].text)


async def test_a_vector_that_was_made_again_replaces_the_one_in_the_index(
    index: ChunkIndex, folder: Path
) -> None:
    files = bulk(MANY)
    await index.replace(files)
    await index.fill(vectors_of(files[:150]))
    await index.maintain()
    again = files[20].chunks[0].chunk_id
    await index.fill({again: vector("quite another")})
    assert vector_index.indexed_fragments(dataset(folder)) == frozenset()
    assert await finds(index, again, "quite another")
    (best, *_) = await index.find_by_vector(vector(files[20].chunks[0].text), 5)
    assert best.chunk_id != again
    await index.maintain()
    assert vector_index.indexed_fragments(dataset(folder)) == frozenset({0, 1})
    assert await finds(index, again, "quite another")
    (best, *_) = await index.find_by_vector(vector(files[20].chunks[0].text), 5)
    assert best.chunk_id != again


async def test_a_better_index_may_have_fewer_fragments(index: ChunkIndex, folder: Path) -> None:
    files = bulk(900)  # four fragments
    await index.replace(files)
    await index.fill(vectors_of(files[:150]))
    await index.maintain()
    await index.fill(vectors_of(files[150:220]))
    await index.maintain()
    assert vector_index.indexed_fragments(dataset(folder)) == frozenset({0, 1, 2, 3})
    await index.fill(vectors_of(files[220:600]))  # fourfold; the last fragment has none
    await index.maintain()
    assert vector_index.indexed_fragments(dataset(folder)) == frozenset({0, 1, 2})
    for file in files[:600:99]:
        assert await finds(index, file.chunks[2].chunk_id, file.chunks[2].text)


def test_each_segment_is_more_than_twice_as_large_as_the_next() -> None:
    segments: list[int] = []
    for _ in range(61):
        width = vector_index.merge_width(segments, 8_192)
        rest = len(segments) - width
        segments = [*segments[:rest], 8_192 + sum(segments[rest:])]
        assert all(one > 2 * after for one, after in pairwise(segments))
    assert len(segments) <= 6 and sum(segments) == 61 * 8_192


async def test_a_search_for_more_than_the_nearest_parts_have_finds_everything(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scans, "PARTS", 1)
    files = bulk(MANY, vectors=True)
    await index.replace(files)
    await index.maintain()
    hits = await index.find_by_vector(vector("x"), 4 * MANY)
    assert {hit.chunk_id for hit in hits} == set(ids(files))


async def test_a_table_that_fits_does_not_use_its_index(index: ChunkIndex, folder: Path) -> None:
    files = bulk(MANY, vectors=True)
    await index.replace(files)
    await index.maintain()
    await index.replace([], [file.path for file in files[100:]])
    assert vector_index.exists(dataset(folder))
    now = compared(folder)
    assert now.is_all and now.matrix is not None and now.matrix.rows == 400


async def test_counts_of_vectors_follow_every_change(index: ChunkIndex, folder: Path) -> None:
    files = bulk(MANY)
    await index.replace(files)
    counts = VectorCounts(dataset(folder))
    assert counts.by_fragment == {0: 0, 1: 0}
    await index.fill(vectors_of(files[:10]))
    await index.replace([], [files[0].path])
    counts = VectorCounts(dataset(folder), counts)
    assert counts.by_fragment == {0: 36, 1: 0} and counts.total == 36
    assert VectorCounts(dataset(folder), counts, only={1}).by_fragment == {1: 0}
    await index.replace([], [file.path for file in files])
    assert VectorCounts(dataset(folder), counts).by_fragment == {}
