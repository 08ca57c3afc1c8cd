"""Whether a process is gone: by its handle where the system has them, else by its number.

It never ends one. A number that another process has got since is not waited for.
"""

import os
import select
import sys
import time
from types import TracebackType

from ragd.paths import Home

_LOOK_EVERY_S = 0.02


class Watched:
    """A daemon's process, from before it is asked to stop."""

    def __init__(self, pid: object, home: Home) -> None:
        self._pid = pid if isinstance(pid, int) and _is_daemon(pid, home) else None
        self._handle: int | None = None
        if self._pid is not None and hasattr(os, "pidfd_open"):
            try:
                self._handle = os.pidfd_open(self._pid)
            except OSError:  # it is gone already, or the kernel is too old
                self._handle = None

    def __enter__(self) -> "Watched":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        why: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handle is not None:
            os.close(self._handle)

    def gone_within(self, seconds: float) -> bool:
        """Wait until it has ended; False if it has not in time."""
        if self._handle is not None:
            return bool(select.select([self._handle], [], [], max(seconds, 0.0))[0])
        deadline = time.monotonic() + seconds
        while self._pid is not None and _exists(self._pid):
            if time.monotonic() > deadline:
                return False
            time.sleep(_LOOK_EVERY_S)
        return True


def _is_daemon(pid: int, home: Home) -> bool:
    """Whether this is a daemon of ours; of a number in another container we know nothing."""
    if sys.platform != "linux":
        return _exists(pid)
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return False
    return os.fsencode(home.root) in words or b"ragd" in words


def _exists(pid: int) -> bool:
    if sys.platform == "win32":
        return False  # to ask by a signal would end it there; the lock has to do
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
