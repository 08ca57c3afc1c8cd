from pathlib import Path
from typing import Any

import pytest

from ragd.store.lance import ChunkIndex, LanceStore, libraries
from ragd.store.lance.table_indexes import coverage
from tests.store.lance.drafts import bulk, ids, missing, note, vector, vectors_of
from tests.store.lance.lance_files import dataset


async def test_a_filled_chunk_is_found_by_its_vector(index: ChunkIndex) -> None:
    files = bulk(300)
    await index.replace(files)
    assert await index.find_by_vector(vector("x"), 5) == []
    wanted = vectors_of(files)
    filled = await index.fill(wanted)
    assert len(filled.found) == 1_200
    assert filled.version == await index.version()
    for chunk_id in ids(files)[::97]:
        (hit,) = await index.find_by_vector(wanted[chunk_id], 1)
        assert hit.chunk_id == chunk_id and hit.score == pytest.approx(1.0, abs=1e-5)


async def test_a_fill_is_one_commit_across_fragments(index: ChunkIndex) -> None:
    files = bulk(600)
    await index.replace(files)
    before = await index.versions()
    filled = await index.fill(vectors_of(files[::60]))
    assert len(filled.found) == 40
    assert [v for v in await index.versions() if v not in before] == [filled.version]


async def test_a_fill_changes_vectors_and_nothing_else(index: ChunkIndex) -> None:
    files = bulk(50)
    await index.replace(files)
    before = await index.read_chunks(ids(files))
    await index.fill(vectors_of(files[:20]))
    assert await index.read_chunks(ids(files)) == before
    assert len(await missing(index)) == 120


async def test_a_fill_keeps_rows_in_the_full_text_index(index: ChunkIndex, folder: Path) -> None:
    files = bulk(1_100)
    await index.replace(files)  # 4,400 rows: indexed as they come
    assert coverage(dataset(folder)).fresh == 0
    for start in range(0, 1_100, 250):
        await index.fill(vectors_of(files[start : start + 250]))
    assert coverage(dataset(folder)).fresh == 0
    for number in (0, 500, 1_099):
        (hit,) = await index.find_by_words(f"w{number}x2", 3)
        assert hit.chunk_id == files[number].chunks[2].chunk_id
        assert await index.count(f"chunk_id = '{hit.chunk_id}'") == 1


async def test_chunks_that_are_gone_are_not_counted(index: ChunkIndex) -> None:
    old = note("a.md", "one", "two", "three")
    await index.replace([old])
    await index.replace([note("a.md", "one", "other")])
    version = await index.version()
    filled = await index.fill(vectors_of([old]))
    assert (len(filled.found), filled.version) == (1, version + 1)
    assert len((await index.fill({"never-there": vector("x")})).found) == 0
    assert await index.fill({}) == (frozenset(), version + 1, {})


async def test_a_fill_says_which_chunks_were_there_and_counts_the_vectors_of_their_notes(
    index: ChunkIndex,
) -> None:
    old, other = note("a.md", "one", "two", "three"), note("b.md", "four", "five", vectors=True)
    await index.replace([old, other, note("c.md", "six")])
    await index.replace([note("a.md", "one", "other")])
    filled = await index.fill(vectors_of([old]), ["b.md", "c.md"])
    assert filled.found == {old.chunks[0].chunk_id}
    assert filled.embedded == {"a.md": 1, "b.md": 2}


async def test_vectors_are_counted_anew_where_something_has_changed(index: ChunkIndex) -> None:
    files = bulk(600)
    await index.replace(files)
    assert await index.count_vectors() == 0
    await index.fill(vectors_of(files[:20]))
    assert await index.count_vectors() == 80
    await index.replace([], [files[0].path])
    assert await index.count_vectors() == 76
    await index.replace([note("a.md", "one", "two", vectors=True)])
    await index.maintain(0.0)
    assert await index.count_vectors() == await index.count("vector IS NOT NULL") == 78


async def test_filling_twice_is_harmless_and_the_last_vector_stays(index: ChunkIndex) -> None:
    file = note("a.md", "one", "two")
    await index.replace([file])
    first, second = ids([file])
    await index.fill({first: vector("old"), second: vector("two")})
    await index.fill({first: vector("new")})
    (hit,) = await index.find_by_vector(vector("new"), 1)
    assert hit.chunk_id == first and hit.score == pytest.approx(1.0, abs=1e-5)
    assert await missing(index) == []


async def test_a_vector_that_does_not_belong_fills_nothing(index: ChunkIndex) -> None:
    file = note("a.md", "one", "two")
    await index.replace([file])
    first, second = ids([file])
    for wrong in (b"", bytes(60), b"\x00\x00\x80\x7f" * 16):
        with pytest.raises(ValueError, match="vector"):
            await index.fill({first: vector("one"), second: wrong})
    assert len(await missing(index)) == 2


async def test_vectors_that_were_written_and_are_missing_raise(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = note("a.md", "one", "two")
    await index.replace([file])

    def commit_nothing(dataset: Any, operation: Any, **options: Any) -> Any:
        return dataset

    monkeypatch.setattr(libraries.lance().LanceDataset, "commit", commit_nothing)
    with pytest.raises(RuntimeError, match="2 vectors were written and 0 were found"):
        await index.fill(vectors_of([file]))


async def test_fills_survive_a_restart(store: LanceStore, index: ChunkIndex) -> None:
    files = bulk(10)
    await index.replace(files)
    await index.fill(vectors_of(files[:6]))
    index.close()
    again = await store.open("01A")
    assert len(await missing(again)) == 16
    again.close()
