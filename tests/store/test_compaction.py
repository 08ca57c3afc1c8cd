"""The text of a deleted note leaves every file in time, whatever else happens."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from ragd.errors import RagdError
from ragd.state.ledger import Ledger
from ragd.store import STORE_WRITER
from ragd.store.compaction import COMPACT_AFTER_S, FAILURES_FOR_DAMAGE, RETRY_S, Compactor
from ragd.store.index_damage import IndexDamage
from ragd.store.lance import ChunkIndex, LanceStore
from ragd.store.lance.maintenance import KEEP_S
from ragd.store.open_indexes import OpenIndexes
from tests.daemon.virtual_clock import VirtualClock
from tests.eventlog.homes import Home
from tests.patience import PATIENCE_S
from tests.store.lance.drafts import bulk, identity, note
from tests.store.lance.lance_files import files_with

WORD = "zyzzyvaquux"
SECRET = note("Secret.md", f"The word {WORD} is nowhere else.")
PROMISED_S = 900.0
STEP_S = 5.0
TURNS = 10  # of the event loop, until a compactor that was woken has begun to work


class Compacting:
    """A compactor and its indexes, in a time that only passes when a test says so."""

    def __init__(self, ledger: Ledger, folder: Path) -> None:
        self.ledger = ledger
        self.folder = folder
        self.clock = VirtualClock()
        self.store = LanceStore(folder, self.clock.monotonic)
        self.open_indexes = OpenIndexes()
        damage = IndexDamage(ledger, partial(ledger.journal.append, STORE_WRITER))
        self.compactor = Compactor(ledger, self.clock, self.open_indexes, damage)

    async def create(self, generation: str) -> ChunkIndex:
        return await self.store.create(identity(generation))

    async def save(self, index: ChunkIndex, name: str) -> None:
        await index.replace([note(name, f"This is {name}.")])
        self.compactor.wake()

    async def delete_secret(self, index: ChunkIndex) -> None:
        assert self.is_in_files
        await index.replace([], [SECRET.path])
        self.compactor.wake()

    @property
    def is_in_files(self) -> bool:
        return bool(files_with(self.folder, WORD))

    async def pass_time(self, seconds: float) -> None:
        """Let time pass, but not while the compactor works. It must have something to do later."""
        end = self.clock.monotonic() + seconds
        while self.clock.monotonic() < end:
            for _ in range(TURNS):
                await asyncio.sleep(0)
            await self.clock.wait_for_sleepers()
            self.clock.advance(min(STEP_S, end - self.clock.monotonic()))

    async def until_gone(self, since: float) -> None:
        while self.is_in_files:
            assert self.clock.monotonic() - since <= PROMISED_S
            await self.pass_time(STEP_S)


@pytest.fixture
async def compacting(tmp_path: Path) -> AsyncIterator[Compacting]:
    root = tmp_path / "home"
    root.mkdir()
    async with Home(root).ledger() as ledger:
        made = Compacting(ledger, tmp_path / "vectors.lance")
        working = asyncio.create_task(made.compactor.run())
        await made.clock.wait_for_sleepers()
        yield made
        working.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await working
        made.open_indexes.close()
        made.store.close()


@pytest.fixture
async def serving(compacting: Compacting) -> ChunkIndex:
    index = await compacting.create("01A")
    await index.replace([*bulk(20), SECRET])
    compacting.open_indexes.replace(index, None)
    return index


async def test_a_save_shortly_before_old_versions_are_removed_does_not_delay_that(
    compacting: Compacting, serving: ChunkIndex
) -> None:
    await compacting.pass_time(60.0)
    await compacting.delete_secret(serving)
    deleted_at = compacting.clock.monotonic()
    await compacting.pass_time(KEEP_S - 2 * STEP_S)
    await compacting.save(serving, "Late.md")
    await compacting.until_gone(deleted_at)
    assert await serving.count("source_file = 'Late.md'") == 1


async def test_saves_all_the_time_do_not_keep_the_text(
    compacting: Compacting, serving: ChunkIndex
) -> None:
    await compacting.delete_secret(serving)
    deleted_at = compacting.clock.monotonic()
    every_s = 4 * STEP_S
    while compacting.clock.monotonic() - deleted_at < KEEP_S or compacting.is_in_files:
        assert compacting.clock.monotonic() - deleted_at <= PROMISED_S
        await compacting.save(serving, "Diary.md")
        await compacting.pass_time(every_s)


async def test_the_text_leaves_an_index_that_is_being_built(
    compacting: Compacting, serving: ChunkIndex
) -> None:
    """Its vectors may take hours."""
    building = await compacting.create("01B")
    await building.replace([*bulk(20), SECRET])
    compacting.open_indexes.replace(serving, building)
    await compacting.pass_time(60.0)
    deleted_at = compacting.clock.monotonic()
    for index in (building, serving):
        await compacting.delete_secret(index)
    await compacting.pass_time(KEEP_S / 2)
    await compacting.save(serving, "Late.md")
    await compacting.until_gone(deleted_at)


async def test_an_index_that_was_closed_for_a_while_is_compacted_again(
    compacting: Compacting, serving: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    await compacting.delete_secret(serving)
    deleted_at = compacting.clock.monotonic()
    await compacting.pass_time(KEEP_S / 2)
    await compacting.save(serving, "Late.md")
    await compacting.pass_time(KEEP_S / 4)
    asked = asyncio.Event()

    def list_none() -> list[ChunkIndex]:
        asked.set()
        return []

    monkeypatch.setattr(compacting.open_indexes, "list_open", list_none)
    compacting.open_indexes.replace(None, None)
    await compacting.pass_time(COMPACT_AFTER_S)
    await asyncio.wait_for(asked.wait(), PATIENCE_S)
    monkeypatch.undo()
    compacting.open_indexes.replace(serving, None)
    await compacting.until_gone(deleted_at)


async def test_damage_of_an_index_that_is_being_built_is_not_recorded_as_that_of_the_other(
    compacting: Compacting, serving: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    building = await compacting.create("01B")
    tried = 0

    async def fail() -> None:
        nonlocal tried
        tried += 1
        raise RagdError("INDEX_CORRUPTED")

    monkeypatch.setattr(building, "maintain", fail)
    compacting.open_indexes.replace(serving, building)
    await compacting.pass_time(3 * RETRY_S)
    assert tried >= FAILURES_FOR_DAMAGE
    assert "index" not in compacting.ledger.state.health.lost
    assert compacting.compactor.failures == 0
