"""The notes of a version, read from the fragments that changed."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragd.store.lance import ChunkIndex, libraries
from ragd.store.lance.fragments import content_of
from ragd.store.lance.indexed_notes import IndexedNotes, NotesRead, read_notes
from ragd.store.lance.schema import FileRows
from tests.store.lance.drafts import bulk, note, vectors_of

PEAR = note("Garden.md", "The old pear tree.", "It needs to be cut back.")
BREAD = note("Lists/Shopping.md", "Rye bread.")


def read(index: ChunkIndex, earlier: IndexedNotes | None = None) -> NotesRead:
    table = index.folder.table(index.identity.generation)
    return read_notes(libraries.open_dataset(table), earlier)


def counts(found: NotesRead) -> dict[str, tuple[int, int]]:
    paths = {path for one in found.notes.fragments.values() for path in one.paths}
    return found.notes.count(paths)


async def test_all_notes_are_read_the_first_time(index: ChunkIndex) -> None:
    await index.replace([PEAR, BREAD])
    await index.fill(vectors_of([BREAD]))
    found = read(index)
    assert counts(found) == {"Garden.md": (2, 0), "Lists/Shopping.md": (1, 1)}
    assert found.facts["Garden.md"].sha256 == PEAR.sha256
    assert found.changed == {"Garden.md", "Lists/Shopping.md"}


async def test_an_index_without_notes_has_none(index: ChunkIndex) -> None:
    found = read(index)
    assert (counts(found), found.changed, found.notes.collections) == ({}, frozenset(), set())


async def test_later_only_what_has_changed_is_read(index: ChunkIndex, folder: Path) -> None:
    """Proven by the files: those of the fragment that did not change are gone."""
    await index.replace([PEAR])
    first = read(index)
    files = set(folder.rglob("*/data/*.lance"))
    await index.replace([BREAD])
    for path in files:
        path.unlink()
    found = read(index, first.notes)
    assert counts(found) == {"Garden.md": (2, 0), "Lists/Shopping.md": (1, 0)}
    assert found.changed == found.facts.keys() == {"Lists/Shopping.md"}
    with pytest.raises(Exception, match=r"[Nn]ot found"):
        read(index)


async def test_of_a_fragment_that_lost_rows_no_column_is_read(
    index: ChunkIndex, folder: Path
) -> None:
    """Proven by the files: those of the fragment are gone."""
    await index.replace([PEAR, BREAD, note("Kites.md", "The kite festival.")])
    first = read(index)
    files = set(folder.rglob("*/data/*.lance"))
    await index.replace([note("Garden.md", "The old pear tree.")], ["Kites.md"])
    for path in files:
        path.unlink()
    found = read(index, first.notes)
    assert counts(found) == {"Garden.md": (1, 0), "Lists/Shopping.md": (1, 0)}
    assert found.changed == {"Garden.md", "Kites.md"}
    assert found.facts.keys() == {"Garden.md"}


async def test_a_note_that_was_removed_has_changed(index: ChunkIndex) -> None:
    await index.replace([PEAR, BREAD])
    first = read(index)
    await index.replace([], ["Garden.md"])
    found = read(index, first.notes)
    assert "Garden.md" in found.changed
    assert found.notes.count({"Garden.md", "Lists/Shopping.md"}) == {"Lists/Shopping.md": (1, 0)}


async def test_passages_of_a_note_in_several_fragments_are_added_up(index: ChunkIndex) -> None:
    long = note("Long.md", *(f"passage {number}" for number in range(2_000)))
    await index.replace([PEAR, long, BREAD])
    await index.fill(vectors_of([note("Long.md", "passage 0")]))
    found = read(index)
    assert len(found.notes.fragments) == 2
    assert found.notes.count({"Long.md", "gone"}) == {"Long.md": (2_000, 1)}


class CountedPaths(frozenset[str]):
    """Paths that know how often one of them was looked at."""

    steps = 0

    def __iter__(self) -> Iterator[str]:
        for path in super().__iter__():
            self.steps += 1
            yield path

    def __contains__(self, path: object) -> bool:
        self.steps += 1
        return super().__contains__(path)


async def test_the_passages_of_all_notes_are_counted_in_one_pass(index: ChunkIndex) -> None:
    files = bulk(900, vectors=True)
    await index.replace(files)
    found = read(index)
    assert len(found.notes.fragments) == 4
    paths = CountedPaths(file.path for file in files)
    assert found.notes.count(paths) == {file.path: (4, 4) for file in files}
    assert paths.steps <= len(files) + 4  # notes at the edge of two fragments are asked twice


async def test_collections_come_and_go(index: ChunkIndex) -> None:
    await index.replace([PEAR, note("@papers/b.md", "Two.", collection="papers")])
    first = read(index)
    assert first.notes.collections == {"papers"}
    await index.replace([note("@diary/c.md", "Three.", collection="diary")], ["@papers/b.md"])
    assert read(index, first.notes).notes.collections == {"diary"}


@pytest.mark.parametrize("seed", range(3))
async def test_after_any_changes_it_is_as_if_all_were_read(index: ChunkIndex, seed: int) -> None:
    source, notes = random.Random(seed), dict[str, FileRows]()
    earlier = read(index)
    for step in range(25):
        before = counts(earlier)
        paths = [f"n{source.randrange(9)}.md" for _ in range(source.randint(1, 3))]
        files = [
            note(path, *(f"{step} {number}" for number in range(source.randint(1, 4))))
            for path in set(paths)
        ]
        match source.randrange(5):
            case 0 if notes:
                gone = source.choice(sorted(notes))
                await index.replace([], [gone])
                del notes[gone]
            case 1 if notes:
                await index.fill(vectors_of([notes[source.choice(sorted(notes))]]))
            case 2:
                await index.maintain(0.0)
            case _:
                await index.replace(files)
                notes |= {one.path: one for one in files}
        if source.random() < 0.3:
            continue  # a reader does not see every version
        found, whole = read(index, earlier.notes), read(index)
        assert counts(found) == counts(whole)
        assert found.notes.collections == whole.notes.collections
        after = counts(found)
        moved = {
            path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
        }
        assert moved <= found.changed
        assert all(found.facts[path] == whole.facts[path] for path in found.facts)
        earlier = found


async def test_after_a_restore_the_last_rows_are_there_again(index: ChunkIndex) -> None:
    """They were deleted when the fragment was read, so that their places are not known."""
    await index.replace([note(f"n{number}.md", f"text {number}") for number in range(10)])
    good = await index.version()
    await index.replace([], ["n8.md", "n9.md"])
    seen = read(index)
    table = libraries.open_dataset(index.folder.table(index.identity.generation))
    table.checkout_version(good).restore()
    table.checkout_latest()
    table.delete("source_file IN ('n0.md', 'n1.md', 'n2.md')")
    found = read(index, seen.notes)
    assert counts(found) == counts(read(index))
    assert {"n8.md", "n9.md"} <= found.changed


@pytest.mark.parametrize("then", [["Kites.md"], ["Kites.md", "Lists/Shopping.md"]])
async def test_after_a_restore_deleted_rows_are_there_again(
    index: ChunkIndex, then: list[str]
) -> None:
    """A reader may have seen a version that a new writer took back. The next one may have the same
    files and as many deleted rows, but others."""
    await index.replace([PEAR, BREAD, note("Kites.md", "The kite festival.")])
    good = await index.version()
    await index.replace([], ["Lists/Shopping.md"])
    seen = read(index)
    table = libraries.open_dataset(index.folder.table(index.identity.generation))
    table.checkout_version(good).restore()
    table.checkout_latest()
    table.delete(f"source_file IN ({', '.join(repr(path) for path in then)})")
    found = read(index, seen.notes)
    assert counts(found) == counts(read(index))
    assert "Kites.md" in found.changed


def test_the_content_of_a_fragment_names_its_deleted_rows(tmp_path: Path) -> None:
    arrow = libraries.pyarrow()
    path = tmp_path / "t.lance"
    table = libraries.lance().write_dataset(arrow.table({"a": [1, 2, 3]}), path)
    table.delete("a = 1")
    (one,) = libraries.lance().dataset(path).get_fragments()
    table.checkout_version(1).restore()
    again = libraries.lance().dataset(path)
    again.delete("a = 2")
    (other,) = libraries.lance().dataset(path).get_fragments()
    assert content_of(one)[:2] == content_of(other)[:2]
    assert content_of(one) != content_of(other)
