"""Notes that are near a note: by meaning, by links, and by what both link to; with a real index."""

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import cast

import pytest
from msgspec import structs

from ragd.search.file_check import FileCheck
from ragd.search.related_notes import (
    LINKED_BONUS,
    NEAREST,
    SHARED_BONUS,
    RelatedNote,
    RelatedNotes,
)
from ragd.store.lance import ChunkIndex, FileRows, LanceStore
from ragd.vault.files import FileStat
from tests.search.searched_vault import at_angle
from tests.store.lance.drafts import identity, note

HERE = FileStat(1, 1)


def file(path: str, *cosines: float | None, links: tuple[str, ...] = ()) -> FileRows:
    """A note with a passage for each cosine; None: it has no vector."""
    texts = [f"{path} {number}" for number in range(len(cosines))]
    plain = note(path, *texts, links=links, date="2026-01-02")
    vectors = {
        chunk.chunk_id: at_angle(cosine)
        for chunk, cosine in zip(plain.chunks, cosines, strict=True)
        if cosine is not None
    }
    return structs.replace(plain, vectors=vectors)


class Disk:
    """Files that exist, except for some."""

    def __init__(self, *gone: str, is_away: bool = False) -> None:
        self._gone = gone
        self._is_away = is_away

    async def check(self, paths: Iterable[str]) -> dict[str, FileStat | None] | None:
        if self._is_away:
            return None
        return {path: None if path in self._gone else HERE for path in paths}


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[ChunkIndex]:
    store = LanceStore(tmp_path / "index")
    opened = await store.create(identity())
    yield opened
    opened.close()
    store.close()


async def find(
    index: ChunkIndex,
    path: str = "Own.md",
    most: int = 10,
    disk: Disk | None = None,
    hidden: str = "-",
) -> list[RelatedNote] | None:
    related = RelatedNotes(
        cast(FileCheck, disk or Disk()), lambda path: not path.startswith(hidden)
    )
    return await related.find(index, path, most)


async def paths(index: ChunkIndex, most: int = 10, disk: Disk | None = None) -> list[str]:
    return [one.path for one in await find(index, most=most, disk=disk) or ()]


async def test_the_nearest_notes_come_first_and_the_note_itself_is_not_one(
    index: ChunkIndex,
) -> None:
    await index.replace(
        [file("Own.md", 1.0), file("Far.md", 0.2), file("Near.md", 0.1, 0.9), file("Mid.md", 0.5)]
    )
    found = await find(index)
    assert found is not None
    assert [(one.path, round(one.cosine or 0, 2)) for one in found] == [
        ("Near.md", 0.9),  # by its nearest passage
        ("Mid.md", 0.5),
        ("Far.md", 0.2),
    ]
    best = found[0]
    assert (best.title, best.date, best.why) == ("Near", "2026-01-02", ("near in meaning (0.90)",))
    assert await paths(index, most=2) == ["Near.md", "Mid.md"]


async def test_a_note_that_the_index_lacks_is_told_from_one_without_relations(
    index: ChunkIndex,
) -> None:
    await index.replace([file("Own.md", 1.0)])
    assert await find(index) == []
    assert await find(index, "Absent.md") is None


async def test_links_count_in_both_directions_and_add_to_the_meaning(index: ChunkIndex) -> None:
    await index.replace(
        [
            file("Own.md", 1.0, links=("Target",)),
            file("Near.md", 0.8),
            file("Target.md", 0.75),
            file("Source.md", None, links=("Own",)),
        ]
    )
    found = {one.path: one for one in await find(index) or ()}
    assert list(found) == ["Target.md", "Near.md", "Source.md"]
    assert found["Target.md"].why == ("linked from “Own”", "near in meaning (0.75)")
    assert found["Target.md"].score == pytest.approx(0.75 + LINKED_BONUS, abs=2e-3)
    assert (found["Source.md"].why, found["Source.md"].cosine) == (("links to “Own”",), None)
    assert found["Source.md"].score == LINKED_BONUS


async def test_notes_that_link_to_the_same_note_are_related(index: ChunkIndex) -> None:
    await index.replace(
        [
            file("Own.md", None, links=("Laser", "Lens")),
            file("Other.md", None, None, links=("laser", "Moon", "Lens")),
            file("Third.md", None, links=("Moon",)),
        ]
    )
    found = await find(index)
    assert found is not None
    assert [one.path for one in found] == ["Other.md"]
    assert found[0].why == ("also links to “Laser”", "also links to “Lens”")
    assert found[0].score == SHARED_BONUS


async def test_a_note_without_vectors_and_links_has_no_relations(index: ChunkIndex) -> None:
    await index.replace([file("Own.md", None), file("Near.md", 0.9)])
    assert await find(index) == []


async def test_a_note_with_vectors_of_some_passages_is_compared_by_their_middle(
    index: ChunkIndex,
) -> None:
    await index.replace([file("Own.md", 0.6, None, 0.8), file("Near.md", 0.7), file("Far.md", 0.0)])
    assert (await paths(index))[0] == "Near.md"


async def test_hidden_and_missing_notes_are_replaced_by_the_next_ones(index: ChunkIndex) -> None:
    await index.replace(
        [
            file("Own.md", 1.0),
            *(file(f"{name}.md", cosine) for name, cosine in (("A", 0.9), ("B", 0.8), ("C", 0.7))),
        ]
    )
    assert await paths(index, most=2, disk=Disk("A.md")) == ["B.md", "C.md"]
    hidden = await find(index, most=2, hidden="B")
    assert [one.path for one in hidden or ()] == ["A.md", "C.md"]


async def test_a_note_that_is_gone_or_hidden_has_no_relations(index: ChunkIndex) -> None:
    """The index may still have it for a while."""
    await index.replace([file("Own.md", 1.0, links=("Near",)), file("Near.md", 0.9)])
    assert await find(index, disk=Disk("Own.md")) is None
    assert await find(index, hidden="Own") is None


async def test_a_vault_that_is_away_keeps_its_relations(index: ChunkIndex) -> None:
    await index.replace([file("Own.md", 1.0), file("Near.md", 0.9)])
    assert await paths(index, disk=Disk(is_away=True)) == ["Near.md"]


async def test_a_long_note_does_not_crowd_out_the_others(index: ChunkIndex) -> None:
    """Its own passages are the nearest ones, and are not counted."""
    own = [1.0] * (3 * NEAREST)
    await index.replace([file("Own.md", *own), file("Near.md", 0.5)])
    assert await paths(index) == ["Near.md"]
