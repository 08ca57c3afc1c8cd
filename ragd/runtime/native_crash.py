"""Remembers that a crash ended the process, which no fact can tell: an index that is damaged in
some way makes lance abort, whoever reads it.

The mark is a trace that the interpreter leaves as it goes down: functions and lines of code, and
nothing of a note. It stays until the index has been looked at from another process. kill -9 leaves
none; the watchdog of a service manager does.
"""

import contextlib
import faulthandler
import os
from pathlib import Path

import structlog

LONGEST = 256 * 1024

log = structlog.get_logger("daemon")


class CrashMark:
    """A file that is empty unless that happened, to the last run or to one before."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def watch(self) -> None:
        """From now on, a crash of this process leaves the mark. Without it, one lives too."""
        try:
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            if os.fstat(handle).st_size > LONGEST:
                os.truncate(handle, LONGEST)
        except OSError as why:
            log.warning("a crash would leave no trace", exception=type(why).__name__)
        else:
            faulthandler.enable(handle)  # it stays open as long as we live

    @property
    def is_set(self) -> bool:
        try:
            return self._path.stat().st_size > 0
        except OSError:
            return False

    def clear(self) -> None:
        """What may have caused it is known now, or gone. On a disk that takes nothing it stays."""
        if self.is_set:
            with contextlib.suppress(OSError):
                os.truncate(self._path, 0)
