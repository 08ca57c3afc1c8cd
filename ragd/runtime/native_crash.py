"""A mark that native code crashed the process. A damaged index can make lance abort its process,
and then no fact is recorded.

The mark is the trace that the interpreter writes during the crash: functions and lines of code, no
note text. It stays until another process has checked the index. `kill -9` leaves no mark; a service
manager's watchdog does.
"""

import contextlib
import faulthandler
import os
from pathlib import Path

import structlog

TRACE_MAX_BYTES = 256 * 1024

log = structlog.get_logger("daemon")


class CrashMark:
    """A file that is empty unless the last run, or an earlier one, crashed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def watch(self) -> None:
        """From now on, a crash of this process leaves the mark. A failure here is only logged."""
        try:
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            if os.fstat(handle).st_size > TRACE_MAX_BYTES:
                os.truncate(handle, TRACE_MAX_BYTES)
        except OSError as why:
            log.warning("a crash would leave no trace", exception=type(why).__name__)
        else:
            faulthandler.enable(handle)  # it stays open until the process ends

    @property
    def is_set(self) -> bool:
        try:
            return self._path.stat().st_size > 0
        except OSError:
            return False

    def clear(self) -> None:
        """Empty the file, because the index was checked or removed. If the disk cannot be written
        to, the mark stays."""
        if self.is_set:
            with contextlib.suppress(OSError):
                os.truncate(self._path, 0)
