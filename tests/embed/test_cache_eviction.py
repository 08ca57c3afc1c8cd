"""When the vectors of texts that are in no index any more are erased."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragd.embed.cache_eviction import FORGET_AFTER_S, CacheEviction
from ragd.embed.embedding_cache import EmbeddingCache
from ragd.events import JobStarted, Mode
from ragd.state.ledger import Ledger
from ragd.store.lance import LanceStore
from ragd.store.open_indexes import OpenIndexes
from tests.daemon.virtual_clock import VirtualClock
from tests.eventlog.homes import Home
from tests.store.lance.drafts import identity, note, vector

SPACE = "a" * 32
KEPT = note("Kept.md", "One.")
KEPT_HASH = KEPT.chunks[0].content_hash


class Evicting:
    def __init__(self, ledger: Ledger, cache: EmbeddingCache, indexes: OpenIndexes) -> None:
        self.ledger = ledger
        self.cache = cache
        self.clock = VirtualClock()
        self.indexes = indexes
        self.eviction = CacheEviction(ledger, self.clock, indexes, cache)

    async def cached(self) -> set[str]:
        return set(await self.cache.get_many(SPACE, [KEPT_HASH, "gone"]))

    async def start_job(self, mode: Mode, *, slow: bool = False) -> None:
        job = JobStarted(job_id="j", mode=mode, files_planned=9, files_removed=0, slow=slow)
        await self.ledger.journal.append("test", job)


@pytest.fixture
async def evicting(tmp_path: Path) -> AsyncIterator[Evicting]:
    """An index has one of the two texts whose vectors are in the cache."""
    root = tmp_path / "home"
    root.mkdir()
    store, indexes = LanceStore(tmp_path / "vectors.lance"), OpenIndexes()
    index = await store.create(identity())
    await index.replace([KEPT])
    indexes.replace(index, None)
    cache = EmbeddingCache(tmp_path / "embeddings.sqlite")
    await cache.put_many(SPACE, {KEPT_HASH: vector(1), "gone": vector(2)})
    async with Home(root).ledger() as ledger:
        yield Evicting(ledger, cache, indexes)
    await cache.close()
    indexes.close()
    store.close()


@contextlib.asynccontextmanager
async def running(evicting: Evicting, waits_s: float) -> AsyncIterator[None]:
    """Run the actor until it waits so long; at the end it crashes."""
    before = len(evicting.clock.slept)
    task = asyncio.create_task(evicting.eviction.run())
    await evicting.clock.wait_for_sleepers()
    assert evicting.clock.slept[before:] == [waits_s]
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_an_actor_that_crashed_while_it_waited_waits_again(evicting: Evicting) -> None:
    async with running(evicting, FORGET_AFTER_S):
        pass
    async with running(evicting, FORGET_AFTER_S):
        pass


async def test_nothing_is_erased_while_notes_are_read(evicting: Evicting) -> None:
    await evicting.start_job("sync")
    assert not await evicting.eviction.forget()
    assert await evicting.cached() == {KEPT_HASH, "gone"}


@pytest.mark.parametrize(("mode", "slow"), [("sync", True), ("reindex", False)])
async def test_a_job_that_can_take_hours_does_not_keep_vectors(
    evicting: Evicting, mode: Mode, slow: bool
) -> None:
    await evicting.start_job(mode, slow=slow)
    assert await evicting.eviction.forget()
    assert await evicting.cached() == {KEPT_HASH}


async def test_a_cache_that_cannot_be_used_now_is_tried_again(
    evicting: Evicting, tmp_path: Path
) -> None:
    file, aside = tmp_path / "embeddings.sqlite", tmp_path / "elsewhere"
    await evicting.cache.close()
    file.rename(aside)
    file.mkdir()
    evicting.cache = EmbeddingCache(file)
    eviction = CacheEviction(evicting.ledger, evicting.clock, evicting.indexes, evicting.cache)
    assert not await eviction.forget()
    file.rmdir()
    aside.rename(file)
    assert await eviction.forget()
    assert await evicting.cached() == {KEPT_HASH}
