"""Stops the daemon over its socket and waits until its process has ended. It never kills.

The lock shows which daemon runs; it is released shortly before the process ends.
"""

import time
from typing import NamedTuple

from ragctl.daemon.client import request
from ragctl.daemon.connection import not_running_error
from ragctl.daemon.lockfile import holder
from ragctl.daemon.processes import DaemonProcess
from ragctl.daemon.start import print_version_mismatch
from ragctl.failure import Disconnected, NotRunning, TimedOut
from ragd.paths import Home

_POLL_S = 0.02


class StoppedDaemon(NamedTuple):
    """The pid of the ended process (None: unknown), and how long stopping took."""

    pid: int | None
    took_s: float


def end_daemon(home: Home, within_s: float) -> StoppedDaemon:
    """Stop the daemon and wait. Raises NotRunning if none runs, TimedOut if it does not end."""
    began = time.monotonic()
    found = holder(home)
    pid = (found or {}).get("pid")
    with DaemonProcess(pid, home) as process:
        requested = _request_stop(home, within_s)
        if found is None and not requested:
            raise not_running_error()
        while holder(home) is not None:
            if time.monotonic() - began > within_s:
                raise _not_stopped_error(pid, requested)
            # It may have been starting at the first request, or be too busy to listen.
            requested = requested or _request_stop(home, within_s)
            time.sleep(_POLL_S)
        if not process.wait_until_gone(began + within_s - time.monotonic()):
            raise _process_not_ended_error(pid)
    return StoppedDaemon(pid, time.monotonic() - began)


def _request_stop(home: Home, within_s: float) -> bool:
    """Whether a daemon accepted the request."""
    try:
        answer = request(home, "POST", "/v1/stop", timeout=max(within_s, 0.1))
        answer.envelope  # noqa: B018  (raises if this is not a daemon's answer)
        print_version_mismatch(answer, "`ragctl start` starts ragctl's own version")
    except (NotRunning, Disconnected):  # it has ended or is ending
        return False
    return True


def _not_stopped_error(pid: object, requested: bool) -> TimedOut:
    why = (
        "accepted the stop request but is still running"
        if requested
        else "is running but does not listen"
    )
    return TimedOut(
        f"The daemon{f' (pid {pid})' if pid else ''} {why}.",
        f"Wait and try again, or end it with `kill {pid}`." if pid else "Wait and try again.",
    )


def _process_not_ended_error(pid: object) -> TimedOut:
    return TimedOut(
        f"The daemon has stopped, but its process (pid {pid}) has not ended yet.",
        f"Nothing is lost. Wait a moment, or end it with `kill {pid}`.",
    )
