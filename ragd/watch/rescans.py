"""Scans all collections: at the start, every few minutes, and when a scan is requested.

The first scan of a large vault waits until the index has been checked. File events can get lost
silently; a scan finds what they missed. A collection that is gone is looked for every few seconds.
It reads no note and removes none.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

import structlog

from ragd.batch.deletion_hold import DeletionHold
from ragd.batch.moved_notes import MoveFinder, Moves, moves_in_scan
from ragd.batch.scan_facts import scanned_fact, skipped_facts
from ragd.batch.sync_plan import plan_sync, vanished
from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.folds.stored import stored_files
from ragd.state.ledger import Ledger
from ragd.vault.collection_calls import CollectionScanner, is_usable, scan_all
from ragd.vault.note_reader import VaultGone
from ragd.vault.threads import SCAN, unavailable_fact
from ragd.vault.vault_scan import VaultScan
from ragd.watch.change_announcer import NAME, ChangeAnnouncer
from ragd.watch.collection_watches import CollectionWatches
from ragd.watch.left_out_notes import LeftOutNotes
from ragd.watch.rescan_requests import RescanRequests

GONE_AGAIN_S = 5.0  # the time between two looks for a collection that is gone
MANY_NOTES = 10_000  # the first scan of fewer takes no time that matters
CHECKED_WITHIN_S = 5.0  # how long the first scan of many waits for the check of the index

log = structlog.get_logger(NAME)


class VaultScanner(CollectionScanner, MoveFinder, Protocol):
    """Scans collections and compares notes."""

    def includes(self, path: str) -> bool: ...


class Rescans:
    """One scan after the other."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        notes: VaultScanner,
        watches: CollectionWatches,
        announcer: ChangeAnnouncer,
        left_out: LeftOutNotes,
        hold: DeletionHold,
        requests: RescanRequests,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._notes = notes
        self._watches = watches
        self._announcer = announcer
        self._left_out = left_out
        self._hold = hold
        self._requests = requests

    async def run(self) -> None:
        await self._let_index_be_checked()
        while True:
            self._requests.clear()
            await self._scan()
            await self._wait_until_due()

    async def _let_index_be_checked(self) -> None:
        """Questions are answered from then on. The scan of a large vault would slow that down."""
        if not self._is_being_checked() or self._ledger.state.catalog.documents < MANY_NOTES:
            return
        checked = asyncio.create_task(self._follow_check())
        slept = asyncio.create_task(self._clock.sleep(CHECKED_WITHIN_S))
        try:
            await asyncio.wait({checked, slept}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            checked.cancel()
            slept.cancel()

    async def _follow_check(self) -> None:
        async for _ in self._ledger.journal.follow(self._ledger.state.seq):
            if not self._is_being_checked():
                return

    def _is_being_checked(self) -> bool:
        return self._ledger.state.health.starting

    async def _wait_until_due(self) -> None:
        """Wait for the next scan, or for a request; but never scan twice without a pause.

        While all collections are gone, a scan costs nothing. If only some are gone, these are
        looked for: a scan would walk the others, too.
        """
        watch = self._settings.current.watch
        left = watch.rescan_s
        while left > 0 and not self._requests.is_requested:
            gone = self._watches.gone()
            step = min(GONE_AGAIN_S, left) if gone else left
            await self._requests.wait(self._clock, step)
            left -= step
            if gone and not self._requests.is_requested:
                is_all = len(gone) == len(list(self._watches))
                if is_all or await self._is_one_back(gone):
                    break
        await self._clock.sleep(watch.debounce_s)

    async def _is_one_back(self, gone: list[str]) -> bool:
        state = self._ledger.state
        known = list(stored_files(state.catalog))
        usable = [
            is_usable(SCAN, self._notes, state.catalog, name, known)
            for name in gone
            if not state.health.is_hanging(name)  # a probe notices when it responds again
        ]
        return any(await asyncio.gather(*usable))

    async def _record_gone(self, name: str, why: VaultGone) -> None:
        watch = self._watches.get(name)
        if watch is not None and watch.states.vault_gone():
            log.warning("a collection cannot be used", collection=name, reason=why.reason)
            await self._ledger.journal.append(NAME, unavailable_fact(why))

    async def _scan(self) -> None:
        began = self._clock.monotonic()
        state = self._ledger.state
        began_seq, config = state.seq, self._settings.current
        known = list(stored_files(state.catalog))  # a copy, for threads
        scanned = await scan_all(SCAN, self._notes, state.catalog, state.health, known=known)
        scanned.began_seq = began_seq
        if self._settings.current is not config:  # other folders than are read from now on
            self._requests.request()
            return
        self._watches.set_names([*scanned.roots, *scanned.gone])
        for name, root in scanned.roots.items():
            if watch := self._watches.get(name):
                watch.loop.set_folders(root.folders)
                watch.states.vault_found(root.identity)
        for name, why in scanned.gone.items():
            await self._record_gone(name, why)
        if not scanned.roots:
            return
        moves: Moves = {}
        if state.jobs.reading_notes is None:
            stored = stored_files(state.catalog)
            includes = self._notes.includes
            moves = await moves_in_scan(self._notes, scanned, stored, includes=includes)
        if state.jobs.reading_notes is not None:
            self._requests.request_after_job()  # what the job has yet to store would look changed
            return
        await self._compare(scanned, moves, lambda: self._clock.monotonic() - began)

    async def _compare(self, scanned: VaultScan, moves: Moves, took_s: Callable[[], float]) -> None:
        """Compare the scan with the catalog, and record the differences."""
        state = self._ledger.state
        stored = stored_files(state.catalog)
        plan = plan_sync(
            scanned.notes,
            stored,
            includes=self._notes.includes,
            may_exist=scanned.may_exist,
            moves=moves,
            paths=scanned.paths,
        )
        plan = self._hold.apply_to(plan, stored, scanned)
        notes = self._left_out.pick(scanned)
        is_pending = self._announcer.is_pending
        upserts = self._left_out.without_unchanged(plan.upserts, notes, is_pending)
        removals = [*plan.removals, *moves.values()]
        if state.follows_vault:  # before the first index there is nothing to compare with
            unlisted = self._listed_but_gone(scanned)
            await self._announcer.announce_new(upserts, [*removals, *unlisted])
            await self._hold.record(NAME, plan.held)
            for skipped in skipped_facts(scanned, state.catalog.skipped):
                await self._ledger.journal.append(NAME, skipped)
        self._left_out.remember(notes)
        fact = scanned_fact(scanned, plan, upserts, int(took_s() * 1000))
        await self._ledger.journal.append(NAME, fact)

    def _listed_but_gone(self, scanned: VaultScan) -> list[str]:
        """Skipped and failed notes that do not exist any more."""
        catalog = self._ledger.state.catalog
        listed = catalog.skipped.keys() | catalog.failed.keys()
        if not listed:
            return []
        present = scanned.paths.union(path for path, _ in scanned.skipped)
        return vanished(listed, present, scanned.may_exist)
