"""Keeps a watch on a collection open: the system's own, or polling where that keeps failing or
cannot show what changes.

It passes events on and interprets none of them.
"""

from pathlib import Path
from typing import Literal, Protocol

import structlog

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.events import WatchLost, WatchStarted
from ragd.runtime.backoff import backoff_s
from ragd.state.ledger import Ledger
from ragd.vault.collection_files import CollectionScan
from ragd.vault.collection_paths import VAULT, join_path, prefix_of
from ragd.vault.file_events import ROOT, FileEvent, FileEvents, WatchDied
from ragd.vault.note_reader import VaultGone
from ragd.vault.polling import Polling
from ragd.vault.threads import SCAN, WATCH
from ragd.watch.change_announcer import NAME, ChangeAnnouncer
from ragd.watch.rescan_requests import RescanRequests
from ragd.watch.watch_state import WatchStates

NATIVE_TRIES = 3
RETRY_FIRST_S = 1.0
RETRY_MAX_S = 60.0
STEADY_S = 60.0  # after this time without a failure, earlier failures no longer count
NATIVE_AGAIN_S = 600.0

log = structlog.get_logger(NAME)


class PollingScanner(Protocol):
    """Scans one collection; called in a thread."""

    def root(self, collection: str) -> Path: ...

    def is_polled(self, collection: str) -> bool: ...

    def collection_of(self, path: str) -> str: ...

    def scan(self, collection: str, *, may_be_empty: bool) -> CollectionScan: ...


class WatchLoop:
    """Opens a watch when the collection is found, and another one when that dies."""

    def __init__(
        self,
        collection: str,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        notes: PollingScanner,
        states: WatchStates,
        announcer: ChangeAnnouncer,
        rescans: RescanRequests,
    ) -> None:
        self._collection = collection
        self._recorded_as = "" if collection == VAULT else collection
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._notes = notes
        self._states = states
        self._announcer = announcer
        self._rescans = rescans
        self._folders: list[str] = []  # to be watched
        self._watch: FileEvents | Polling | None = None  # the one that is open

    def set_folders(self, folders: list[str]) -> None:
        """The last scan has read these folders: watch them."""
        self._folders = folders
        if self._watch is not None:
            self._watch.set_folders(folders)

    async def run(self) -> None:
        failures = 0
        while True:
            await self._states.wait_for_vault()
            began = self._clock.monotonic()
            try:
                await self._keep_open(polling=failures >= NATIVE_TRIES or self._is_polled())
                failures = 0
            except WatchDied as why:
                log.warning("the watch was lost", exception=why.reason, collection=self._collection)
                lost = WatchLost(reason=why.reason, collection=self._recorded_as)
                await self._ledger.journal.append(NAME, lost)
                self._rescans.request()
                if self._clock.monotonic() - began >= STEADY_S:
                    failures = 0
                failures += 1
                await self._clock.sleep(backoff_s(failures, RETRY_FIRST_S, RETRY_MAX_S))

    async def _keep_open(self, *, polling: bool) -> None:
        """Watch until the vault goes missing or is replaced, or until polling is no longer needed.

        Raises WatchDied.
        """
        losses = self._states.vault_losses
        self._watch = watch = await self._open(polling)
        self._states.watch_opened(polling=polling)
        try:
            how: Literal["polling", "native"] = "polling" if polling else "native"
            started = WatchStarted(how=how, collection=self._recorded_as)
            await self._ledger.journal.append(NAME, started)
            self._rescans.request()  # for changes before the watch began
            native_again = self._clock.monotonic() + NATIVE_AGAIN_S
            while self._states.vault_losses == losses:
                burst = await watch.next()
                self._announcer.add(self._with_prefix(burst))
                if watch.is_outdated:
                    self._watch = watch = await self._open_instead(watch)
                    self._rescans.request()  # for changes in new folders before they were watched
                if ("deleted", ROOT) in burst:  # even if it is back already, this watch is dead
                    self._states.vault_missed()
                    self._rescans.request()
                    return
                if polling and self._clock.monotonic() >= native_again and not self._is_polled():
                    if await self._can_watch_natively():
                        return
                    native_again = self._clock.monotonic() + NATIVE_AGAIN_S
        finally:
            self._watch = None
            self._states.watch_closed()
            watch.close()

    def _is_polled(self) -> bool:
        """Whether only scans show what changes in the collection."""
        try:
            return self._notes.is_polled(self._collection)
        except VaultGone:
            return False

    async def _open(self, polling: bool) -> FileEvents | Polling:
        if polling:
            lane, begins = SCAN.of(self._collection), prefix_of(self._collection)
            scans = Polling(self._clock, lane, self._scan, begins)
            await scans.next()
            return scans
        step_ms = min(500, max(50, int(self._settings.current.watch.debounce_s * 125)))
        try:
            root = str(self._notes.root(self._collection))
            lane = WATCH.of(self._collection)
            return await lane.run(FileEvents, root, step_ms, self._folders)
        except VaultGone as why:
            raise WatchDied(why) from None

    async def _open_instead(self, outdated: FileEvents | Polling) -> FileEvents | Polling:
        """Open a watch of the current folders. For a moment both are open, so nothing is missed.

        Raises WatchDied.
        """
        try:
            fresh = await self._open(polling=False)
        except WatchDied:  # perhaps the system has too few watches for both
            await outdated.wait_closed()
            return await self._open(polling=False)
        try:
            self._announcer.add(self._with_prefix(await outdated.next()))
        except WatchDied:
            fresh.close()
            raise
        await outdated.wait_closed()
        return fresh

    def _with_prefix(self, burst: set[FileEvent]) -> set[FileEvent]:
        """The events with paths of the path space, without those in another collection's folder."""
        if self._collection == VAULT:
            mine = self._notes.collection_of
            return {(kind, path) for kind, path in burst if mine(path) == VAULT}
        return {
            (kind, path if path == ROOT else join_path(self._collection, path))
            for kind, path in burst
        }

    def _scan(self) -> CollectionScan:
        """In a thread. The root may be empty if no note of it was ever stored."""
        may_be_empty = not self._ledger.state.catalog.count_stored(self._collection)
        return self._notes.scan(self._collection, may_be_empty=may_be_empty)

    async def _can_watch_natively(self) -> bool:
        try:
            (await self._open(polling=False)).close()
        except WatchDied:
            return False
        return True
