"""Every change of health in a log, from its files alone.

It compares the folded state after each record and ignores `health_changed` facts, so it also
finds a change whose fact was lost in a crash.
"""

from pathlib import Path

import orjson

from ragctl.views.timeline import TimelineChange, cause_fields
from ragd.errors import HEALTHY
from ragd.eventlog.frame import Record, record_json
from ragd.folds import State
from ragd.state.replay import replay, states_newest_first


class HealthHistory:
    """The changes in order, and the reasons that held before the first one."""

    def __init__(self) -> None:
        self.changes: list[TimelineChange] = []
        self.reasons_before: list[str] = []
        self.damage: list[str] = []
        self._health = HEALTHY
        self._reasons: list[str] = []

    def start_from(self, state: State) -> None:
        """Start from a snapshot's state, for a log whose beginning is gone."""
        self._health, self._reasons = state.health.state, state.health.worst_first
        self.reasons_before = self._reasons

    def add_record(self, record: Record, state: State) -> None:
        """Compare the state after this record with the one before."""
        after, reasons = state.health.state, state.health.worst_first
        if after != self._health or set(reasons) != set(self._reasons):
            cause = cause_fields(orjson.loads(record_json(record)))
            self.changes.append(
                TimelineChange(record.seq, record.ts, self._health, after, reasons, cause)
            )
        self._health, self._reasons = after, reasons


def read_health_history(
    events: Path, snapshots: Path, until: int | None, at: str | None
) -> HealthHistory:
    """The history up to a seq or a time. Raises TooOld if retention has deleted that part."""
    history = HealthHistory()
    has_started = False

    def add_record(record: Record, state: State) -> None:
        nonlocal has_started
        if not has_started and record.seq > 1:
            for anchor in states_newest_first(snapshots):
                if anchor.seq == record.seq - 1:
                    history.start_from(anchor)
        has_started = True
        history.add_record(record, state)

    found = replay(events, snapshots, until=until, at=at, from_scratch=True, on_record=add_record)
    history.damage = found.damage
    return history
