"""How long changes are collected: until nothing changes for a moment, at most a few seconds."""

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from ragd.batch.collect_window import CollectWindow
from ragd.config import load as configuration
from ragd.config.live_settings import Settings
from ragd.paths import Home
from tests.daemon.virtual_clock import VirtualClock


class Collecting:
    """A window that is waiting, with the default settings."""

    def __init__(self, folder: Path) -> None:
        home = Home(str(folder))
        (folder / "vault").mkdir()
        Path(home.config).write_text(json.dumps({"vault_path": str(folder / "vault")}))
        self.clock = VirtualClock()
        self.window = CollectWindow(self.clock, Settings(home, configuration.load(home)))
        self._waiting: asyncio.Task[None] | None = None

    async def begin(self, *changed: str) -> None:
        wait: Coroutine[Any, Any, None] = self.window.wait(changed)
        self._waiting = asyncio.create_task(wait)
        await self.clock.wait_for_sleepers()

    async def has_ended(self) -> bool:
        """Whether the wait ends before the clock moves on."""
        assert self._waiting is not None
        sleeps = asyncio.create_task(self.clock.wait_for_sleepers())
        await asyncio.wait({self._waiting, sleeps}, return_when=asyncio.FIRST_COMPLETED)
        sleeps.cancel()
        return self._waiting.done()


@pytest.fixture
async def collecting(tmp_path: Path) -> Collecting:
    return Collecting(tmp_path)


async def test_a_single_save_waits_half_a_second(collecting: Collecting) -> None:
    await collecting.begin("a.md")
    collecting.clock.advance(0.4)
    assert not await collecting.has_ended()
    collecting.clock.advance(0.1)
    assert await collecting.has_ended()


async def test_a_change_keeps_the_window_open_for_the_next_one(collecting: Collecting) -> None:
    await collecting.begin("a.md")
    collecting.window.note_changed()
    collecting.clock.advance(0.5)
    assert not await collecting.has_ended()
    collecting.clock.advance(0.5)
    assert await collecting.has_ended()


async def test_changes_without_a_pause_are_collected_for_five_seconds(
    collecting: Collecting,
) -> None:
    await collecting.begin("a.md")
    for _ in range(9):
        collecting.window.note_changed()
        collecting.clock.advance(0.5)
        assert not await collecting.has_ended()
    collecting.window.note_changed()
    collecting.clock.advance(0.5)
    assert await collecting.has_ended()


async def test_a_requested_job_and_an_urgent_note_end_it_at_once(collecting: Collecting) -> None:
    await collecting.begin("a.md")
    collecting.window.end_for_job()
    assert await collecting.has_ended()
    await collecting.begin("a.md")
    collecting.window.end_for(["b.md"])
    assert await collecting.has_ended()


async def test_an_urgent_note_that_has_changed_already_does_not_wait(
    collecting: Collecting,
) -> None:
    collecting.window.end_for(["a.md"])
    await collecting.window.wait(["a.md"])
    assert collecting.clock.slept == []
