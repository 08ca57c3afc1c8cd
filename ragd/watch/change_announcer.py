"""Collects changed paths, waits until each is settled, and records them (`FilesChanged`).

It reads no note. Changes inside a moved folder are left to a rescan.
"""

import asyncio
from typing import Protocol

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.events import FileChange, FilesChanged
from ragd.notes.documents.kinds import is_growing
from ragd.state.ledger import Ledger
from ragd.vault.collection_calls import (
    CollectionPaths,
    GrowingFiles,
    find_kinds,
    find_not_due,
)
from ragd.vault.file_events import ROOT, EventKind, FileEvent
from ragd.vault.threads import SCAN
from ragd.watch.debounce import Debounce
from ragd.watch.left_out_notes import LeftOutNotes
from ragd.watch.rescan_requests import RescanRequests

NAME = "watcher"
DEBOUNCED_MAX = 4000  # paths; if more change, everything is scanned
OVERFLOW_EVENTS = 1000  # with this many events at once, the system's queue may have overflowed


class PathInspector(CollectionPaths, GrowingFiles, Protocol):
    """Which paths are notes, and what is at a path."""

    def includes(self, path: str) -> bool: ...


class ChangeAnnouncer:
    """Turns bursts of file events into facts."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        notes: PathInspector,
        left_out: LeftOutNotes,
        rescans: RescanRequests,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._notes = notes
        self._left_out = left_out
        self._rescans = rescans
        self._debounce = Debounce()  # ROOT in it stands for a scan of everything
        self._has_changes = asyncio.Event()
        self._announcing: frozenset[str] = frozenset()  # settled, and not recorded yet

    def is_pending(self, path: str) -> bool:
        """Whether a change of this path is recorded and waits, or will be recorded soon."""
        waiting = self._ledger.state.catalog.waiting
        return path in self._announcing or path in waiting or path in self._debounce

    def add(self, burst: set[FileEvent]) -> None:
        """These events have just happened."""
        if not burst:
            return
        now = self._clock.monotonic()
        paths = {path for kind, path in burst if self._may_matter(kind, path)}
        has_room = len(paths) + len(self._debounce) <= DEBOUNCED_MAX
        if not has_room or len(burst) > OVERFLOW_EVENTS or ROOT in self._debounce:
            self._debounce.add(ROOT, now)  # the scan also waits until everything is settled
        for path in paths:
            if has_room or path in self._debounce:
                self._debounce.add(path, now)
        if self._debounce:
            self._has_changes.set()

    def _may_matter(self, kind: EventKind, path: str) -> bool:
        """A note, or something that was added or deleted and may be a folder of notes."""
        if path == ROOT or "/." in f"/{path}":
            return path == ROOT and kind != "modified"
        return kind != "modified" or self._notes.includes(path)

    async def run(self) -> None:
        """Record paths as they settle."""
        while True:
            if not self._debounce:
                self._has_changes.clear()
                await self._has_changes.wait()
            silence = self._settings.current.watch.debounce_s
            due = self._debounce.next_due(silence)
            await self._clock.sleep(max(0.0, due - self._clock.monotonic()))
            settled = self._debounce.pop_settled(self._clock.monotonic(), silence)
            if ROOT in settled:
                self._rescans.request()
            if paths := [path for path in settled if path != ROOT]:
                self._announcing = frozenset(paths)
                self._left_out.forget(paths)
                try:
                    await self._announce(paths)
                finally:
                    self._announcing = frozenset()

    async def announce_now(self, paths: list[str]) -> None:
        """These notes have just been written or removed by ragd itself: they are settled."""
        self._left_out.forget(paths)
        await self._announce(paths)

    async def _announce(self, paths: list[str]) -> None:
        """Compare these settled paths with the catalog, and record how they differ."""
        catalog = self._ledger.state.catalog
        present, unknown = await find_kinds(SCAN, self._notes, paths)
        if unknown:
            self._rescans.request()  # their collection is gone
        missing = [path for path in paths if path not in present and path not in unknown]
        if "folder" in present.values() or any(map(catalog.is_folder, missing)):
            self._rescans.request()  # the notes in it get no events of their own
        if not self._ledger.state.follows_vault:
            self._rescans.request_after_job()  # the first job may have read these paths before
            return
        upserts = [
            path for path, kind in present.items() if kind == "file" and self._notes.includes(path)
        ]
        if growing := [path for path in upserts if is_growing(path)]:
            later = await find_not_due(SCAN, self._notes, growing)
            upserts = [path for path in upserts if path not in later]
        listed = (catalog.waiting, catalog.skipped, catalog.failed)
        deleted = [
            path
            for path in missing
            if catalog.is_stored(path) or any(path in one for one in listed)
        ]
        await self._record(upserts, deleted)

    async def announce_new(self, upserts: list[str], removals: list[str]) -> None:
        """Record what a scan found, without the paths that are pending already."""
        await self._record(
            [path for path in upserts if not self.is_pending(path)],
            [path for path in removals if not self.is_pending(path)],
        )

    async def _record(self, upserts: list[str], deleted: list[str]) -> None:
        known = self._ledger.state.catalog.files
        changes = [FileChange(path, "modified" if path in known else "added") for path in upserts]
        changes += [FileChange(path, "deleted") for path in deleted]
        if changes:
            await self._ledger.journal.append_parts(NAME, FilesChanged(changes=changes))
