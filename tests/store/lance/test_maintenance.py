import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragd.store.lance import ChunkIndex, LanceStore, maintenance
from ragd.store.lance import store as store_module
from ragd.store.lance.maintenance import KEEP_S
from ragd.store.lance.pinned_table import PinnedTable
from ragd.store.lance.reader import TableReader
from ragd.store.lance.store import CLEAN_EVERY_S
from ragd.store.lance.writer import TableWriter
from tests.daemon.virtual_clock import VirtualClock
from tests.patience import PATIENCE_S
from tests.store.lance.drafts import bulk, identity, note, vector, vectors_of
from tests.store.lance.lance_files import dataset, files_with, table_folder, words_indexed

SECRET = note(
    "Private/zzsecretfile.md",
    "the word zyzzyvaquux is nowhere else",
    tags=("#tagsecretxyz",),
    section="sectionsecretxyz",
    heading_path="headingsecretxyz",
    vectors=True,
)
TRACES = ("zyzzyvaquux", "zzsecretfile", "tagsecretxyz", "sectionsecretxyz", "headingsecretxyz")


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
async def aging(folder: Path, clock: VirtualClock) -> AsyncIterator[ChunkIndex]:
    """An index whose versions age by the virtual clock."""
    store = LanceStore(folder, clock.monotonic)
    opened = await store.create(identity())
    yield opened
    opened.close()
    store.close()


async def until_done(index: ChunkIndex) -> None:
    while (await index.maintain(keep_s=0)).more:
        pass


async def test_the_text_of_a_deleted_note_leaves_every_file(
    index: ChunkIndex, folder: Path
) -> None:
    others = bulk(300)
    await index.replace([*others[:150], SECRET, *others[150:]])
    await index.maintain(keep_s=0)
    words = words_indexed(dataset(folder))
    assert all(files_with(folder, trace) for trace in TRACES)  # the grep itself works
    await index.replace([], [SECRET.path])
    await until_done(index)
    assert [found for trace in TRACES for found in files_with(folder, trace)] == []
    assert words_indexed(dataset(folder)) < words
    assert await index.count() == 1_200
    assert len(await index.find_by_words("w150x3", 5)) == 1


async def test_the_former_text_of_an_edited_note_leaves_every_file(
    index: ChunkIndex, folder: Path
) -> None:
    await index.replace(bulk(50))
    await index.replace([SECRET])
    await index.maintain(keep_s=0)
    await index.replace([note(SECRET.path, "harmless")])
    await until_done(index)
    gone = [trace for trace in TRACES if trace not in SECRET.path]
    assert [found for trace in gone for found in files_with(folder, trace)] == []
    assert (await index.find_by_words("harmless", 5))[0].source_file == SECRET.path


@pytest.mark.parametrize("large", [False, True], ids=["one of one", "one of several"])
async def test_a_note_that_filled_fragments_of_its_own_leaves_no_trace(
    index: ChunkIndex, folder: Path, large: bool
) -> None:
    """Its fragments are gone at once, but the indexes know its words until they shed them."""
    if large:
        await index.replace(bulk(10))
        await index.maintain(keep_s=0)
    texts = [f"part {number} with zyzzyvaquux{number}" for number in range(1_100)]
    huge = note(SECRET.path, *texts, tags=("#tagsecretxyz",))
    await index.replace([huge, *bulk(30, start=100)])
    await index.maintain(keep_s=0)
    words = words_indexed(dataset(folder))
    assert words > 1_100
    await index.replace([], [huge.path])
    await until_done(index)
    assert [found for trace in TRACES for found in files_with(folder, trace)] == []
    assert words_indexed(dataset(folder)) <= words - 1_100
    assert len(await index.find_by_words("w115x2", 5)) == 1
    assert await index.count("source_file = 'Bulk3/note 115.md'") == 4


async def test_what_a_killed_commit_wrote_leaves_with_the_next_cleaning(
    index: ChunkIndex, folder: Path
) -> None:
    await index.replace(bulk(5))
    import lance

    from ragd.store.lance.schema import arrow_table

    table = dataset(folder)
    lance.fragment.write_fragments(arrow_table([SECRET], table.schema), table)
    assert files_with(folder, "zyzzyvaquux")
    await index.maintain(keep_s=600)
    assert files_with(folder, "zyzzyvaquux") == []


async def test_versions_are_kept_for_a_while_and_then_go(
    aging: ChunkIndex, clock: VirtualClock
) -> None:
    for number in range(5):
        await aging.replace(bulk(1, start=number))
    assert (await aging.maintain()).again_s == pytest.approx(KEEP_S, abs=PATIENCE_S)
    assert len(await aging.versions()) > 5
    clock.advance(KEEP_S)
    assert (await aging.maintain()).again_s is None
    assert await aging.versions() == [await aging.version()]
    assert len(await aging.find_by_words("w3x0", 5)) == 1


async def test_the_next_removal_is_due_when_the_oldest_version_is_old_enough(
    aging: ChunkIndex, clock: VirtualClock
) -> None:
    await aging.maintain(keep_s=0)
    await aging.replace(bulk(1))
    clock.advance(KEEP_S - 10)
    await aging.replace(bulk(1, start=1))
    again_s = (await aging.maintain()).again_s
    assert again_s is not None and again_s <= 10.0


async def test_old_versions_are_removed_at_intervals_and_none_is_forgotten(
    aging: ChunkIndex, clock: VirtualClock
) -> None:
    await aging.maintain(keep_s=0)
    first = await aging.replace(bulk(1))
    clock.advance(1)
    second = await aging.replace(bulk(1, start=1))
    await aging.replace(bulk(1, start=2))
    clock.advance(KEEP_S - 1)
    done = await aging.maintain()
    found = await aging.versions()
    assert first not in found and second in found
    assert done.again_s == CLEAN_EVERY_S
    clock.advance(CLEAN_EVERY_S - 1)
    assert (await aging.maintain()).again_s == 1.0
    assert second in await aging.versions()
    clock.advance(1)
    await aging.maintain()
    assert second not in await aging.versions()


async def test_versions_of_an_earlier_run_are_as_old_as_they_are(
    folder: Path, index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    await index.replace(bulk(1))
    later = time.time() + KEEP_S - 10
    monkeypatch.setattr(time, "time", lambda: later)
    ages = TableWriter(table_folder(folder)).ages.of_old()
    assert list(ages) == (await index.versions())[:-1]
    assert all(KEEP_S - 10 - PATIENCE_S < age < KEEP_S for age in ages.values())
    monkeypatch.setattr(time, "time", lambda: 0.0)  # a clock that was set back
    assert all(age < PATIENCE_S for age in TableWriter(table_folder(folder)).ages.of_old().values())


async def test_with_a_fence_the_text_of_a_deleted_note_leaves_in_time(
    folder: Path, index: ChunkIndex
) -> None:
    """As in an object store: versions that repeat the fence come between."""
    clock = VirtualClock()
    writer = TableWriter(table_folder(folder), clock.monotonic)
    writer.take_over(1)
    writer.replace([*bulk(5), SECRET], [])
    maintenance.remove_old_versions(writer)
    for _ in range(5):  # the pieces that rewrite it
        clock.advance(KEEP_S / 10)
        writer.replace([], [SECRET.path])
        maintenance.compact(writer)
    while files_with(folder, "zyzzyvaquux"):
        seconds = maintenance.seconds_until_removal(writer, KEEP_S)
        assert seconds is not None
        clock.advance(seconds)
        maintenance.remove_old_versions(writer)
    assert clock.monotonic() <= 1.5 * KEEP_S


async def test_a_reader_that_searches_through_maintenance_never_stumbles(
    index: ChunkIndex,
) -> None:
    for number in range(12):
        await index.replace(bulk(2, start=2 * number, vectors=True), [])
        await index.maintain(keep_s=0)
        assert len(await index.find_by_words(f"w{2 * number}x1", 5)) == 1
        assert len(await index.find_by_vector(vector("x"), 5)) == 5
        assert len([row async for row in index.read_rows(["chunk_id"])]) == 8 * (number + 1)


async def test_small_fragments_are_merged_and_large_ones_left_alone(
    index: ChunkIndex, folder: Path
) -> None:
    await index.replace(bulk(512))  # two fragments of 1,024
    large = {part.fragment_id for part in dataset(folder).get_fragments()}
    for number in range(16):
        await index.replace(bulk(1, start=1_000 + number))
    await index.maintain()
    parts = {p.fragment_id: p.metadata.num_rows for p in dataset(folder).get_fragments()}
    assert large <= set(parts)
    assert len(parts) == 3
    assert await index.count() == 2_048 + 64


async def test_fragments_become_larger_once_all_vectors_are_there(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setattr(maintenance, "SETTLED_ROWS", 2 * 1_024)
    files = bulk(600)
    await index.replace(files)
    await until_done(index)
    assert len(dataset(folder).get_fragments()) == 3  # filling a larger one would cost more
    await index.fill(vectors_of(files))
    await until_done(index)
    assert [one.metadata.num_rows for one in dataset(folder).get_fragments()] == [2_400]
    await index.replace([], [files[0].path])
    await until_done(index)
    sizes = [one.metadata.num_rows for one in dataset(folder).get_fragments()]
    assert sum(sizes) == 2_396 and max(sizes) >= 2_048, "it stays large"
    assert not any(one.metadata.num_deletions for one in dataset(folder).get_fragments())
    assert len(await index.find_by_words("w150x3", 5)) == 1


async def test_one_piece_of_work_is_bounded_and_says_that_there_is_more(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setattr(maintenance, "COMPACT_ROWS", 2 * 1_024)
    files = bulk(1_536)  # six fragments
    await index.replace(files)
    await index.maintain()
    await index.replace([], [file.path for file in files[::100]])  # something in each
    pieces = 1
    while (done := await index.maintain()).more:
        assert done.again_s == 0.0
        pieces += 1
    assert 3 <= pieces <= 6
    assert await index.count() == 4 * (1_536 - 16)
    assert sum(p.metadata.num_deletions for p in dataset(folder).get_fragments()) == 0


async def test_maintenance_with_nothing_to_do_changes_nothing(index: ChunkIndex) -> None:
    await index.replace(bulk(20))
    await index.maintain(keep_s=0)
    version = await index.version()
    done = await index.maintain(keep_s=0)
    assert (done.version, done.changed, done.more) == (version, False, False)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="descriptors are counted in /proc")
@pytest.mark.slow
async def test_descriptors_stay_flat(index: ChunkIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "REOPEN_AFTER", 10)
    await index.replace(bulk(50, vectors=True))
    seen = []
    for number in range(60):
        await index.replace(bulk(1, start=number % 50, vectors=True))
        await index.find_by_words("common w7x1", 5)
        await index.find_by_vector(vector(number), 5)
        if number % 2:
            await index.maintain(keep_s=0)
        seen.append(descriptors())
    assert max(seen[30:]) <= 1.5 * max(seen[:30])  # without reopening it would be twice as many


async def test_after_reopening_everything_is_as_before(
    store: LanceStore, index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "REOPEN_AFTER", 1)
    await index.replace(bulk(5, vectors=True))
    await index.maintain()
    assert len(await index.find_by_words("w3x1", 5)) == 1
    await index.replace(bulk(1, start=9))
    assert await index.count() == 24


async def test_reopening_keeps_the_rows_in_memory(index: ChunkIndex, folder: Path) -> None:
    await index.replace(bulk(5, vectors=True))
    table = PinnedTable(folder / "01A")
    await table.open()
    assert table.bytes_in_memory == 0
    await TableReader(table).find_by_vector(vector("x"), 5)
    before = table.now, table.bytes_in_memory
    assert before[1] > 0
    await table.reopen()
    assert table.now is not before[0] and table.bytes_in_memory == before[1]


async def test_a_table_that_is_closed_while_it_is_reopened_stays_closed(
    index: ChunkIndex, folder: Path
) -> None:
    table = PinnedTable(folder / "01A")
    await table.open()
    reopening = asyncio.create_task(table.reopen())
    await asyncio.sleep(0)  # it has begun to wait for the thread
    table.close()
    await reopening
    with pytest.raises(RuntimeError, match="closed"):
        _ = table.now
