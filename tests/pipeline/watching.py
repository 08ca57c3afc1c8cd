"""Helpers for tests of the watcher: waiting until all is indexed, and a watcher on its own."""

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Any

import pytest

from ragd.batch.deletion_hold import DeletionHold
from ragd.clock import Clock, SystemClock, new_id
from ragd.config import load as configuration
from ragd.config.live_settings import Settings
from ragd.events import (
    BatchEmbedded,
    BatchStored,
    DaemonStarted,
    Fact,
    FilesChanged,
    IndexActivated,
    JobFinished,
    VaultScanned,
    WatchStarted,
    tag_of_type,
)
from ragd.paths import Home
from ragd.state.ledger import Ledger
from ragd.vault.file_events import FileEvent
from ragd.vault.note_reader import NoteReader
from ragd.watch import watch_loop
from ragd.watch.watcher import NAME, Watcher
from tests.daemon.virtual_clock import VirtualClock
from tests.pipeline.following import Following

DEBOUNCE_S = 0.0625  # a sixteenth: sums of it are exact
RESCAN_S = 3600.0
SENTINEL = "zz last of all.md"


async def indexed(start: Any) -> Any:
    """A pipeline that has indexed the whole vault, vectors included, and watches it."""
    running = await start()
    job = await running.request("full")
    await running.until(JobFinished, 0, job_id=job)
    await running.until_state(lambda state: state.catalog.backlog == 0)
    await until_watched(running)
    return running


async def until_watched(running: Any) -> None:
    """Wait until the watch has begun and a later scan is done."""
    started = await running.until(WatchStarted, 0)
    types = {tag_of_type(VaultScanned)}
    async for record in running.ledger.journal.follow(started.seq, types):
        if record.actor == NAME and record.event.began > started.ts:
            return


def on_disk(vault: Path) -> dict[str, str]:
    """The notes of the vault and their hashes, without hidden folders."""
    return {
        path.relative_to(vault).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in vault.rglob("*.md")
        if not any(part.startswith(".") for part in path.relative_to(vault).parts)
    }


async def until_indexed(running: Any) -> None:
    """Wait until the index holds the current notes with vectors and no work is left."""
    wanted = on_disk(running.vault)

    def holds(state: Any) -> bool:
        files = {path: entry.sha256 for path, entry in state.catalog.files.items()}
        idle = not state.catalog.waiting and not state.jobs.open and state.catalog.backlog == 0
        return idle and files == wanted

    await running.until_state(holds)


async def until_quiet(running: Any) -> None:
    """Wait until all earlier changes are handled.

    It saves one more note and waits for it: changes before it are handled before it.
    """
    await until_indexed(running)
    (running.vault / SENTINEL).write_text(f"The last note, {new_id()}.\n")
    await until_indexed(running)


async def facts(running: Any, kind: type[Fact], after: int) -> list[Any]:
    """The facts of this type after `after`, up to now."""
    followed = running.ledger.journal.follow(after, {tag_of_type(kind)}, wait=False)
    return [record.event async for record in followed]


async def embedded(running: Any, after: int) -> tuple[int, int]:
    """How many chunks were embedded and how many came from the cache, without the last note."""
    found = await facts(running, BatchEmbedded, after)
    return sum(fact.chunks for fact in found) - 1, sum(fact.cached for fact in found)


async def stored(running: Any, after: int) -> tuple[list[str], list[str]]:
    """The notes written to the index since, once for each write, and the removed notes."""
    found = await facts(running, BatchStored, after)
    files = [file.path for fact in found for file in fact.files if file.path != SENTINEL]
    return sorted(files), sorted(path for fact in found for path in fact.removed)


async def changed(running: Any, after: int) -> dict[str, list[str]]:
    """The announced changes since, by path."""
    said: dict[str, list[str]] = {}
    for fact in await facts(running, FilesChanged, after):
        for change in fact.changes:
            said.setdefault(change.path, []).append(change.kind)
    said.pop(SENTINEL, None)
    return said


class WatchedClock(VirtualClock):
    """A virtual clock that records how long each sleep is."""

    def __init__(self) -> None:
        super().__init__()
        self._sleeps: asyncio.Queue[float] = asyncio.Queue()

    async def sleep(self, seconds: float) -> None:
        self._sleeps.put_nowait(seconds)
        await super().sleep(seconds)

    async def until_sleep(self, seconds: float) -> None:
        while await self._sleeps.get() != seconds:
            pass

    def nothing_slept(self) -> bool:
        return self._sleeps.empty()


class FakeFileEvents:
    """File events that a test sends, in place of those of the system."""

    is_outdated = False

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._events: set[FileEvent] = set()
        self._turn = asyncio.Condition()
        monkeypatch.setattr(watch_loop, "FileEvents", lambda *how: self)

    async def next(self) -> set[FileEvent]:
        async with self._turn:
            self._events = set()  # the call for the next ones means that these were received
            self._turn.notify_all()
            await self._turn.wait_for(lambda: self._events)
            return self._events

    async def send(self, *burst: FileEvent) -> None:
        """Send events, and wait until the watcher has received them."""
        async with self._turn:
            self._events = set(burst)
            self._turn.notify_all()
            await self._turn.wait_for(lambda: not self._events)

    def set_folders(self, folders: Collection[str]) -> None:
        """Not needed: the test sends all events."""

    def close(self) -> None:
        """Nothing is open."""


class WatcherOnly(Following):
    """A watcher with a real vault and a real log, without the other actors."""

    def __init__(self, ledger: Ledger, settings: Settings, vault: Path) -> None:
        self.ledger = ledger
        self.settings = settings
        self.vault = vault

    async def append(self, fact: Fact) -> int:
        return (await self.ledger.journal.append("test", fact)).seq


@contextlib.asynccontextmanager
async def run_watcher(
    home_folder: Path, vault: Path, *, clock: Clock | None = None, index: bool = True
) -> AsyncIterator[WatcherOnly]:
    """Run a watcher; with `index` there is an empty index already."""
    home = Home(str(home_folder))
    Path(home.events).mkdir(parents=True)
    quick = {"debounce_s": DEBOUNCE_S, "rescan_s": RESCAN_S}
    Path(home.config).write_text(json.dumps({"vault_path": str(vault), "watch": quick}))
    clock = clock or SystemClock()
    ledger = Ledger(Path(home.events), Path(home.snapshots), clock, new_id(), "test")
    writer = asyncio.create_task(ledger.journal.run())
    settings = Settings(home, configuration.load(home))
    running = WatcherOnly(ledger, settings, vault)
    await running.append(DaemonStarted(version="0", config_hash="", previous_stop="none"))
    if index:
        activated = IndexActivated(generation="g", provider="embedded", model="m", dimensions=3)
        await running.append(activated)
    working = asyncio.create_task(
        Watcher(
            ledger, clock, settings, NoteReader(settings, clock), DeletionHold(ledger, clock)
        ).run()
    )
    try:
        yield running
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        await ledger.journal.close()
        await writer
