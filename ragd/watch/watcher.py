"""Notices what changes in the vault, waits until it lies still, and says so.

Events are quick but some get lost without a word, so the vault is also scanned: at start, every
few minutes, after a burst, when a folder moved. It reads no note and deletes nothing.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import structlog

from ragd.batch.moved_notes import Moves, moves_in_scan
from ragd.batch.sync_plan import plan, vanished
from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.events import (
    BatchStored,
    ConfigReloaded,
    DeletionsHeld,
    DependencyLost,
    DependencyRecovered,
    FileChange,
    FilesChanged,
    JobFinished,
    VaultScanned,
    VaultUnavailable,
    WatchLost,
    WatchStarted,
    tag_of_type,
)
from ragd.folds.catalog import Entry
from ragd.folds.stored import stored_files
from ragd.runtime.backoff import backoff_s
from ragd.runtime.wait_for_event import wait_until_set
from ragd.state.ledger import Ledger
from ragd.vault.file_events import ROOT, EventKind, FileEvent, FileEvents, WatchDied
from ragd.vault.files import NoteFile
from ragd.vault.note_reader import PathKind, RootIdentity, VaultGone, VaultScan
from ragd.vault.polling import Polling
from ragd.vault.threads import SCAN, WATCH, unavailable_fact
from ragd.watch.debounce import Restless

NAME = "watcher"
BURST = 4000  # paths that are waited for one by one; beyond them only a scan
CROWD = 1000  # so many paths at once may be all that the system's queue could hold
NATIVE_TRIES = 3
RETRY_FIRST_S = 1.0
RETRY_MAX_S = 60.0
STEADY_S = 60.0  # a watch that held for so long did not fail in a row
NATIVE_AGAIN_S = 600.0
GONE_LOOK_S = 5.0

_HEARD = {
    tag_of_type(t)
    for t in (
        *(JobFinished, ConfigReloaded, DependencyLost, DependencyRecovered, VaultUnavailable),
        BatchStored,
    )
}
FileFacts = tuple[int, int, int]  # size, modification time, change time
log = structlog.get_logger(NAME)


class Notes(Protocol):
    """What the watcher asks of the vault."""

    @property
    def root(self) -> Path: ...

    def scan(self, *, may_be_empty: bool, known: Sequence[str] = ()) -> VaultScan: ...

    def includes(self, path: str) -> bool: ...

    def kinds(self, paths: Sequence[str]) -> dict[str, PathKind]: ...

    def find_moves(
        self, missing: Mapping[str, Entry], appeared: Sequence[NoteFile], known: Mapping[str, str]
    ) -> Moves: ...


class Watcher:
    """Events, our own silence, and rescans."""

    def __init__(self, ledger: Ledger, clock: Clock, settings: Settings, notes: Notes) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._notes = notes
        self._restless = Restless()  # ROOT in it stands for a scan of everything
        self._stirred = asyncio.Event()  # something is restless
        self._announcing: frozenset[str] = frozenset()  # these are being announced just now
        self._rescan = asyncio.Event()  # a scan is wanted before it is due
        self._owed = False  # a scan that has to wait for the end of a job
        self._root: RootIdentity | None = None  # as the last scan saw it
        self._there = asyncio.Event()  # it did see it
        self._gone = False  # it did not, and this was said
        self._folders: list[str] = []  # those that the last scan entered: they are watched
        self._events: FileEvents | Polling | None = None  # the watch that is open
        self._departures = 0  # how often somebody missed the vault: its watch is dead then
        self._unstored: dict[str, FileFacts] = {}  # as the last scan saw notes in no index

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep_watching())
            group.create_task(self._keep_settling())
            group.create_task(self._keep_rescanning())
            group.create_task(self._listen())

    # Events

    async def _keep_watching(self) -> None:
        failures = 0
        while True:
            await self._there.wait()
            began = self._clock.monotonic()
            try:
                await self._watch(polling=failures >= NATIVE_TRIES)
                failures = 0
            except WatchDied as why:
                log.warning("the watch was lost", exception=why.reason)
                await self._ledger.journal.append(NAME, WatchLost(reason=why.reason))
                self._rescan.set()
                if self._clock.monotonic() - began >= STEADY_S:
                    failures = 0
                failures += 1
                await self._clock.sleep(backoff_s(failures, RETRY_FIRST_S, RETRY_MAX_S))

    async def _watch(self, *, polling: bool) -> None:
        """Until the vault is gone or another folder, or polling is not needed any more.

        Raises WatchDied.
        """
        root, departures = self._root, self._departures
        self._events = events = await self._open(polling)
        try:
            how = WatchStarted(how="polling" if polling else "native")
            await self._ledger.journal.append(NAME, how)
            self._rescan.set()  # what happened before the watch began
            try_native = self._clock.monotonic() + NATIVE_AGAIN_S
            while self._root == root and self._departures == departures:
                burst = await events.next()
                self._take(burst)
                if events.is_outdated:
                    self._events = events = await self._open_instead(events)
                    self._rescan.set()  # what happened in new folders before they were watched
                if ("deleted", ROOT) in burst:  # if it is back already, this watch is still dead
                    self._there.clear()
                    self._rescan.set()
                    return
                if polling and self._clock.monotonic() >= try_native:
                    if await self._native_works():
                        return
                    try_native = self._clock.monotonic() + NATIVE_AGAIN_S
        finally:
            self._events = None
            events.close()

    async def _open(self, polling: bool) -> FileEvents | Polling:
        if polling:
            looks = Polling(self._clock, self._look_through)
            await looks.next()
            return looks
        step_ms = min(500, max(50, int(self._settings.current.watch.debounce_s * 125)))
        try:
            return await WATCH.run(FileEvents, str(self._notes.root), step_ms, self._folders)
        except VaultGone as why:
            raise WatchDied(why) from None

    async def _open_instead(self, outdated: FileEvents | Polling) -> FileEvents | Polling:
        """A watch of the folders that are there now. For a moment both are open: nothing is missed.

        Raises WatchDied.
        """
        try:
            fresh = await self._open(polling=False)
        except WatchDied:  # perhaps the system has not so many watches at once
            await outdated.wait_closed()
            return await self._open(polling=False)
        try:
            self._take(await outdated.next())
        except WatchDied:
            fresh.close()
            raise
        await outdated.wait_closed()
        return fresh

    def _look_through(self) -> VaultScan:
        """In a thread. A vault in which nothing ever was may be empty."""
        return self._notes.scan(may_be_empty=not self._ledger.state.catalog.holds_notes)

    async def _native_works(self) -> bool:
        try:
            (await self._open(polling=False)).close()
        except WatchDied:
            return False
        return True

    def _take(self, burst: set[FileEvent]) -> None:
        if not burst:
            return
        now = self._clock.monotonic()
        paths = {path for kind, path in burst if self._may_matter(kind, path)}
        room = len(paths) + len(self._restless) <= BURST
        if not room or len(burst) > CROWD or ROOT in self._restless:
            self._restless.touch(ROOT, now)  # the scan, too, waits until all lies still
        for path in paths:
            if room or path in self._restless:
                self._restless.touch(path, now)
        if self._restless:
            self._stirred.set()

    def _may_matter(self, kind: EventKind, path: str) -> bool:
        """A note, or something that came or went and may be a folder with notes in it."""
        if path == ROOT or "/." in f"/{path}":
            return path == ROOT and kind != "modified"
        return kind != "modified" or self._notes.includes(path)

    # Silence

    async def _keep_settling(self) -> None:
        while True:
            if not self._restless:
                self._stirred.clear()
                await self._stirred.wait()
            silence = self._settings.current.watch.debounce_s
            due = self._restless.next_due(silence)
            await self._clock.sleep(max(0.0, due - self._clock.monotonic()))
            settled = self._restless.settled(self._clock.monotonic(), silence)
            if ROOT in settled:
                self._rescan.set()
            if paths := [path for path in settled if path != ROOT]:
                self._announcing = frozenset(paths)
                for path in paths:
                    self._unstored.pop(path, None)
                try:
                    await self._announce(paths)
                finally:
                    self._announcing = frozenset()

    async def _announce(self, paths: list[str]) -> None:
        """What lies still now, and how it differs from what the index holds."""
        catalog = self._ledger.state.catalog
        try:
            there = await SCAN.run(self._notes.kinds, paths)
        except VaultGone:
            self._rescan.set()
            return
        known = catalog.files
        missing = [path for path in paths if path not in there]
        if "folder" in there.values() or any(map(catalog.is_folder, missing)):
            self._rescan.set()  # what is in it gets no events of its own
        if not self._ledger.state.follows_vault:
            self._owed = True  # the first job may have been here before
            return
        changes = [
            FileChange(path, "modified" if path in known else "added")
            for path, kind in there.items()
            if kind == "file" and self._notes.includes(path)
        ]
        listed = (catalog.waiting, catalog.skipped, catalog.failed)
        changes += [
            FileChange(path, "deleted")
            for path in missing
            if catalog.is_stored(path) or any(path in of for of in listed)
        ]
        await self._say(changes)

    async def _say(self, changes: list[FileChange]) -> None:
        if changes:
            await self._ledger.journal.append_parts(NAME, FilesChanged(changes=changes))

    # Rescans

    async def _keep_rescanning(self) -> None:
        while True:
            self._rescan.clear()
            try:
                await self._scan()
            except VaultGone as why:
                await self._say_gone(why)
            await self._until_due()

    async def _until_due(self) -> None:
        """Until the next scan is due, or wanted; but never one right after the other."""
        watch = self._settings.current.watch
        due = watch.rescan_s if self._there.is_set() else min(GONE_LOOK_S, watch.rescan_s)
        await wait_until_set(self._rescan, self._clock, due)
        await self._clock.sleep(watch.debounce_s)

    async def _listen(self) -> None:
        """A job that ended makes room for a scan; other lists of folders ask for one, and so does
        whoever finds that it is overdue: the machine may have slept."""
        async for record in self._ledger.journal.follow(self._ledger.state.seq, _HEARD):
            event = record.event
            if isinstance(event, DependencyLost | DependencyRecovered):
                self._hear_of(event)
            elif isinstance(event, VaultUnavailable):
                self._miss()
            elif isinstance(event, BatchStored):
                if event.moved and self._ledger.state.health.deletions_held:
                    self._rescan.set()  # fewer may be held now
            elif self._owed or isinstance(event, ConfigReloaded):
                self._owed = False
                self._rescan.set()

    def _hear_of(self, event: DependencyLost | DependencyRecovered) -> None:
        """What a probe found: the vault goes, and with a disk its watch without a word; it is
        back; or nobody has looked through it for too long."""
        is_lost = isinstance(event, DependencyLost)
        if event.dependency == "vault" and is_lost:
            self._miss()
        elif event.dependency == "vault" or (event.dependency == "scan" and is_lost):
            self._rescan.set()

    def _miss(self) -> None:
        """Look for it every few seconds, and watch it anew when it is there."""
        self._departures += 1
        self._there.clear()
        self._rescan.set()

    async def _scan(self) -> None:
        began = self._clock.monotonic()
        state = self._ledger.state
        began_seq = state.seq
        nothing_yet = not state.catalog.holds_notes
        known = list(stored_files(state.catalog))  # for threads
        scanned = await SCAN.run(self._notes.scan, may_be_empty=nothing_yet, known=known)
        self._root, self._gone, self._folders = scanned.identity, False, scanned.folders
        self._there.set()
        if self._events is not None:
            self._events.set_folders(scanned.folders)
        denied = await asyncio.to_thread(self._denied, known)
        moves: Moves = {}
        if state.jobs.active is None:
            stored = stored_files(state.catalog)
            moves = await moves_in_scan(self._notes, scanned, stored, denied=denied)
        if state.jobs.active is not None:
            self._owed = True  # what the job has not stored yet would look like news
            return
        stored = stored_files(state.catalog)
        todo = plan(
            scanned.notes,
            stored,
            denied=denied,
            unknown=scanned.unreadable_folders,
            holding=state.health.deletions_held > 0
            or state.catalog.is_elsewhere(scanned.identity[0]),
            moves=moves,
        )
        removals = [*todo.removals, *moves.values()]
        unstored = self._facts_of_unstored(scanned)
        upserts = self._without_left_out(unstored, todo.upserts)
        if state.follows_vault:  # before the first index there is nothing to compare
            listed = state.catalog.skipped.keys() | state.catalog.failed.keys()
            there = {path for path, _ in scanned.skipped}.union(one.path for one in scanned.notes)
            unlisted = vanished(listed, there, scanned.unreadable_folders)
            await self._announce_plan(upserts, [*removals, *unlisted])
            if todo.held != state.health.deletions_held:
                await self._ledger.journal.append(NAME, DeletionsHeld(count=todo.held))
        self._unstored = unstored
        fact = VaultScanned(
            files=len(scanned.notes),
            changed=len(upserts),
            removed=len(removals) + todo.held,
            newest_mtime=scanned.newest_mtime,
            took_ms=int((self._clock.monotonic() - began) * 1000),
            began=scanned.began,
            began_seq=began_seq,
            device=scanned.identity[0],
            templates=scanned.templates,
            languages=scanned.languages,
        )
        await self._ledger.journal.append(NAME, fact)

    def _denied(self, paths: list[str]) -> list[str]:
        return [path for path in paths if not self._notes.includes(path)]

    def _facts_of_unstored(self, scanned: VaultScan) -> dict[str, FileFacts]:
        """Of notes that are in no index, or were left out when they were last read."""
        catalog = self._ledger.state.catalog
        return {
            seen.path: (seen.size, seen.mtime_ns, seen.ctime_ns)
            for seen in scanned.notes
            if seen.path not in catalog.files
            or seen.path in catalog.skipped
            or seen.path in catalog.failed
        }

    def _without_left_out(self, unstored: dict[str, FileFacts], upserts: list[str]) -> list[str]:
        """Without notes that were skipped or failed as they are now: they would be again.

        A note that is going to be read is not left out: nobody knows yet what it says now. Nor is
        a path that an index has: it may have to leave it.
        """
        catalog = self._ledger.state.catalog

        def is_left_out(path: str) -> bool:
            return (
                (path in catalog.skipped or path in catalog.failed)
                and self._unstored.get(path) == unstored.get(path)
                and not self._is_announced(path)
                and path not in self._restless
                and not catalog.is_stored(path)
            )

        return [path for path in upserts if not is_left_out(path)]

    def _is_announced(self, path: str) -> bool:
        return path in self._announcing or path in self._ledger.state.catalog.waiting

    async def _announce_plan(self, upserts: list[str], removals: list[str]) -> None:
        """What is news: not what waits already, nor what will be announced when it lies still."""
        known = self._ledger.state.catalog.files
        changes = [FileChange(path, "modified" if path in known else "added") for path in upserts]
        changes += [FileChange(path, "deleted") for path in removals]
        news = [c for c in changes if not self._is_announced(c.path)]
        await self._say([c for c in news if c.path not in self._restless])

    async def _say_gone(self, why: VaultGone) -> None:
        self._root = None
        self._there.clear()
        if not self._gone:
            self._gone = True
            log.warning("the vault is not there", reason=why.reason)
            await self._ledger.journal.append(NAME, unavailable_fact(why))
