"""Whether syncing is paused. A fold; pure: it never reads a clock.

The end of a pause is a fact, too (`SyncResumed`). After it a sync is owed until a job begins, so
that a crash in between loses nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from ragd.eventlog.frame import Record
from ragd.events import JobRequested, JobStarted, SyncPaused, SyncResumed

BY_CLIENT = "tool"  # the origin of a job that a client requested


class Pause(Struct):
    """`until`: when the pause ends; None: not paused."""

    since: str | None = None
    until: str | None = None
    asked: bool = False  # a client requested a job meanwhile: it runs, and its vectors are made
    owed: bool = False  # the pause has ended, and a sync has to follow

    @property
    def holds(self) -> bool:
        """Whether only requested jobs run."""
        return self.until is not None

    @property
    def holds_vectors(self) -> bool:
        """Whether no vectors are made."""
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
