"""Notices what changes in the vault, waits until it lies still, and says so.

The native watch is quick but may lose events without a word, so the vault is also scanned at start,
every few minutes, and after a burst. It reads no note and decides nothing about deletions.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import structlog
import watchfiles

from ragd.clock import Clock
from ragd.events import (
    Change,
    DeletionsHeld,
    FilesChanged,
    VaultScanned,
    VaultUnavailable,
    WatchLost,
    WatchStarted,
)
from ragd.ledger import Ledger
from ragd.notes.plan import plan
from ragd.reading import Scanned, VaultGone
from ragd.settings import Settings

NAME = "watcher"
CEILING_S = 10.0
TICK_S = 0.25
BURST = 4000
NATIVE_TRIES = 3
RETRY_S = 5.0
POLL_MS = 5000

log = structlog.get_logger(NAME)


class Notes(Protocol):
    """What the watcher asks of the vault."""

    @property
    def root(self) -> Path: ...

    def scan(self, *, may_be_empty: bool) -> Scanned: ...

    def concerns(self, path: str) -> bool: ...


class Restless:
    """Paths that changed and have not lain still yet: a timer each, with a ceiling."""

    def __init__(self, silence_s: Callable[[], float]) -> None:
        self._silence_s = silence_s
        self._since: dict[str, tuple[float, float]] = {}  # path -> first, last

    def __len__(self) -> int:
        return len(self._since)

    def touch(self, path: str, now: float) -> None:
        first, _ = self._since.get(path, (now, now))
        self._since[path] = (first, now)

    def clear(self) -> None:
        self._since.clear()

    def settled(self, now: float) -> list[str]:
        """The paths that have been quiet for long enough, or restless for too long."""
        silence = self._silence_s()
        quiet = [
            path
            for path, (first, last) in self._since.items()
            if now - last >= silence or now - first >= max(CEILING_S, silence)
        ]
        for path in quiet:
            del self._since[path]
        return quiet


class Watcher:
    """Native events, our own silence, and rescans."""

    def __init__(self, ledger: Ledger, clock: Clock, settings: Settings, notes: Notes) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._notes = notes
        self._restless = Restless(lambda: settings.current.watch.debounce_s)
        self._rescan = asyncio.Event()
        self._gone = False

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep_watching())
            group.create_task(self._settle())
            group.create_task(self._keep_rescanning())

    # The native watch

    async def _keep_watching(self) -> None:
        failures = 0
        while True:
            polling = failures >= NATIVE_TRIES
            try:
                await self._watch(polling)
            except (OSError, RuntimeError, UnicodeDecodeError) as why:
                failures += 1
                log.warning("the watch was lost", exception=type(why).__name__)
                lost = WatchLost(reason=type(why).__name__)
                await self._ledger.journal.append(NAME, lost)
                self._rescan.set()
            await self._clock.sleep(RETRY_S)

    async def _watch(self, polling: bool) -> None:
        root = self._notes.root
        if not await asyncio.to_thread(root.is_dir):
            return  # the rescans say so; try again
        changes = watchfiles.awatch(
            root,
            watch_filter=None,
            debounce=200,
            step=50,
            yield_on_timeout=False,
            force_polling=polling or None,
            poll_delay_ms=POLL_MS,
        )
        how: WatchStarted = WatchStarted(how="polling" if polling else "native")
        await self._ledger.journal.append(NAME, how)
        self._rescan.set()  # what happened before the watch began
        async for burst in changes:
            self._take(burst)

    def _take(self, burst: set[tuple[watchfiles.Change, str]]) -> None:
        if len(burst) + len(self._restless) > BURST:  # the kernel may have dropped some
            self._restless.clear()
            self._rescan.set()
            return
        now = self._clock.monotonic()
        for _, name in burst:
            path = os.path.relpath(name, self._notes.root).replace(os.sep, "/")
            if self._notes.concerns(path):
                self._restless.touch(path, now)
            elif not path.rsplit("/", 1)[-1].startswith("."):
                # Perhaps a folder that was moved, with notes in it that get no event of their own.
                self._rescan_if_folder(path)

    def _rescan_if_folder(self, path: str) -> None:
        below = f"{path}/"
        known = any(name.startswith(below) for name in self._ledger.state.catalog.files)
        if known or (self._notes.root / path).is_dir():
            self._rescan.set()

    async def _settle(self) -> None:
        while True:
            await self._clock.sleep(TICK_S)
            if paths := self._restless.settled(self._clock.monotonic()):
                await self._announce(paths)

    async def _announce(self, paths: list[str]) -> None:
        """What lies still now, and how it differs from what the index holds."""
        there = await asyncio.to_thread(_present, self._notes.root, paths)
        catalog = self._ledger.state.catalog
        changes = []
        for path in paths:
            if path in there:
                changes.append(Change(path, "modified" if path in catalog.files else "added"))
            elif path in catalog.files or path in catalog.waiting:
                changes.append(Change(path, "deleted"))
        if changes:
            await self._ledger.journal.append_parts(NAME, FilesChanged(changes=changes))

    # Rescans

    async def _keep_rescanning(self) -> None:
        while True:
            self._rescan.clear()
            try:
                await self._scan()
                self._gone = False
            except VaultGone as why:
                await self._say_gone(why)
            await self._until_due()

    async def _until_due(self) -> None:
        """Until the next scan is due, or wanted; but never one right after the other."""
        wanted = asyncio.create_task(self._rescan.wait())
        due = asyncio.create_task(self._clock.sleep(self._settings.current.watch.rescan_s))
        try:
            await asyncio.wait({wanted, due}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            wanted.cancel()
            due.cancel()
        await self._clock.sleep(self._settings.current.watch.debounce_s)

    async def _scan(self) -> None:
        began = self._clock.monotonic()
        state = self._ledger.state
        nothing_yet = not state.catalog.files
        scanned = await asyncio.to_thread(self._notes.scan, may_be_empty=nothing_yet)
        if state.jobs.active is not None:
            return  # the job looks at the whole vault itself
        files = state.catalog.files
        denied = [path for path in files if not self._notes.concerns(path)]
        todo = plan(scanned.seen, files, denied=denied, unknown=scanned.unknown)
        if state.catalog.index is not None:  # before the first index there is nothing to compare
            await self._announce_plan(todo.upserts, todo.removals)
            if todo.held != state.health.deletions_held:
                await self._ledger.journal.append(NAME, DeletionsHeld(count=todo.held))
        fact = VaultScanned(
            files=len(scanned.seen),
            changed=len(todo.upserts),
            removed=len(todo.removals) + todo.held,
            newest_mtime=scanned.newest_mtime,
            took_ms=int((self._clock.monotonic() - began) * 1000),
            began=scanned.began,
        )
        await self._ledger.journal.append(NAME, fact)

    async def _announce_plan(self, upserts: list[str], removals: list[str]) -> None:
        catalog = self._ledger.state.catalog
        changes = [
            Change(path, "modified" if path in catalog.files else "added")
            for path in upserts
            if path not in catalog.waiting
        ]
        changes += [Change(path, "deleted") for path in removals if path not in catalog.waiting]
        if changes:
            await self._ledger.journal.append_parts(NAME, FilesChanged(changes=changes))

    async def _say_gone(self, why: VaultGone) -> None:
        if not self._gone:
            self._gone = True
            log.warning("the vault is not there", reason=why.reason)
            await self._ledger.journal.append(NAME, VaultUnavailable(reason=why.reason))


def _present(root: Path, paths: Sequence[str]) -> set[str]:
    return {path for path in paths if os.path.lexists(root / path)}
