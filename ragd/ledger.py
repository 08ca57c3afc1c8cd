"""The log and its folds as one: opened together, moving together, snapshot together.

When an append returns, `state` has taken the fact into account. It never reads the clock or the
world for itself: what it knows is in the records.
"""

import asyncio
import time
from collections import deque
from pathlib import Path

from msgspec import Raw, Struct

from ragd.clock import Clock
from ragd.crashpoints import crashpoint
from ragd.eventlog.append import SEGMENT_MAX_BYTES, Appender
from ragd.eventlog.disk import RealDisk
from ragd.eventlog.frame import Record
from ragd.eventlog.journal import Journal
from ragd.eventlog.recovery import Incident, mark_recorded, recover
from ragd.eventlog.scan import first_seq_of, segment_names
from ragd.eventlog.snapshot import Snapshot, drop_old_segments, write_snapshot
from ragd.events import SegmentQuarantined
from ragd.folds import FOLDS_VERSION, State, apply, encode_state
from ragd.replay import states

VERDICTS_MAX = 1024


class Verdict(Struct, frozen=True):
    """Health as it was after record `seq`."""

    seq: int
    before: str
    after: str
    reasons: list[str]


class Ledger:
    """One open log with its state. `journal.run()` must be running for appends to come back."""

    def __init__(
        self,
        events: Path,
        snapshots: Path,
        clock: Clock,
        run: str,
        created_by: str,
        segment_max_bytes: int = SEGMENT_MAX_BYTES,
    ) -> None:
        self._events = events
        self._snapshots = snapshots
        self._clock = clock
        self._created_by = created_by
        self.run_id = run
        self.state = next(states(snapshots), State())
        self.snapshot_seq = self.state.seq
        self._disk = RealDisk(events)
        self._verdicts: deque[Verdict] = deque(maxlen=VERDICTS_MAX)
        self._judged = asyncio.Event()
        recovered = recover(self._disk, self.state.seq, self._recall)
        names = segment_names(self._disk)
        self.oldest_seq = first_seq_of(names[0]) if names else recovered.position.next_seq
        self.incidents: list[Incident] = recovered.incidents
        appender = Appender(self._disk, recovered.position, run, created_by, segment_max_bytes)
        self.journal = Journal(self._disk, appender, clock, self._apply)

    def _recall(self, record: Record) -> None:
        apply(self.state, record)

    def _apply(self, record: Record) -> None:
        health = self.state.health
        before, reasons = health.state, health.reasons.keys()
        apply(self.state, record)
        if health.state != before or health.reasons.keys() != reasons:
            verdict = Verdict(record.seq, before, health.state, health.worst_first)
            self._verdicts.append(verdict)
            self._judged.set()

    async def next_verdict(self) -> Verdict:
        """The next change of health, exactly as it was when its record was folded."""
        while not self._verdicts:
            self._judged.clear()
            await self._judged.wait()
        return self._verdicts[0]

    def verdict_recorded(self) -> None:
        """The change that `next_verdict` gave is in the log now."""
        self._verdicts.popleft()

    async def record_incidents(self) -> None:
        """Say in the log what opening it had to repair. Never silent, not even after a crash."""
        if not self.incidents:
            return
        crashpoint("recovery.before_record")
        for incident in self.incidents:
            await self.journal.append("daemon", incident)
        await asyncio.to_thread(mark_recorded, self._disk, self.incidents)
        if any(isinstance(incident, SegmentQuarantined) for incident in self.incidents):
            await self.snapshot()  # the next start need not stumble over the same gap
        self.incidents = []

    async def snapshot(self) -> list[str]:
        """Write down what the folds know now, and drop segments that nobody needs any more."""
        state = encode_state(self.state)  # here and now: the state moves on while we write
        seq = self.state.seq
        snapshot = Snapshot(FOLDS_VERSION, seq, self._clock.now(), self._created_by, Raw(state))
        await asyncio.to_thread(write_snapshot, self._snapshots, snapshot)
        self.snapshot_seq = seq
        dropped = await asyncio.to_thread(
            drop_old_segments, self._events, self._snapshots, time.time()
        )
        self.oldest_seq = first_seq_of(segment_names(self._disk)[0])
        return dropped
