"""The watcher: notices changes in all collections, and records them when they are settled.

File events are quick, but some get lost silently, so everything is also scanned. The watcher reads
no note and removes none.
"""

import asyncio
from typing import Protocol

from ragd.batch.deletion_hold import DeletionHold
from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.events import (
    BatchStored,
    ConfigReloaded,
    DependencyLost,
    DependencyRecovered,
    JobFinished,
    VaultUnavailable,
    tag_of_type,
)
from ragd.state.ledger import Ledger
from ragd.vault.collection_paths import VAULT
from ragd.watch.change_announcer import NAME as NAME
from ragd.watch.change_announcer import ChangeAnnouncer, PathInspector
from ragd.watch.collection_watches import CollectionWatches
from ragd.watch.left_out_notes import LeftOutNotes
from ragd.watch.rescan_requests import RescanRequests
from ragd.watch.rescans import Rescans, VaultScanner
from ragd.watch.watch_loop import PollingScanner, WatchLoop
from ragd.watch.watch_state import WatchStates

_FOLLOWED = {
    tag_of_type(t)
    for t in (
        *(JobFinished, ConfigReloaded, DependencyLost, DependencyRecovered, VaultUnavailable),
        BatchStored,
    )
}


class WatchedNotes(PathInspector, VaultScanner, PollingScanner, Protocol):
    """The functions of the vault that the parts of the watcher need."""


class Watcher:
    """File events, debounced, and rescans."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        notes: WatchedNotes,
        hold: DeletionHold,
    ) -> None:
        self._ledger = ledger
        self._hold = hold
        self._requests = requests = RescanRequests()
        left_out = LeftOutNotes(ledger)
        self._announcer = announcer = ChangeAnnouncer(
            ledger, clock, settings, notes, left_out, requests
        )

        def make_loop(collection: str, states: WatchStates) -> WatchLoop:
            shared = (ledger, clock, settings, notes, states, announcer, requests)
            return WatchLoop(collection, *shared)

        self._watches = CollectionWatches(make_loop)
        self._watches.set_names(notes.collections)
        self._rescans = Rescans(
            ledger,
            clock,
            settings,
            notes,
            self._watches,
            self._announcer,
            left_out,
            hold,
            self._requests,
        )

    async def announce_now(self, paths: list[str]) -> None:
        """Record that ragd itself has written or removed these notes."""
        await self._announcer.announce_now(paths)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watches.run())
            group.create_task(self._announcer.run())
            group.create_task(self._rescans.run())
            group.create_task(self._listen())

    async def _listen(self) -> None:
        """Request a scan when a fact of another actor calls for one."""
        async for record in self._ledger.journal.follow(self._ledger.state.seq, _FOLLOWED):
            event = record.event
            if isinstance(event, DependencyLost | DependencyRecovered):
                self._dependency_changed(event)
            elif isinstance(event, VaultUnavailable):
                self._missed(event.collection)
            elif isinstance(event, BatchStored):
                if event.moved and self._hold.is_active:
                    self._requests.request()  # fewer deletions may be held now
            elif isinstance(event, ConfigReloaded):
                self._requests.request_owed()  # the rules for folders may have changed
            elif isinstance(event, JobFinished):
                self._requests.job_ended()

    def _dependency_changed(self, event: DependencyLost | DependencyRecovered) -> None:
        """A collection was lost (its watch may die silently) or is back, or the last scan is too
        old: the machine may have slept."""
        is_lost = isinstance(event, DependencyLost)
        if event.dependency == "vault" and is_lost:
            self._missed(event.collection)
        elif event.dependency == "vault" or (event.dependency == "scan" and is_lost):
            self._requests.request()

    def _missed(self, collection: str) -> None:
        """Look for it every few seconds until it is found, and then open a new watch."""
        if watch := self._watches.get(collection or VAULT):
            watch.states.vault_missed()
        self._requests.request()
