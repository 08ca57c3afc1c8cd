"""Ending the daemon: asked over its socket, waited for until its process is gone. It never kills.

The lock says who runs; it is free a little before the process has ended.
"""

import time
from typing import NamedTuple

from ragctl.daemon.client import request
from ragctl.daemon.connection import not_running
from ragctl.daemon.lockfile import holder
from ragctl.daemon.processes import Watched
from ragctl.daemon.start import tell_version
from ragctl.failure import Disconnected, NotRunning, TimedOut
from ragd.paths import Home

_LOOK_EVERY_S = 0.02


class Ended(NamedTuple):
    """Which process is gone (None: it never said), and how long that took."""

    pid: int | None
    took_s: float


def end_daemon(home: Home, within_s: float) -> Ended:
    """Come back when it is gone. Raises NotRunning where none is, TimedOut where one stays."""
    began = time.monotonic()
    about = holder(home)
    pid = (about or {}).get("pid")
    with Watched(pid, home) as process:
        asked = _ask(home, within_s)
        if about is None and not asked:
            raise not_running()
        while holder(home) is not None:
            if time.monotonic() - began > within_s:
                raise _still_there(pid, asked)
            # It may have been starting when we asked, or be too busy to listen.
            asked = asked or _ask(home, within_s)
            time.sleep(_LOOK_EVERY_S)
        if not process.gone_within(began + within_s - time.monotonic()):
            raise _still_ending(pid)
    return Ended(pid, time.monotonic() - began)


def _ask(home: Home, within_s: float) -> bool:
    """Whether a daemon took the request."""
    try:
        answer = request(home, "POST", "/v1/stop", timeout=max(within_s, 0.1))
        answer.envelope  # noqa: B018  (raises what is not the daemon's)
        tell_version(answer, "`ragctl start` starts one of ragctl's own version")
    except (NotRunning, Disconnected):  # gone, or going
        return False
    return True


def _still_there(pid: object, asked: bool) -> TimedOut:
    why = "was asked to stop and is still there" if asked else "is there but does not listen"
    return TimedOut(
        f"The daemon{f' (pid {pid})' if pid else ''} {why}.",
        f"Wait and try again, or end it with `kill {pid}`." if pid else "Wait and try again.",
    )


def _still_ending(pid: object) -> TimedOut:
    return TimedOut(
        f"The daemon has stopped, but its process (pid {pid}) has not ended yet.",
        f"Nothing is lost. Wait a moment, or end it with `kill {pid}`.",
    )
