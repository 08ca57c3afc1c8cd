"""The event log together with its folded state: opened, appended to and snapshotted as one.

When an append returns, `state` includes the fact. It never reads the vault or the index. Besides
the records, it keeps only when each job of this run began, by the monotonic clock.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
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
    drop_old_segments,
    newest_size,
    remove_half_written,
    remove_old_snapshots,
    write_snapshot,
)
from ragd.events import JobStarted, SegmentQuarantined
from ragd.folds import FOLDS_VERSION, State, apply
from ragd.folds.encoding import encode_later
from ragd.runtime.crash_points import crashpoint
from ragd.runtime.garbage_collection import collector_paused
from ragd.state.replay import state_at, states_newest_first

HEALTH_CHANGES_MAX = 1024
JOBS_TIMED_MAX = 256

log = structlog.get_logger("ledger")


class HealthChange(Struct, frozen=True):
    """A change of health by record `seq`."""

    seq: int
    before: str
    after: str
    reasons: list[str]


class Ledger:
    """One open log with its state. Appends return only while `journal.run()` is running."""

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
        remove_half_written(snapshots)
        with collector_paused():  # at 100,000 notes it would look at each of them many times
            self.state = next(states_newest_first(snapshots), State())
        self.snapshot_seq = self.state.seq
        self._disk = RealDisk(events)
        self._health_changes: deque[HealthChange] = deque(maxlen=HEALTH_CHANGES_MAX)
        self._health_changed = asyncio.Event()
        self._opened = clock.monotonic()
        self._job_starts: dict[str, float] = {}  # of this run, on the monotonic clock
        self.listener: Callable[[Record, State], None] | None = None  # gets each record, folded
        with collector_paused():
            recovered = recover(self._disk, self.state.seq, self._fold_recovered)
        names = segment_names(self._disk)
        self.oldest_seq = first_seq_of(names[0]) if names else recovered.position.next_seq
        self.incidents: list[Incident] = recovered.incidents
        appender = Appender(self._disk, recovered.position, run, created_by, segment_max_bytes)
        self._appender = appender
        self._covered_bytes = -recovered.replayed_bytes  # of this run, by the newest snapshot
        self.snapshot_bytes = newest_size(snapshots)
        self.journal = Journal(
            self._disk, appender, clock, self._fold_appended, last_readable=self.state.seq
        )

    def _fold_recovered(self, record: Record) -> None:
        apply(self.state, record)

    def _fold_appended(self, record: Record) -> None:
        health = self.state.health
        before, reasons = health.state, health.reasons.keys()
        apply(self.state, record)
        if isinstance(record.event, JobStarted):
            self._remember_job_start(record.event.job_id)
        if health.state != before or health.reasons.keys() != reasons:
            change = HealthChange(record.seq, before, health.state, health.worst_first)
            self._health_changes.append(change)
            self._health_changed.set()
        if self.listener is not None:
            self.listener(record, self.state)

    def _remember_job_start(self, job_id: str) -> None:
        self._job_starts.setdefault(job_id, self._clock.monotonic())
        if len(self._job_starts) > JOBS_TIMED_MAX:
            del self._job_starts[next(iter(self._job_starts))]

    @property
    def uptime_ms(self) -> int:
        """How long this run has lasted, even if the wall clock was set meanwhile."""
        return int((self._clock.monotonic() - self._opened) * 1000)

    def job_duration_ms(self, job_id: str, started_at: str | None) -> int:
        """How long a job has taken until now, even if the wall clock was set meanwhile. A job that
        an earlier run started is measured by the wall clock."""
        if job_id in self._job_starts:
            return int((self._clock.monotonic() - self._job_starts[job_id]) * 1000)
        if started_at is None:
            return 0
        return max(0, int(seconds_between(started_at, self._clock.now()) * 1000))

    async def next_health_change(self) -> HealthChange:
        """The next change of health that is not recorded yet."""
        while not self._health_changes:
            self._health_changed.clear()
            await self._health_changed.wait()
        return self._health_changes[0]

    def health_change_recorded(self) -> None:
        """The change that `next_health_change` returned is in the log now."""
        self._health_changes.popleft()

    async def record_incidents(self) -> None:
        """Record what was repaired when the log was opened. If the daemon crashes before this, the
        next start records it."""
        if not self.incidents:
            return
        crashpoint("recovery.before_record")
        for incident in self.incidents:
            await self.journal.append("daemon", incident)
        await asyncio.to_thread(mark_recorded, self._disk, self.incidents)
        if any(isinstance(incident, SegmentQuarantined) for incident in self.incidents):
            await self.snapshot()  # so that the next start does not find the same gap
        self.incidents = []

    @property
    def bytes_since_snapshot(self) -> int:
        """How much of the log the next start has to read, about."""
        return self._appender.written_bytes - self._covered_bytes

    async def snapshot(self) -> list[str]:
        """Write the folded state to disk, and drop segments that are past retention."""
        covered = self._appender.written_bytes
        seq, encode = self.state.seq, encode_later(self.state)  # it changes while we write
        snapshot = self._snapshot(seq, await asyncio.to_thread(encode))
        await asyncio.to_thread(write_snapshot, self._snapshots, snapshot)
        self.snapshot_seq, self.snapshot_bytes = snapshot.seq, len(bytes(snapshot.state))
        self._covered_bytes = covered
        return await asyncio.to_thread(self._drop_old_files)

    def _snapshot(self, seq: int, encoded: bytes) -> Snapshot:
        return Snapshot(FOLDS_VERSION, seq, self._clock.now(), self._created_by, Raw(encoded))

    def _drop_old_files(self) -> list[str]:
        dropped = drop_old_segments(
            self._events, self._snapshots, time.time(), self._replayed_snapshot
        )
        self.oldest_seq = first_seq_of(segment_names(self._disk)[0])
        remove_old_snapshots(self._snapshots, self.oldest_seq, FOLDS_VERSION)
        return dropped

    def _replayed_snapshot(self, seq: int) -> Snapshot | None:
        """The state after `seq`, folded from the log; None if damage prevents that."""
        try:
            state = state_at(self._events, self._snapshots, seq)
        except (OSError, LogUnreadable):
            state = None
        if state is None:
            log.warning("old segments are damaged; replay cannot go back before them", seq=seq)
            return None
        return self._snapshot(state.seq, encode_later(state)())
