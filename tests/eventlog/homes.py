"""A home on the real disk with an open ledger, as in the daemon."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from ragd.eventlog.append import SEGMENT_MAX_BYTES
from ragd.eventlog.segment import SUFFIX
from ragd.events import (
    BatchStored,
    Fact,
    FileChange,
    FilesChanged,
    IndexActivated,
    JobFinished,
    JobStarted,
    StoredFile,
    VaultScanned,
)
from ragd.folds import State, encode_state
from ragd.state.ledger import Ledger
from tests.eventlog.clocks import HandClock


class Home:
    """The folders of one home, and helpers to read them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.events = root / "events"
        self.snapshots = root / "snapshots"
        self.sync_result = root / "sync-result.json"
        self.clock = HandClock()
        self._runs = 0

    def open(self, segment_max_bytes: int = SEGMENT_MAX_BYTES) -> Ledger:
        self._runs += 1
        run = f"run {self._runs}"
        return Ledger(self.events, self.snapshots, self.clock, run, "ragd test", segment_max_bytes)

    @asynccontextmanager
    async def ledger(self, segment_max_bytes: int = SEGMENT_MAX_BYTES) -> AsyncIterator[Ledger]:
        """An open ledger with a running writer; its repairs are recorded."""
        ledger = self.open(segment_max_bytes)
        writer = asyncio.create_task(ledger.journal.run())
        await ledger.record_incidents()
        yield ledger
        await ledger.journal.close()
        await writer

    @property
    def segments(self) -> list[Path]:
        return sorted(p for p in self.events.iterdir() if p.suffix == SUFFIX)

    @property
    def aside(self) -> list[str]:
        folder = self.events / "aside"
        return sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []

    @property
    def kept_snapshots(self) -> list[int]:
        return sorted(int(p.stem) for p in self.snapshots.iterdir())

    def age(self, count: int) -> None:
        """Make the oldest segments too old to be kept."""
        for path in self.segments[:count]:
            os.utime(path, (time.time() - 40 * 86_400,) * 2)

    def bytes(self) -> dict[str, bytes]:
        """The bytes of every file."""
        files = (p for p in self.root.rglob("*") if p.is_file())
        return {str(p.relative_to(self.root)): p.read_bytes() for p in files}


def a_days_work(notes: int = 8) -> list[Fact]:
    """Facts that change every fold."""
    paths = [f"folder/note {i}.md" for i in range(notes)]
    facts: list[Fact] = [
        FilesChanged(changes=[FileChange(path, "added") for path in paths]),
        JobStarted(job_id="job", mode="full", files_planned=notes, files_removed=0),
        IndexActivated(generation="g1", provider="embedded", model="m", dimensions=384),
    ]
    for i, path in enumerate(paths):
        file = StoredFile(path, f"{i:064x}", i, i, chunks=i + 1, embedded=i)
        facts.append(BatchStored(job_id="job", files=[file], removed=[], table_version=i))
    facts.append(
        JobFinished(
            job_id="job",
            mode="full",
            outcome="complete",
            indexed_files=notes,
            removed_files=0,
            total_chunks=36,
            duration_ms=5,
        )
    )
    facts.append(VaultScanned(files=notes, changed=0, removed=0, newest_mtime="2026-01-01"))
    return facts


async def work(ledger: Ledger, facts: Sequence[Fact] | None = None) -> list[bytes]:
    """Record facts one by one. Returns the state after each."""
    after: list[bytes] = []
    for fact in a_days_work() if facts is None else facts:
        await ledger.journal.append("actor", fact)
        after.append(encode_state(ledger.state))
    return after


def same(one: State, other: State) -> bool:
    return encode_state(one) == encode_state(other)
