"""Whether syncing is held for a while, as a person asked. A fold; pure: it never looks at a clock.

When the time is over is a fact, too (`SyncResumed`). From then on a sync is owed until a job
begins, so that a crash in between loses nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from ragd.eventlog.frame import Record
from ragd.events import JobRequested, JobStarted, SyncPaused, SyncResumed

BY_CLIENT = "tool"  # the origin of a job that somebody asked for


class Pause(Struct):
    """`until`: held up to then; None: not held."""

    since: str | None = None
    until: str | None = None
    asked: bool = False  # a job was asked for meanwhile: it is done, with its vectors
    owed: bool = False  # a sync, since the pause ended

    @property
    def holds(self) -> bool:
        """Nothing is indexed unless somebody asks for it."""
        return self.until is not None

    @property
    def holds_vectors(self) -> bool:
        """No vectors are made for what is stored."""
        return self.holds and not self.asked


def _paused(pause: Pause, event: SyncPaused, record: Record) -> None:
    pause.since = pause.since if pause.holds else record.ts
    pause.until = event.until
    pause.asked = pause.owed = False


def _resumed(pause: Pause, event: SyncResumed, record: Record) -> None:
    pause.owed = pause.owed or pause.holds
    pause.since = pause.until = None
    pause.asked = False


def _requested(pause: Pause, event: JobRequested, record: Record) -> None:
    pause.asked = pause.holds and (pause.asked or event.origin == BY_CLIENT)
    pause.owed = False


def _started(pause: Pause, event: JobStarted, record: Record) -> None:
    pause.owed = False


HANDLERS: Mapping[type, Callable[[Pause, Any, Record], None]] = {
    SyncPaused: _paused,
    SyncResumed: _resumed,
    JobRequested: _requested,
    JobStarted: _started,
}
