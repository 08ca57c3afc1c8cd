"""Starts the daemon detached, waits until it answers, and quotes its error if it fails.

Several commands may start it at once: one daemon gets the lock, the others exit with 73, and all
commands use the first. Every wait has a time-out, and a started daemon is never killed. It has
never been run on Windows.
"""

import os
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

import ragd
from ragctl.daemon.client import ANSWER_WITHIN_S, Answer, is_listening, request
from ragctl.daemon.lockfile import holder
from ragctl.failure import Disconnected, Failure, NotRunning, TimedOut
from ragctl.views.render import clean, print_notice
from ragd.errors import EXIT_ALREADY_RUNNING, NO_SUCH_ENDPOINT
from ragd.paths import Home

if TYPE_CHECKING:
    from subprocess import Popen

    from ragctl.service_managers import Plan

STARTED_WITHIN_S = 10.0
OPENED_WITHIN_S = 20.0
_POLL_S = 0.02
_RETRY_PAUSES_S = (0.02, 0.2)
_OPEN_POLL_S = 0.1
_QUOTED_MAX = 4000


def call_daemon(
    home: Home,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    *,
    start: bool,
    timeout: float = ANSWER_WITHIN_S,
    skip_version_notice: bool = False,
    idempotent: bool = False,
    headers: dict[str, str] | None = None,
) -> Answer:
    """Send a request to the daemon. With `start`, start the daemon first if it does not run.

    `skip_version_notice`: do not print a version mismatch; it was printed or does not matter here.
    `idempotent`: the request may be sent twice, like every GET.
    """
    tries = _RETRY_PAUSES_S if idempotent or method == "GET" else ()
    answer = _request_with_retries(home, method, path, body, start, timeout, tries, headers)
    if answer.status == 404 and _has_other_version(answer):
        _raise_if_unsupported(answer)
    if not skip_version_notice:
        print_version_mismatch(answer)
    return answer


def _request_with_retries(
    home: Home,
    method: str,
    path: str,
    body: dict[str, Any] | None,
    start: bool,
    timeout: float,
    pauses: tuple[float, ...],
    headers: dict[str, str] | None,
) -> Answer:
    """Send a request. A daemon that is stopping may disconnect: try again after each pause."""
    left = list(pauses)
    while True:
        try:
            return request(home, method, path, body, timeout, headers)
        except NotRunning:
            if not start:
                raise
            start_daemon(home)
            start = False
        except Disconnected:
            if not left:
                raise
            time.sleep(left.pop(0))


def call_daemon_when_ready(
    home: Home,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    *,
    start: bool,
    skip_version_notice: bool = False,
    idempotent: bool = False,
    headers: dict[str, str] | None = None,
) -> Answer:
    """Like `call_daemon`, but wait while a new daemon opens its index."""
    deadline = time.monotonic() + OPENED_WITHIN_S
    while True:
        answer = call_daemon(
            home,
            method,
            path,
            body,
            start=start,
            skip_version_notice=skip_version_notice,
            idempotent=idempotent,
            headers=headers,
        )
        error = answer.envelope.get("error") or {}
        if error.get("code") != "STARTING" or time.monotonic() > deadline:
            return answer
        skip_version_notice = True
        time.sleep(_OPEN_POLL_S)


def print_version_mismatch(answer: Answer, fix: str = "") -> None:
    """Print a notice if the daemon's version differs from ragctl's."""
    if mismatch := describe_version_mismatch(answer, fix):
        print_notice(mismatch)


def describe_version_mismatch(answer: Answer, fix: str = "") -> str:
    """A sentence about a version mismatch; empty if the versions are equal."""
    if not _has_other_version(answer):
        return ""
    return (
        f"ragctl is {ragd.__version__}, but the running daemon is {clean(answer.version)}: "
        f"{fix or _version_fix(answer.version)}."
    )


def _has_other_version(answer: Answer) -> bool:
    return bool(answer.version) and answer.version != ragd.__version__


def _version_fix(version: str) -> str:
    """How to get equal versions, for an older daemon and for a newer one."""
    restart = "run `ragctl stop`, then `ragctl start`"
    if _version_numbers(version) > _version_numbers(ragd.__version__):
        return f"update ragctl; or, to go back, {restart}"
    return restart


def _version_numbers(version: str) -> list[int]:
    return [int(part) if part.isdecimal() else 0 for part in version.split(".")]


def _raise_if_unsupported(answer: Answer) -> None:
    """Raise if the daemon's version does not have this endpoint (and not just this item)."""
    error = answer.envelope.get("error") or {}
    if error.get("message") == NO_SUCH_ENDPOINT:
        raise Failure(
            f"The running daemon ({clean(answer.version)}) cannot do this, "
            f"but ragctl ({ragd.__version__}) can.",
            f"To get equal versions, {_version_fix(answer.version)}; then try again.",
            code="VERSION_MISMATCH",
        )


def start_daemon(home: Home, within: float = STARTED_WITHIN_S) -> None:
    """Start a daemon and return when it answers. Raises Failure with the daemon's own error."""
    if sys.stderr.isatty():
        print("Starting ragd…", file=sys.stderr)
    from ragctl.service_managers import installed_service, service_manager

    deadline = time.monotonic() + within
    service = installed_service(home)
    if service is not None and _start_service(service, home, deadline):
        return
    _start_without_service(home, max(deadline, time.monotonic() + within / 2))
    if service is not None and not service_manager().state(home).running:
        print_notice(
            f"The service {service.name} could not start ragd, so ragctl did: see "
            "`ragctl service status`."
        )


def _start_service(service: "Plan", home: Home, deadline: float) -> bool:
    """Start it through the service manager, which then also supervises it. False if that fails."""
    from ragctl.service_managers.run_command import run_command

    if run_command(service.start.argv, max(0.1, deadline - time.monotonic())).returncode != 0:
        return False
    while not is_listening(home):  # some managers return before the daemon listens
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def _start_without_service(home: Home, deadline: float) -> None:
    while True:
        with _errors_file(home) as errors:
            code = _wait_for_child(home, spawn_daemon(home, errors), deadline)
            if code is None:
                return
            if code != EXIT_ALREADY_RUNNING:
                raise _startup_failure(errors, code)
        # Another daemon holds the lock. It is starting and will answer, or stopping.
        while holder(home) is not None:
            if is_listening(home):
                return
            pause_before_retry(home, deadline)


def daemon_command(home: Home) -> list[str]:
    """The command that runs this home's daemon, with the same interpreter."""
    return [sys.executable, "-m", "ragd", "--home", home.root]


def _errors_file(home: Home) -> TextIO:
    """An unnamed private file, in the home if that is writable."""
    from tempfile import TemporaryFile

    folder = home.root if os.access(home.root, os.W_OK | os.X_OK) else None
    return TemporaryFile("w+", encoding="utf-8", errors="replace", dir=folder)


def spawn_daemon(home: Home, errors: TextIO) -> "Popen[bytes]":
    import subprocess

    from ragd.runtime import subprocesses

    environment = subprocesses.environment()
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"):
        environment.pop(name, None)  # meant for this process, not for the daemon
    return subprocess.Popen(
        daemon_command(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        cwd=os.path.abspath(os.sep),  # so that no folder of the user stays in use
        env=environment,
        start_new_session=True,
    )


def _wait_for_child(home: Home, child: "Popen[bytes]", deadline: float) -> int | None:
    """None when a daemon answers, else the child's exit code.

    If another daemon answers, the child is about to exit. Wait for it anyway: otherwise it could
    take the lock later, after the other daemon has been stopped.
    """
    while child.poll() is None:
        try:
            if is_listening(home) and (holder(home) or {}).get("pid") == child.pid:
                child.returncode = 0  # it outlives ragctl; this stops Popen's warning
                return None
            pause_before_retry(home, deadline)
        except TimedOut:
            child.returncode = 0
            raise
    return None if is_listening(home) else child.returncode


def pause_before_retry(home: Home, deadline: float) -> None:
    if time.monotonic() > deadline:
        pid = (holder(home) or {}).get("pid")
        raise TimedOut(
            f"The daemon{f' (pid {pid})' if pid else ''} did not answer in time; "
            "it may still be starting.",
            "Run `ragctl status`, or `ragctl logs` to see what it is doing.",
        )
    time.sleep(_POLL_S)


def _startup_failure(errors: TextIO, code: int) -> Failure:
    errors.seek(0)
    output = errors.read(_QUOTED_MAX).strip().removeprefix("ragd: ")
    if code < 0:
        output = f"{output}\nragd was ended by signal {-code} while it was starting.".strip()
    elif "Traceback (most recent call last)" in output and not os.environ.get("RAGCTL_DEBUG"):
        output = f"ragd crashed while it was starting: {output.splitlines()[-1]}."
    elif output:
        return Failure(output, exit_code=code)
    return Failure(
        output or f"ragd ended with exit code {code} and no message.",
        "Run `ragctl doctor`, or `ragctl start --foreground` to see its output.",
        code if code > 0 else None,
    )
