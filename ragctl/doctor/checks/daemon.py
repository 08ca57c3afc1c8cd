"""The daemon from outside: which process holds the lock, what the socket is, its health."""

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

# Shown before other reasons: without a vault nothing can be indexed.
_FIRST = ("VAULT_NOT_FOUND", "VAULT_NOT_RESPONDING")


def lock(home: Home) -> Finding:
    found = holder(home)
    if found is None:
        return ok("free: no daemon is running")
    held = f"held by pid {found.get('pid', 'unknown')}"
    version = found.get("version", __version__)
    if version != __version__:
        return warn(
            f"{held}, ragd {version}, while ragctl is {__version__}",
            "Run `ragctl stop`, then `ragctl start`.",
        )
    return ok(f"{held}, ragd {version}")


def socket(home: Home) -> Finding:
    if sys.platform != "win32":
        wrong = _wrong_file(home.socket)
        if wrong is not None:
            return wrong
    running = holder(home) is not None
    has_socket = os.path.exists(home.socket)
    try:
        version = request(home, "GET", "/v1/status").version
    except NotRunning:
        if running:
            return warn(
                "a daemon holds the lock but does not listen: it is starting or stopping",
                "Try again in a moment; `ragctl logs` shows what it is doing.",
            )
        if has_socket:
            return warn(
                f"{home.socket} was left behind by a daemon that was killed",
                "Nothing to do: the next start removes it.",
            )
        return ok("none: no daemon is running")
    except Failure as why:
        return fail(why.message, why.suggestion)
    if version != __version__:
        return warn(
            f"{home.socket} answers, but as ragd {version}, while ragctl is {__version__}",
            "Run `ragctl stop`, then `ragctl start`.",
        )
    return ok(f"{home.socket} answers (ragd {version})")


def health(home: Home) -> Finding:
    """The health that a running daemon reports."""
    try:
        data = request(home, "GET", "/v1/status").data
    except NotRunning:
        return ok("not running; `ragctl start` starts it")
    except Failure as why:
        return fail(why.message, why.suggestion)
    reasons = data["reasons"]
    if not reasons:
        return ok(str(data["plugin_health"]))
    details = "\n".join(f"{reason['code']}: {reason['message']}" for reason in reasons)
    judge = fail if data["plugin_health"] == UNAVAILABLE else warn
    first = min(reasons, key=lambda reason: reason["code"] not in _FIRST)
    return judge(details, str(first["suggestion"]))


def _wrong_file(path: str) -> Finding | None:
    try:
        facts = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISSOCK(facts.st_mode):
        return fail(f"{path} is not a socket", f"Move {path} away.")
    mode = stat.S_IMODE(facts.st_mode)
    if mode & 0o177:
        fix = f"Run `chmod 600 {quote(path)}`."
        return fail(f"{path} is open to others (mode {mode:04o})", fix)
    return None
