"""Random sequences of operations on the store, compared with a dictionary."""

import random
from pathlib import Path

import pytest

from ragd.store.lance import (
    ChunkIndex,
    FileRows,
    LanceStore,
    maintenance,
    table_indexes,
    vector_index,
    vector_matrix,
    writer,
)
from ragd.store.lance import store as store_module
from tests.store.lance.drafts import defect, identity, missing, note, vector, vectors_of

NOTES = 30


class Walk:
    """A store and what should be in it."""

    def __init__(self, seed: int, index: ChunkIndex, folder: Path) -> None:
        self.source = random.Random(seed)
        self.index = index
        self.folder = folder
        self.files: dict[str, FileRows] = {}
        self.embedded: set[str] = set()
        self.revision = 0

    def draft(self, number: int) -> FileRows:
        self.revision += 1
        path = f"Dir{number % 3}/n{number}.md"
        parts = self.source.choice((1, 2, 5, 40))
        texts = (f"shared r{self.revision} u{number}v{part}" for part in range(parts))
        with_vectors = self.source.random() < 0.3
        tags = (f"#t{number % 4}",)
        return note(path, *texts, tags=tags, vectors=with_vectors)

    async def replace(self) -> None:
        files = [self.draft(n) for n in self.source.sample(range(NOTES), self.source.randint(1, 8))]
        paths = {file.path for file in files}
        gone = [path for path in self.files if path not in paths and self.source.random() < 0.08]
        await self.index.replace(files, gone)
        for path in gone:
            del self.files[path]
        for file in files:
            self.files[file.path] = file
            self.embedded |= set(file.vectors)

    async def fill(self) -> None:
        without = (await missing(self.index))[: self.source.choice((3, 60, 1_000))]
        texts = {c.chunk_id: c.text for file in self.files.values() for c in file.chunks}
        vectors = {chunk_id: vector(texts[chunk_id]) for chunk_id in without}
        assert len((await self.index.fill(vectors)).found) == len(vectors)
        self.embedded |= set(vectors)

    async def maintain(self) -> None:
        await self.index.maintain(keep_s=self.source.choice((0, 600)))

    async def check(self) -> None:
        expected = {
            chunk.chunk_id: (file.path, chunk.text)
            for file in self.files.values()
            for chunk in file.chunks
        }
        rows = [r async for r in self.index.read_rows(["chunk_id", "source_file", "chunk_text"])]
        assert len(rows) == len(expected)
        assert {r["chunk_id"]: (r["source_file"], r["chunk_text"]) for r in rows} == expected
        without = await missing(self.index)
        assert set(without) == set(expected) - self.embedded
        await self.check_legs(len(expected), len(without))

    async def check_legs(self, total: int, missing: int) -> None:
        hits = await self.index.find_by_words("shared", 10_000)
        assert len({hit.chunk_id for hit in hits}) == len(hits) == total
        near = await self.index.find_by_vector(vector("anywhere"), 10_000)
        assert len({hit.chunk_id for hit in near}) == len(near) == total - missing
        for file in self.source.sample(list(self.files.values()), min(5, len(self.files))):
            chunk = self.source.choice(file.chunks)
            word = chunk.text.split()[2]
            assert [h.chunk_id for h in await self.index.find_by_words(word, 5)] == [chunk.chunk_id]
            where = f"source_file = '{file.path}'"
            assert await self.index.count(where) == len(file.chunks)
            assert [r.chunk_text for r in await self.index.read_chunks([chunk.chunk_id])] == [
                chunk.text
            ]
            if chunk.chunk_id in self.embedded:
                (hit,) = await self.index.find_by_vector(vectors_of([file])[chunk.chunk_id], 1)
                assert hit.score == pytest.approx(1.0, abs=1e-3)
        for tag in range(4):
            files = [f for f in self.files.values() if f"#t{tag}" in f.chunks[0].tags]
            wanted = sum(len(file.chunks) for file in files)
            assert await self.index.count(f"array_has(tags, '#t{tag}')") == wanted


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
async def test_the_store_and_a_dictionary_agree(
    folder: Path, store: LanceStore, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """With small limits, so that dozens of rows behave like thousands."""
    for module, name, value in (
        (writer, "FRAGMENT_ROWS", 32),
        (writer, "EXTEND_ROWS", 100),
        (maintenance, "FRAGMENT_ROWS", 32),
        (maintenance, "SMALL_ROWS", 16),
        (maintenance, "COMPACT_ROWS", 128),
        (table_indexes, "SEGMENT_ROWS", 128),
        (vector_index, "WORTHWHILE_FLOATS", 16 * 150),
        (vector_matrix, "MOST_SHORTS", 16 * 150),
        (vector_index, "EXTEND_ROWS", 20),
        (store_module, "REOPEN_AFTER", 5),
    ):
        monkeypatch.setattr(module, name, value)
    index = await store.create(identity())
    walk = Walk(seed, index, folder)
    for _ in range(25):
        step = walk.source.choice((walk.replace, walk.replace, walk.fill, walk.maintain))
        await step()
        await walk.check()
    assert await defect(index) is None
    index.close()
