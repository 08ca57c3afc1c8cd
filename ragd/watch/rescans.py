"""Scans the whole vault: at the start, every few minutes, and when a scan is requested.

File events can get lost silently; a scan finds what they missed. It reads no note and removes none.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

import structlog

from ragd.batch.deletion_hold import DeletionHold
from ragd.batch.moved_notes import Moves, moves_in_scan
from ragd.batch.sync_plan import SyncPlan, plan_sync, vanished
from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.events import VaultScanned
from ragd.folds.catalog import Entry
from ragd.folds.stored import stored_files
from ragd.state.ledger import Ledger
from ragd.vault.files import NoteFile
from ragd.vault.note_reader import VaultGone, VaultScan
from ragd.vault.threads import SCAN, unavailable_fact
from ragd.watch.change_announcer import NAME, ChangeAnnouncer
from ragd.watch.left_out_notes import LeftOutNotes
from ragd.watch.rescan_requests import RescanRequests
from ragd.watch.watch_loop import WatchLoop
from ragd.watch.watch_state import WatchStates

GONE_AGAIN_S = 5.0  # the time between two scans while the vault is gone

log = structlog.get_logger(NAME)


class VaultScanner(Protocol):
    """Scans the vault and compares notes; all but `includes` is called in a thread."""

    def scan(self, *, may_be_empty: bool, known: Sequence[str] = ()) -> VaultScan: ...

    def includes(self, path: str) -> bool: ...

    def find_moves(
        self, missing: Mapping[str, Entry], appeared: Sequence[NoteFile], known: Mapping[str, str]
    ) -> Moves: ...


class Rescans:
    """One scan after the other."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        notes: VaultScanner,
        states: WatchStates,
        watch: WatchLoop,
        announcer: ChangeAnnouncer,
        left_out: LeftOutNotes,
        hold: DeletionHold,
        requests: RescanRequests,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._notes = notes
        self._states = states
        self._watch = watch
        self._announcer = announcer
        self._left_out = left_out
        self._hold = hold
        self._requests = requests

    async def run(self) -> None:
        while True:
            self._requests.clear()
            try:
                await self._scan()
            except VaultGone as why:
                await self._record_gone(why)
            await self._wait_until_due()

    async def _wait_until_due(self) -> None:
        """Wait for the next scan, or for a request; but never scan twice without a pause."""
        watch = self._settings.current.watch
        is_present = self._states.is_vault_present
        due = watch.rescan_s if is_present else min(GONE_AGAIN_S, watch.rescan_s)
        await self._requests.wait(self._clock, due)
        await self._clock.sleep(watch.debounce_s)

    async def _record_gone(self, why: VaultGone) -> None:
        if self._states.vault_gone():
            log.warning("the vault cannot be used", reason=why.reason)
            await self._ledger.journal.append(NAME, unavailable_fact(why))

    async def _scan(self) -> None:
        began = self._clock.monotonic()
        state = self._ledger.state
        began_seq = state.seq
        is_new = not state.catalog.holds_notes
        known = list(stored_files(state.catalog))  # a copy, for threads
        scanned = await SCAN.run(self._notes.scan, may_be_empty=is_new, known=known)
        scanned.began_seq = began_seq
        self._watch.set_folders(scanned.folders)
        self._states.vault_found(scanned.identity)
        denied = await asyncio.to_thread(self._denied_paths, known)
        moves: Moves = {}
        if state.jobs.active is None:
            stored = stored_files(state.catalog)
            moves = await moves_in_scan(self._notes, scanned, stored, denied=denied)
        if state.jobs.active is not None:
            self._requests.request_after_job()  # what the job has yet to store would look changed
            return
        await self._compare(scanned, denied, moves, began)

    def _denied_paths(self, paths: list[str]) -> list[str]:
        return [path for path in paths if not self._notes.includes(path)]

    async def _compare(
        self, scanned: VaultScan, denied: list[str], moves: Moves, began: float
    ) -> None:
        """Compare the scan with the catalog, and record the differences."""
        state = self._ledger.state
        stored = stored_files(state.catalog)
        plan = self._hold.apply_to(
            plan_sync(
                scanned.notes,
                stored,
                denied=denied,
                unreadable_folders=scanned.unreadable_folders,
                moves=moves,
            ),
            len(stored),
            scanned.identity[0],
        )
        notes = self._left_out.pick(scanned)
        is_pending = self._announcer.is_pending
        upserts = self._left_out.without_unchanged(plan.upserts, notes, is_pending)
        removals = [*plan.removals, *moves.values()]
        if state.follows_vault:  # before the first index there is nothing to compare with
            unlisted = self._listed_but_gone(scanned)
            await self._announcer.announce_new(upserts, [*removals, *unlisted])
            await self._hold.record(NAME, plan.held)
        self._left_out.remember(notes)
        await self._record_scan(scanned, plan, len(upserts), began)

    def _listed_but_gone(self, scanned: VaultScan) -> list[str]:
        """Skipped and failed notes that do not exist any more."""
        catalog = self._ledger.state.catalog
        listed = catalog.skipped.keys() | catalog.failed.keys()
        present = {path for path, _ in scanned.skipped}.union(note.path for note in scanned.notes)
        return vanished(listed, present, scanned.unreadable_folders)

    async def _record_scan(
        self, scanned: VaultScan, plan: SyncPlan, changed: int, began: float
    ) -> None:
        fact = VaultScanned(
            files=len(scanned.notes),
            changed=changed,
            removed=len(plan.removals) + len(plan.moves) + plan.held,
            newest_mtime=scanned.newest_mtime,
            took_ms=int((self._clock.monotonic() - began) * 1000),
            began=scanned.began,
            began_seq=scanned.began_seq,
            device=scanned.identity[0],
            templates=scanned.templates,
            languages=scanned.languages,
            code_percent=scanned.code_percent,
        )
        await self._ledger.journal.append(NAME, fact)
