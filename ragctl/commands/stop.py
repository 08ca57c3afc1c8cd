"""`ragctl stop`: comes back when the daemon has really gone and its lock is free. Never kills."""

import argparse
import time

from ragctl.cli import add_json, at_least
from ragctl.client import request
from ragctl.failure import Disconnected, NotRunning, TimedOut
from ragctl.launch import tell_version
from ragctl.lockfile import holder
from ragctl.render import emit_json
from ragctl.wire import not_running
from ragd.errors import EXIT_OK
from ragd.paths import Home

EXAMPLES = (
    ("ragctl stop", "stop the daemon; what is under way is finished or kept for later"),
    ("ragctl stop --timeout 60", "give it a minute before giving up with exit 75"),
)
_LOOK_EVERY_S = 0.02


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "--timeout",
        type=at_least(0, float),
        default=15.0,
        metavar="S",
        help="seconds to wait until it is gone (15)",
    )


def run(args: argparse.Namespace) -> int:
    began = time.monotonic()
    pid = stopped(args.home, args.timeout)
    if args.json:
        took_ms = round((time.monotonic() - began) * 1000)
        emit_json({"stopped": True, "pid": pid, "took_ms": took_ms})
    else:
        print(f"ragd stopped{f' (pid {pid})' if pid else ''}.")
    return EXIT_OK


def stopped(home: Home, within: float) -> object:
    """The pid of the daemon that is gone now. Raises NotRunning or, where it stays, TimedOut."""
    began = time.monotonic()
    about = holder(home)
    asked = _ask(home, within)
    if about is None and not asked:
        raise not_running()
    pid = (about or {}).get("pid")
    while holder(home) is not None:
        if time.monotonic() - began > within:
            raise _still_there(pid, asked)
        # It may have been starting when we asked, or be too busy to listen.
        asked = asked or _ask(home, within)
        time.sleep(_LOOK_EVERY_S)
    return pid


def _ask(home: Home, timeout: float) -> bool:
    """Whether a daemon took the request."""
    try:
        answer = request(home, "POST", "/v1/stop", timeout=max(timeout, 0.1))
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
