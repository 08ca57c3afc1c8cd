"""Whether a daemon process has ended: by its pidfd where the system has one, else by its pid.

It never ends a process. A pid that now belongs to another program is not waited for.
"""

import os
import select
import sys
import time
from types import TracebackType

from ragd.paths import Home

_POLL_S = 0.02


class DaemonProcess:
    """A daemon's process. Create it before the stop request: afterwards the pid may be reused."""

    def __init__(self, pid: object, home: Home) -> None:
        self._pid = pid if isinstance(pid, int) and _is_daemon(pid, home) else None
        self._handle: int | None = None
        if self._pid is not None and hasattr(os, "pidfd_open"):
            try:
                self._handle = os.pidfd_open(self._pid)
            except OSError:  # it has already ended, or the kernel is too old
                self._handle = None

    def __enter__(self) -> "DaemonProcess":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        why: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handle is not None:
            os.close(self._handle)

    def wait_until_gone(self, seconds: float) -> bool:
        """Wait until it has ended; False if the time runs out."""
        if self._handle is not None:
            return bool(select.select([self._handle], [], [], max(seconds, 0.0))[0])
        deadline = time.monotonic() + seconds
        while self._pid is not None and _exists(self._pid):
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_S)
        return True


def _is_daemon(pid: int, home: Home) -> bool:
    """Whether the pid is a ragd daemon. False for a pid from another container."""
    if sys.platform != "linux":
        return _exists(pid)
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            arguments = file.read().split(b"\0")
    except OSError:
        return False
    return os.fsencode(home.root) in arguments or b"ragd" in arguments


def _exists(pid: int) -> bool:
    if sys.platform == "win32":
        return False  # os.kill would end the process on Windows; rely on the lock
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
