"""The log and its folds as one: opened together, moving together, snapshot together.

When an append returns, `state` has taken the fact into account. It never reads the world for
itself: what it knows is in the records. Of the clock it keeps when each job of this run began.
"""

import asyncio
import time
from collections import deque
from pathlib import Path

import structlog
from msgspec import Raw, Struct

from ragd.clock import Clock, seconds_between
from ragd.errors import LogUnreadable
from ragd.eventlog.append import SEGMENT_MAX_BYTES, Appender
from ragd.eventlog.disk import RealDisk
from ragd.eventlog.frame import Record
from ragd.eventlog.journal import Journal
from ragd.eventlog.recovery import Incident, mark_recorded, recover
from ragd.eventlog.segment import first_seq_of, segment_names
from ragd.eventlog.snapshot import (
    Snapshot,
    clear_half_written,
    drop_old_segments,
    forget_old_snapshots,
    write_snapshot,
)
from ragd.events import JobStarted, SegmentQuarantined
from ragd.folds import FOLDS_VERSION, State, apply
from ragd.folds.encoding import encode_later
from ragd.runtime.crash_points import crashpoint
from ragd.state.replay import state_at, states

VERDICTS_MAX = 1024
BEGAN_MAX = 256

log = structlog.get_logger("ledger")


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
        clear_half_written(snapshots)
        self.state = next(states(snapshots), State())
        self.snapshot_seq = self.state.seq
        self._disk = RealDisk(events)
        self._verdicts: deque[Verdict] = deque(maxlen=VERDICTS_MAX)
        self._judged = asyncio.Event()
        self._opened = clock.monotonic()
        self._began: dict[str, float] = {}  # jobs of this run, by the clock that nobody can set
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
        if isinstance(record.event, JobStarted):
            self._note_start(record.event.job_id)
        if health.state != before or health.reasons.keys() != reasons:
            verdict = Verdict(record.seq, before, health.state, health.worst_first)
            self._verdicts.append(verdict)
            self._judged.set()

    def _note_start(self, job_id: str) -> None:
        self._began.setdefault(job_id, self._clock.monotonic())
        if len(self._began) > BEGAN_MAX:
            del self._began[next(iter(self._began))]

    @property
    def uptime_ms(self) -> int:
        """How long this run has lasted, though the wall clock was set meanwhile."""
        return int((self._clock.monotonic() - self._opened) * 1000)

    def took_ms(self, job_id: str, started_at: str | None) -> int:
        """How long a job has taken until now, though the wall clock was set meanwhile. For a job
        that an earlier run began there is only the wall clock to ask."""
        if job_id in self._began:
            return int((self._clock.monotonic() - self._began[job_id]) * 1000)
        if started_at is None:
            return 0
        return max(0, int(seconds_between(started_at, self._clock.now()) * 1000))

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
        seq, encode = self.state.seq, encode_later(self.state)  # it moves on while we write
        snapshot = self._snapshot(seq, await asyncio.to_thread(encode))
        await asyncio.to_thread(write_snapshot, self._snapshots, snapshot)
        self.snapshot_seq = snapshot.seq
        return await asyncio.to_thread(self._drop_what_is_old)

    def _snapshot(self, seq: int, encoded: bytes) -> Snapshot:
        return Snapshot(FOLDS_VERSION, seq, self._clock.now(), self._created_by, Raw(encoded))

    def _drop_what_is_old(self) -> list[str]:
        dropped = drop_old_segments(self._events, self._snapshots, time.time(), self._told_at)
        self.oldest_seq = first_seq_of(segment_names(self._disk)[0])
        forget_old_snapshots(self._snapshots, self.oldest_seq, FOLDS_VERSION)
        return dropped

    def _told_at(self, seq: int) -> Snapshot | None:
        """The state after `seq` by the log itself, unless damage has made it untellable."""
        try:
            state = state_at(self._events, self._snapshots, seq)
        except (OSError, LogUnreadable):
            state = None
        if state is None:
            log.warning("old segments are damaged; without them replay reaches less far", seq=seq)
            return None
        return self._snapshot(state.seq, encode_later(state)())
