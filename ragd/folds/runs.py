"""The runs of the daemon: the current one, how the last one ended, which actors crashed. Pure."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from ragd.eventlog.frame import Record
from ragd.events import ActorCrashed, DaemonStarted, DaemonStopped, PreviousStop


class Crash(Struct, frozen=True):
    """How often an actor crashed in this run, and where it crashed last."""

    count: int
    exception: str
    location: str
    at: str


class Runs(Struct):
    """The current run, or the last one."""

    id: str | None = None
    version: str | None = None
    started_at: str | None = None
    stopped_at: str | None = None
    crashes: dict[str, Crash] = field(default_factory=dict)

    @property
    def previous_stop(self) -> PreviousStop:
        """What the next run records about this one."""
        if self.id is None:
            return "none"
        return "clean" if self.stopped_at is not None else "crash"


def _started(runs: Runs, event: DaemonStarted, record: Record) -> None:
    runs.id = record.run
    runs.version = event.version
    runs.started_at = record.ts
    runs.stopped_at = None
    runs.crashes = {}


def _stopped(runs: Runs, event: DaemonStopped, record: Record) -> None:
    runs.stopped_at = record.ts


def _crashed(runs: Runs, event: ActorCrashed, record: Record) -> None:
    known = runs.crashes.get(event.name)
    count = known.count + 1 if known is not None else 1
    runs.crashes[event.name] = Crash(count, event.exception, event.location, record.ts)


HANDLERS: Mapping[type, Callable[[Runs, Any, Record], None]] = {
    DaemonStarted: _started,
    DaemonStopped: _stopped,
    ActorCrashed: _crashed,
}
