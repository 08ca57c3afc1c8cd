"""The daemon as seen from outside: who holds the lock, what is behind the socket, how it is."""

import os
import stat
import sys
from shlex import quote

from ragctl.daemon.client import request
from ragctl.daemon.lockfile import holder
from ragctl.doctor.checks import Finding, fail, ok, warn
from ragctl.failure import Failure, NotRunning
from ragd import __version__
from ragd.errors import UNAVAILABLE
from ragd.paths import Home

# Before what else is wrong: without a vault nothing can be indexed.
_FIRST = ("VAULT_NOT_FOUND", "VAULT_NOT_RESPONDING")


def lock(home: Home) -> Finding:
    about = holder(home)
    if about is None:
        return ok("free: no daemon runs")
    who = f"held by pid {about.get('pid', 'unknown')}"
    version = about.get("version", __version__)
    if version != __version__:
        return warn(
            f"{who}, ragd {version}, while ragctl is {__version__}",
            "Run `ragctl stop`, then `ragctl start`.",
        )
    return ok(f"{who}, ragd {version}")


def socket(home: Home) -> Finding:
    if sys.platform != "win32":
        wrong = _wrong_file(home.socket)
        if wrong is not None:
            return wrong
    running = holder(home) is not None
    there = os.path.exists(home.socket)
    try:
        version = request(home, "GET", "/v1/status").version
    except NotRunning:
        if running:
            return warn(
                "a daemon holds the lock but does not listen: it is starting or stopping",
                "Try again in a moment; `ragctl logs` tells what it is doing.",
            )
        if there:
            return warn(
                f"{home.socket} was left behind by a daemon that was killed",
                "Nothing: the next start takes it away.",
            )
        return ok("none: no daemon runs")
    except Failure as why:
        return fail(why.message, why.suggestion)
    if version != __version__:
        return warn(
            f"{home.socket} answers, but as ragd {version}, while ragctl is {__version__}",
            "Run `ragctl stop`, then `ragctl start`.",
        )
    return ok(f"{home.socket} answers (ragd {version})")


def health(home: Home) -> Finding:
    """What a running daemon says of itself."""
    try:
        data = request(home, "GET", "/v1/status").data
    except NotRunning:
        return ok("not running; `ragctl start` starts it")
    except Failure as why:
        return fail(why.message, why.suggestion)
    reasons = data["reasons"]
    if not reasons:
        return ok(str(data["plugin_health"]))
    said = "\n".join(f"{reason['code']}: {reason['message']}" for reason in reasons)
    judge = fail if data["plugin_health"] == UNAVAILABLE else warn
    first = min(reasons, key=lambda reason: reason["code"] not in _FIRST)
    return judge(said, str(first["suggestion"]))


def _wrong_file(path: str) -> Finding | None:
    try:
        facts = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISSOCK(facts.st_mode):
        return fail(f"{path} is in the way: it is not a socket", f"Move {path} away.")
    mode = stat.S_IMODE(facts.st_mode)
    if mode & 0o177:
        fix = f"Run `chmod 600 {quote(path)}`."
        return fail(f"{path} is open to others (mode {mode:04o})", fix)
    return None
