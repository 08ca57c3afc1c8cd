"""What is cached for one version of the table; it is never used for another."""

import asyncio
import gc
import math
from typing import Any

import pytest

from ragd.embed.providers.embedder_port import unpack
from ragd.runtime.garbage_collection import collector_paused
from ragd.store.lance import ChunkHit, ChunkIndex, one_of, packed_rows, table_version, vector_matrix
from tests.store.lance.drafts import bulk, note, vector


async def test_what_is_kept_is_of_the_version_that_is_searched(index: ChunkIndex) -> None:
    await index.replace([note("a.md", "river one"), note("b.md", "river two")])
    for _ in range(2):
        hits = await index.find_by_words("river", 5)
        assert sorted(hit.text for hit in hits) == ["river one", "river two"]
    await index.replace([note("a.md", "river three")], ["b.md"])
    (hit,) = await index.find_by_words("river", 5)
    assert hit.text == "river three"
    (row,) = await index.read_chunks([hit.chunk_id])
    assert row.chunk_text == "river three"


async def test_memory_of_an_earlier_version_is_freed_without_the_garbage_collector(
    index: ChunkIndex,
) -> None:
    await index.replace(bulk(5, vectors=True))
    earlier = _versions_in_memory()  # also those of other tests
    with collector_paused():
        for number in range(3):
            await index.find_by_vector(vector("any"), 5)
            await index.replace([note("a.md", f"river {number}")])
        async with asyncio.timeout(10):
            while _count_versions_except(earlier) > 1:  # a thread that read may be about to end
                await asyncio.sleep(0)


def _versions_in_memory() -> list[table_version.TableVersion]:
    return [one for one in gc.get_objects() if isinstance(one, table_version.TableVersion)]


def _count_versions_except(earlier: list[table_version.TableVersion]) -> int:
    return sum(all(one is not old for old in earlier) for one in _versions_in_memory())


async def test_a_filled_vector_is_seen_in_rows_that_were_kept(index: ChunkIndex) -> None:
    file = note("a.md", "river one")
    await index.replace([file])
    assert [hit.vector for hit in await index.find_by_words("river", 5)] == [None]
    await index.fill({file.chunks[0].chunk_id: vector("river one")})
    assert [hit.vector for hit in await index.find_by_words("river", 5)] == [vector("river one")]


async def test_rows_are_right_however_few_are_kept(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_version, "HITS", 3)
    monkeypatch.setattr(table_version, "LIGHT_HITS", 3)
    monkeypatch.setattr(table_version, "ROWS", 1)
    make_hit, made = table_version.hit, 0

    def count_made(row: dict[str, Any]) -> ChunkHit:
        nonlocal made
        made += 1
        return make_hit(row)

    monkeypatch.setattr(table_version, "hit", count_made)
    files = bulk(40)
    await index.replace(files)
    texts = {chunk.chunk_id: chunk.text for file in files for chunk in file.chunks}
    for not_kept in (30, 27, 27):
        made = 0
        hits = await index.find_by_words("common", 30)
        assert made == not_kept
        assert len(hits) == 30 and all(texts[hit.chunk_id] == hit.text for hit in hits)
        wanted = [hit.chunk_id for hit in reversed(hits)]
        rows = await index.read_chunks([*wanted, "not there"])
        assert [row.chunk_id for row in rows] == wanted
        assert all(texts[row.chunk_id] == row.chunk_text for row in rows)


async def test_more_hits_are_kept_if_their_vectors_are_in_memory_anyway(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_version, "HITS", 3)
    await index.replace(bulk(40, vectors=True))
    await index.find_by_vector(vector("any"), 1)
    (first,) = await index.find_by_words("common", 1)
    (again,) = await index.find_by_words("common", 1)
    assert isinstance(first.vector, memoryview)
    assert first.vector is again.vector
    for _ in range(2):
        hits = await index.find_by_words("common", 30)
    assert all(
        one.vector is other.vector
        for one, other in zip(hits, await index.find_by_words("common", 30), strict=True)
    )


async def test_searches_beside_writes_see_whole_rows(index: ChunkIndex) -> None:
    """Row ids of one version are never looked up in another."""
    await index.replace([note(f"{n}.md", f"river {n} round 0") for n in range(8)])
    done = asyncio.Event()

    async def write() -> None:
        for turn in range(1, 12):
            await index.replace([note(f"{n}.md", f"river {n} round {turn}") for n in range(8)])
            await index.maintain()
        done.set()

    async def search() -> None:
        while not done.is_set():
            hits = await index.find_by_words("river", 20)
            rounds = {hit.text.rpartition(" ")[2] for hit in hits}
            assert len(hits) == 8 and len(rounds) == 1
            assert all(hit.text.split()[1] == hit.source_file.removesuffix(".md") for hit in hits)

    async with asyncio.TaskGroup() as group:
        group.create_task(write())
        group.create_task(search())


@pytest.mark.parametrize("packed", [0, 50_000])
async def test_links_are_the_same_in_tables_of_any_size(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch, packed: int
) -> None:
    monkeypatch.setattr(packed_rows, "MOST_ROWS", packed)
    await index.replace(
        [
            note("a.md", "one", "two", links=("b", "folder/c")),
            note("b.md", "three"),
            note("folder/c.md", "four", links=("a",)),
        ]
    )
    for _ in range(2):
        assert [row.source_file for row in await index.read_links(["a.md", "b.md"])] == [
            *["a.md"] * 2
        ]
        assert [row.source_file for row in await index.find_linking_to(["b"])] == [*["a.md"] * 2]
        assert [row.source_file for row in await index.find_by_names(["folder/c"])] == [
            "folder/c.md"
        ]
    await index.replace([note("a.md", "one", links=("d",))])
    assert [row.links for row in await index.read_links(["a.md"])] == [["d"]]
    assert await index.find_linking_to(["b"]) == []


@pytest.mark.parametrize("exact, small", [(0, 0), (0, 40_000_000), (10_000_000, 40_000_000)])
async def test_the_nearest_are_the_same_with_vectors_in_memory(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch, exact: int, small: int
) -> None:
    monkeypatch.setattr(vector_matrix, "MOST_FLOATS", exact)
    monkeypatch.setattr(vector_matrix, "MOST_SHORTS", small)
    files = bulk(60, vectors=True)
    await index.replace([*files, note("bare.md", "without a vector")])
    vectors = {one: made for file in files for one, made in file.vectors.items()}
    asked = vector("asked")
    alike = {one: _cosine(asked, made) for one, made in vectors.items()}
    best = sorted(alike, key=lambda one: -alike[one])
    hits = await index.find_by_vector(asked, 10)
    assert [hit.chunk_id for hit in hits] == best[:10]
    assert [hit.score for hit in hits] == pytest.approx([alike[one] for one in best[:10]], abs=1e-4)
    paths = [file.path for file in files[:5]]
    within = {chunk.chunk_id for file in files[:5] for chunk in file.chunks}
    some = await index.find_by_vector(asked, 3, one_of("source_file", paths))
    assert [hit.chunk_id for hit in some] == [one for one in best if one in within][:3]
    assert await index.find_by_vector(asked, 3, "FALSE") == []
    await index.replace([], [file.path for file in files[1:]])
    assert {hit.source_file for hit in await index.find_by_vector(asked, 10)} == {files[0].path}


def _cosine(left: bytes, right: bytes) -> float:
    one, other = unpack(left), unpack(right)
    return (
        sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)
    )
