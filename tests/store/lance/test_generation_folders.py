import shutil
import stat
from pathlib import Path

import pytest

from ragd.errors import RagdError
from ragd.store import lance as lance_store
from ragd.store.lance import ChunkIndex, LanceStore, table_indexes
from tests.store.lance.drafts import bulk, identity, note


async def test_a_new_generation_is_empty_incomplete_and_knows_what_it_is(
    store: LanceStore, index: ChunkIndex
) -> None:
    (found,) = await store.list_generations()
    assert found.identity == identity() == index.identity
    assert (found.name, found.complete, found.rows) == ("01A", False, 0)
    assert await store.newest_whole(identity().vault) is None


async def test_the_identity_survives_a_restart_with_its_canary(folder: Path) -> None:
    store = LanceStore(folder)
    (await store.create(identity("01B", canary=b"\x00\x01\xff"))).close()
    store.close()
    again = LanceStore(folder)
    opened = await again.open("01B")
    assert opened.identity == identity("01B", canary=b"\x00\x01\xff")
    opened.close()
    again.close()


async def test_the_newest_complete_generation_serves_without_a_log(store: LanceStore) -> None:
    for name, complete in (("01A", True), ("01B", True), ("01C", False)):
        index = await store.create(identity(name))
        await index.replace(bulk(2))
        if complete:
            await index.mark_complete()
        index.close()
    found = await store.newest_whole(identity().vault)
    assert found is not None
    assert (found.name, found.rows) == ("01B", 8)
    assert await store.newest_whole("another vault") is None
    older = await store.newest_whole(identity().vault, without={"01B"})
    assert older is not None
    assert older.name == "01A"
    assert [known.name for known in await store.list_generations()] == ["01A", "01B", "01C"]


async def test_a_damaged_generation_does_not_serve_though_its_rows_can_be_counted(
    store: LanceStore, folder: Path
) -> None:
    for name in ("01A", "01B"):
        index = await store.create(identity(name))
        await index.replace(bulk(2))
        await index.mark_complete()
        index.close()
    shutil.rmtree(folder / "01B" / "obsidian_chunks.lance" / "_indices")
    found = await store.newest_whole(identity().vault)
    assert found is not None
    assert found.name == "01A"


async def test_complete_stays_complete_through_every_kind_of_commit(
    store: LanceStore, index: ChunkIndex
) -> None:
    await index.mark_complete()
    files = bulk(3)
    await index.replace(files)
    await index.fill({files[0].chunks[0].chunk_id: bytes(4 * 15) + b"\x00\x00\x80\x3f"})
    await index.replace([], [files[0].path])
    await index.maintain(keep_s=0)
    (found,) = await store.list_generations()
    assert found.complete and found.identity == identity()


async def test_a_generation_cannot_be_made_twice(store: LanceStore, index: ChunkIndex) -> None:
    with pytest.raises(FileExistsError):
        await store.create(identity())


async def test_a_dropped_generation_leaves_nothing(
    store: LanceStore, index: ChunkIndex, folder: Path
) -> None:
    await index.replace(bulk(2))
    index.close()
    await store.drop("01A")
    await store.drop("01A")
    assert list(folder.iterdir()) == []
    with pytest.raises(RagdError) as refused:
        await store.open("01A")
    assert refused.value.code == "INDEX_NOT_FOUND"


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", ".tmp-x", "/etc", "a\x00", "x" * 65])
async def test_only_a_generations_name_is_taken_for_one(store: LanceStore, name: str) -> None:
    for call in (store.drop, store.open):
        with pytest.raises(ValueError, match="generation"):
            await call(name)


async def test_the_sweep_removes_debris_and_nothing_else(
    store: LanceStore, index: ChunkIndex, folder: Path
) -> None:
    await index.replace(bulk(2))
    table = folder / "01A" / "obsidian_chunks.lance"
    kept = sorted(path for path in folder.rglob("*") if path.is_file())
    (folder / ".tmp-01B" / "obsidian_chunks.lance").mkdir(parents=True)
    (folder / ".tmp-dropped-01C").mkdir()
    (table / "_versions" / "18446744073709551606.manifest#1").write_bytes(b"x")
    (table / "data" / ".tmpAbCdEf").write_bytes(b"x")
    assert await store.remove_temporary_files() == 4
    assert sorted(path for path in folder.rglob("*") if path.is_file()) == kept
    assert await store.remove_temporary_files() == 0
    assert await index.count() == 8


async def test_a_generation_that_was_never_finished_is_not_seen(
    store: LanceStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(dataset: object) -> None:
        raise OSError("killed")

    monkeypatch.setattr(table_indexes, "create_all", fail)
    with pytest.raises(OSError, match="killed"):
        await store.create(identity())
    assert await store.list_generations() == []
    assert await store.remove_temporary_files() == 1
    monkeypatch.undo()
    (await store.create(identity())).close()


async def test_a_table_of_another_program_is_refused(
    store: LanceStore, index: ChunkIndex, folder: Path
) -> None:
    index.close()
    (folder / "01A").rename(folder / "01X")
    (found,) = await store.list_generations()
    assert (found.name, found.identity) == ("01X", None)
    with pytest.raises(RagdError) as refused:
        await store.open("01X")
    assert refused.value.code == "INDEX_CORRUPTED"


async def test_no_other_user_can_enter_the_folder(index: ChunkIndex, folder: Path) -> None:
    for path in (folder, folder / "01A"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


async def test_without_a_folder_there_is_no_generation(store: LanceStore, folder: Path) -> None:
    assert await store.list_generations() == []
    assert await store.remove_temporary_files() == 0
    assert lance_store.probe(folder) == "INDEX_NOT_FOUND"


@pytest.mark.parametrize("name", ["db_x", "hash#1 100%", "it's ü 日本", "q?x=1&y"])
async def test_the_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    store = LanceStore(tmp_path / name)
    index = await store.create(identity())
    await index.replace([note("a.md", "some text")])
    assert [hit.source_file for hit in await index.find_by_words("text", 5)] == ["a.md"]
    index.close()
    store.close()
