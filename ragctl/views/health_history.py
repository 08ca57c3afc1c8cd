"""Every change of health that a log tells of, from its files alone.

The folds are asked, not the log's own lines about health: so a change counts even where a crash
came before its line.
"""

from pathlib import Path

import orjson

from ragctl.views.timeline import Change, cause_of
from ragd.errors import HEALTHY
from ragd.eventlog.frame import Record, record_json
from ragd.folds import State
from ragd.state.replay import replay, states_newest_first


class History:
    """The changes in order, and the reasons that held before the first of them."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.known: list[str] = []
        self.damage: list[str] = []
        self._health = HEALTHY
        self._reasons: list[str] = []

    def begin(self, state: State) -> None:
        """A log whose beginning is gone goes on from what a snapshot holds."""
        self._health, self._reasons = state.health.state, state.health.worst_first
        self.known = self._reasons

    def see(self, record: Record, state: State) -> None:
        """The state behind one more record."""
        after, reasons = state.health.state, state.health.worst_first
        if after != self._health or set(reasons) != set(self._reasons):
            cause = cause_of(orjson.loads(record_json(record)))
            self.changes.append(Change(record.seq, record.ts, self._health, after, reasons, cause))
        self._health, self._reasons = after, reasons


def read(events: Path, snapshots: Path, until: int | None, at: str | None) -> History:
    """The history up to a seq or a moment. Raises TooOld where retention has let go of that."""
    history = History()
    begun = False

    def see(record: Record, state: State) -> None:
        nonlocal begun
        if not begun and record.seq > 1:
            for anchor in states_newest_first(snapshots):
                if anchor.seq == record.seq - 1:
                    history.begin(anchor)
        begun = True
        history.see(record, state)

    found = replay(events, snapshots, until=until, at=at, from_scratch=True, on_record=see)
    history.damage = found.damage
    return history
