"""Starting the daemon: detached, waited for until it answers, quoted when it fails.

Any number of commands may start it at once: one daemon gets the lock, the others' children leave
with 73 and all use the winner. It never waits without an end, and never kills what it started. On
Windows it has never been tried.
"""

import os
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

import ragd
from ragctl.daemon.client import ANSWER_WITHIN_S, Answer, answers, request
from ragctl.daemon.lockfile import holder
from ragctl.failure import Disconnected, Failure, NotRunning, TimedOut
from ragctl.views.render import clean, note
from ragd.errors import EXIT_ALREADY_RUNNING, NO_SUCH_ENDPOINT
from ragd.paths import Home
from ragd.runtime import subprocesses

if TYPE_CHECKING:
    from subprocess import Popen

    from ragctl.service_managers import Plan

STARTED_WITHIN_S = 10.0
OPENED_WITHIN_S = 20.0
_LOOK_EVERY_S = 0.02
_HUNG_UP_S = (0.02, 0.2)
_OPENED_EVERY_S = 0.1
_QUOTED_MAX = 4000


def ask(
    home: Home,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    *,
    start: bool,
    timeout: float = ANSWER_WITHIN_S,
    again: bool = False,
    harmless: bool = False,
) -> Answer:
    """An answer of the daemon, which is started first where it does not run and `start` is set.

    `again`: the same was asked before, so what is to be said of the daemon's version is said.
    `harmless`: it may be done twice, as every GET.
    """
    tries = _HUNG_UP_S if harmless or method == "GET" else ()
    answer = _asked(home, method, path, body, start, timeout, tries)
    if answer.status == 404 and _is_of_another_version(answer):
        _refuse_what_it_does_not_know(answer)
    if not again:
        tell_version(answer)
    return answer


def _asked(
    home: Home,
    method: str,
    path: str,
    body: dict[str, Any] | None,
    start: bool,
    timeout: float,
    pauses: tuple[float, ...],
) -> Answer:
    """A daemon that is ending hangs up: whoever is there after a pause is asked."""
    left = list(pauses)
    while True:
        try:
            return request(home, method, path, body, timeout)
        except NotRunning:
            if not start:
                raise
            start_daemon(home)
            start = False
        except Disconnected:
            if not left:
                raise
            time.sleep(left.pop(0))


def ask_when_started(
    home: Home,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    *,
    start: bool,
    again: bool = False,
    harmless: bool = False,
) -> Answer:
    """The same; a daemon that has just begun is given the time to open the index."""
    deadline = time.monotonic() + OPENED_WITHIN_S
    while True:
        answer = ask(home, method, path, body, start=start, again=again, harmless=harmless)
        error = answer.envelope.get("error") or {}
        if error.get("code") != "STARTING" or time.monotonic() > deadline:
            return answer
        again = True
        time.sleep(_OPENED_EVERY_S)


def tell_version(answer: Answer, fix: str = "") -> None:
    """Say so where the daemon is of another version than we are."""
    if said := version_sentence(answer, fix):
        note(said)


def version_sentence(answer: Answer, fix: str = "") -> str:
    """What is to be said of the daemon's version; nothing if it is ours."""
    if not _is_of_another_version(answer):
        return ""
    return (
        f"ragctl is {ragd.__version__}, but the daemon that runs is {clean(answer.version)}: "
        f"{fix or _next_step(answer.version)}."
    )


def _is_of_another_version(answer: Answer) -> bool:
    return bool(answer.version) and answer.version != ragd.__version__


def _next_step(version: str) -> str:
    """What makes the two the same again, for an older daemon and for a newer one."""
    restart = "run `ragctl stop`, then `ragctl start`"
    if _parts(version) > _parts(ragd.__version__):
        return f"update ragctl, or to go back, {restart}"
    return restart


def _parts(version: str) -> list[int]:
    return [int(part) if part.isdecimal() else 0 for part in version.split(".")]


def _refuse_what_it_does_not_know(answer: Answer) -> None:
    """Raises where it is the daemon's version that lacks what we ask for, not the thing itself."""
    error = answer.envelope.get("error") or {}
    if error.get("message") == NO_SUCH_ENDPOINT:
        raise Failure(
            f"The daemon that runs ({clean(answer.version)}) cannot do this, "
            f"but ragctl ({ragd.__version__}) can.",
            f"To make them the same, {_next_step(answer.version)}; then try again.",
            code="VERSION_MISMATCH",
        )


def start_daemon(home: Home, within: float = STARTED_WITHIN_S) -> None:
    """Start a daemon and come back when one answers. Raises Failure with the daemon's own words."""
    if sys.stderr.isatty():
        print("Starting ragd…", file=sys.stderr)
    from ragctl.service_managers import installed, keeper

    deadline = time.monotonic() + within
    service = installed(home)
    if service is not None and _started_by(service, home, deadline):
        return
    _start_ourselves(home, max(deadline, time.monotonic() + within / 2))
    if service is not None and not keeper().state(home).running:
        note(
            f"The service {service.name} could not start ragd, so ragctl did: see "
            "`ragctl service status`."
        )


def _started_by(service: "Plan", home: Home, deadline: float) -> bool:
    """Whether the service manager has it running: then it watches over it, too."""
    from ragctl.service_managers.run_command import asked

    if asked(service.start.argv, max(0.1, deadline - time.monotonic())).returncode != 0:
        return False
    while not answers(home):  # not every manager waits until it does
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_EVERY_S)
    return True


def _start_ourselves(home: Home, deadline: float) -> None:
    while True:
        with _errors_file(home) as errors:
            code = _wait_for(home, spawn_daemon(home, errors), deadline)
            if code is None:
                return
            if code != EXIT_ALREADY_RUNNING:
                raise _what_it_said(errors, code)
        # Somebody else holds the lock: it starts and will answer, or stops and will let go.
        while holder(home) is not None:
            if answers(home):
                return
            pause_before_retry(home, deadline)


def daemon_command(home: Home) -> list[str]:
    """What runs the daemon of this home: the same interpreter as ours."""
    return [sys.executable, "-m", "ragd", "--home", home.root]


def _errors_file(home: Home) -> TextIO:
    """A nameless file that only we can read, in the home where there is one to write to."""
    from tempfile import TemporaryFile

    place = home.root if os.access(home.root, os.W_OK | os.X_OK) else None
    return TemporaryFile("w+", encoding="utf-8", errors="replace", dir=place)


def spawn_daemon(home: Home, errors: TextIO) -> "Popen[bytes]":
    import subprocess

    environment = subprocesses.environment()
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"):
        environment.pop(name, None)  # what a service manager asked of us, it did not ask of it
    return subprocess.Popen(
        daemon_command(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        cwd=os.path.abspath(os.sep),  # so that no folder of the user's stays in use
        env=environment,
        start_new_session=True,
    )


def _wait_for(home: Home, child: "Popen[bytes]", deadline: float) -> int | None:
    """None when a daemon answers, else the code with which the child left.

    Where another daemon answers, the child is on its way out. It is waited for all the same: left
    alone it could still take the lock, long after somebody has stopped the other one.
    """
    while child.poll() is None:
        try:
            if answers(home) and (holder(home) or {}).get("pid") == child.pid:
                child.returncode = 0  # it outlives us: nobody has to wait for it
                return None
            pause_before_retry(home, deadline)
        except TimedOut:
            child.returncode = 0
            raise
    return None if answers(home) else child.returncode


def pause_before_retry(home: Home, deadline: float) -> None:
    if time.monotonic() > deadline:
        pid = (holder(home) or {}).get("pid")
        raise TimedOut(
            f"The daemon{f' (pid {pid})' if pid else ''} did not answer in time; "
            "it may still be starting.",
            "Run `ragctl status` again, or `ragctl logs` to see what it is doing.",
        )
    time.sleep(_LOOK_EVERY_S)


def _what_it_said(errors: TextIO, code: int) -> Failure:
    errors.seek(0)
    said = errors.read(_QUOTED_MAX).strip().removeprefix("ragd: ")
    if code < 0:
        said = f"{said}\nragd was ended by signal {-code} while it started.".strip()
    elif "Traceback (most recent call last)" in said and not os.environ.get("RAGCTL_DEBUG"):
        said = f"ragd broke while it started: {said.splitlines()[-1]}."
    elif said:
        return Failure(said, exit_code=code)
    return Failure(
        said or f"ragd ended with exit code {code} and said nothing.",
        "Run `ragctl doctor`, or `ragctl start --foreground` to watch it.",
        code if code > 0 else None,
    )
