"""What the tests of the watcher share: waiting for the end of it all, and a watcher on its own."""

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
    """Until the watch has begun, and a scan is done that began later."""
    started = await running.until(WatchStarted, 0)
    types = {tag_of_type(VaultScanned)}
    async for record in running.ledger.journal.follow(started.seq, types):
        if record.actor == NAME and record.event.began > started.ts:
            return


def on_disk(vault: Path) -> dict[str, str]:
    """The notes of the vault and their hashes; hidden folders are none of its business."""
    return {
        path.relative_to(vault).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in vault.rglob("*.md")
        if not any(part.startswith(".") for part in path.relative_to(vault).parts)
    }


async def until_indexed(running: Any) -> None:
    """Until the index holds what is on the disk now, with vectors, and nobody is busy."""
    wanted = on_disk(running.vault)

    def holds(state: Any) -> bool:
        files = {path: entry.sha256 for path, entry in state.catalog.files.items()}
        idle = not state.catalog.waiting and not state.jobs.open and state.catalog.backlog == 0
        return idle and files == wanted

    await running.until_state(holds)


async def until_quiet(running: Any) -> None:
    """Until all that was done before this call has had its consequences.

    A last note is saved and waited for: what was noticed before it is dealt with before it.
    """
    await until_indexed(running)
    (running.vault / SENTINEL).write_text(f"The last note, {new_id()}.\n")
    await until_indexed(running)


async def facts(running: Any, kind: type[Fact], after: int) -> list[Any]:
    """The facts of this kind behind `after`, up to now."""
    followed = running.ledger.journal.follow(after, {tag_of_type(kind)}, wait=False)
    return [record.event async for record in followed]


async def embedded(running: Any, after: int) -> tuple[int, int]:
    """How many chunks were embedded since, and how many came from the cache; the last note not."""
    found = await facts(running, BatchEmbedded, after)
    return sum(fact.chunks for fact in found) - 1, sum(fact.cached for fact in found)


async def stored(running: Any, after: int) -> tuple[list[str], list[str]]:
    """The notes that were written to the index since, as often as they were, and those removed."""
    found = await facts(running, BatchStored, after)
    files = [file.path for fact in found for file in fact.files if file.path != SENTINEL]
    return sorted(files), sorted(path for fact in found for path in fact.removed)


async def changed(running: Any, after: int) -> dict[str, list[str]]:
    """What was announced since, by path."""
    said: dict[str, list[str]] = {}
    for fact in await facts(running, FilesChanged, after):
        for change in fact.changes:
            said.setdefault(change.path, []).append(change.kind)
    said.pop(SENTINEL, None)
    return said


class WatchedClock(VirtualClock):
    """A clock that moves when a test says so, and tells for how long somebody lies down."""

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
            self._events = set()  # a call for more has taken the last ones
            self._turn.notify_all()
            await self._turn.wait_for(lambda: self._events)
            return self._events

    async def send(self, *burst: FileEvent) -> None:
        """Returns when the watcher has taken them."""
        async with self._turn:
            self._events = set(burst)
            self._turn.notify_all()
            await self._turn.wait_for(lambda: not self._events)

    def set_folders(self, folders: Collection[str]) -> None:
        """Not needed: the test sends all events."""

    def close(self) -> None:
        """Nothing is open."""


class Alone(Following):
    """A watcher with a real vault and a real log, without the other actors."""

    def __init__(self, ledger: Ledger, settings: Settings, vault: Path) -> None:
        self.ledger = ledger
        self.settings = settings
        self.vault = vault

    async def append(self, fact: Fact) -> int:
        return (await self.ledger.journal.append("test", fact)).seq


@contextlib.asynccontextmanager
async def alone(
    home_folder: Path, vault: Path, *, clock: Clock | None = None, index: bool = True
) -> AsyncIterator[Alone]:
    """Runs it; `index` says whether there is an index already, which is empty."""
    home = Home(str(home_folder))
    Path(home.events).mkdir(parents=True)
    quick = {"debounce_s": DEBOUNCE_S, "rescan_s": RESCAN_S}
    Path(home.config).write_text(json.dumps({"vault_path": str(vault), "watch": quick}))
    clock = clock or SystemClock()
    ledger = Ledger(Path(home.events), Path(home.snapshots), clock, new_id(), "test")
    writer = asyncio.create_task(ledger.journal.run())
    settings = Settings(home, configuration.load(home))
    running = Alone(ledger, settings, vault)
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
