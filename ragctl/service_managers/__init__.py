"""The daemon's keeper: the platform's own service manager, which starts it at login and again
after a crash. Here is what all of them have in common; one module for each says the rest.

Nothing here changes anything. What a plan says is done by `ragctl.service_managers.apply_plan`.
"""

import os
import sys
from typing import NamedTuple, Protocol

from ragctl.failure import Failure
from ragd.paths import Home, platform_home

MARK = "Written by `ragctl service install`"


class Step(NamedTuple):
    """One command. `may_fail`: there may be nothing for it to do."""

    argv: tuple[str, ...]
    may_fail: bool = False


class Plan(NamedTuple):
    """What belongs to the service of one home. `untested`: nobody has ever run it."""

    manager: str
    name: str
    file: str
    install: tuple[Step, ...]  # when the file is there
    renew: tuple[Step, ...]  # the same, when a former one was replaced
    leave: tuple[Step, ...]  # before the file goes
    forget: tuple[Step, ...]  # when it is gone
    start: Step
    stop: Step | None  # for what the daemon itself cannot be asked: not to be started again
    hints: tuple[str, ...] = ()
    bare: str = ""  # to be said where it runs without a sandbox
    untested: bool = False


class Program(NamedTuple):
    """What is to be run: absolute paths only. `writable`: all that it writes to."""

    command: tuple[str, ...]
    environment: dict[str, str]
    home: Home
    vault: str
    writable: tuple[str, ...]


class State(NamedTuple):
    """What the manager says of the service. `word` is its own; None: it could not be asked."""

    word: str | None
    running: bool = False
    pid: int | None = None
    at_login: bool | None = None
    says: str = ""  # what the daemon told it
    restarting: bool = False  # it waits to start it again


class Keeper(Protocol):
    """One platform's manager."""

    def plan(self, home: Home) -> Plan: ...

    def content(self, program: Program, *, sandbox: bool) -> bytes:
        """What is to be in the plan's file."""

    def require(self) -> None:
        """Raise Failure, with what to do instead, where the manager is not there."""

    def can_sandbox(self, program: Program) -> bool:
        """Whether it can give the daemon a view of the file system of its own."""

    def state(self, home: Home) -> State: ...


def keeper() -> Keeper:
    """That of this platform. Raises Failure where we know none."""
    platform = str(sys.platform)
    if platform == "linux":
        from ragctl.service_managers.systemd import Systemd

        return Systemd()
    if platform == "darwin":
        from ragctl.service_managers.launchd import Launchd

        return Launchd()
    if platform == "win32":
        from ragctl.service_managers.task_scheduler import Scheduler

        return Scheduler()
    raise Failure(
        f"ragctl knows no service manager on {platform}.",
        "Every command that needs the daemon starts it; there is nothing that you have to do.",
    )


def installed(home: Home) -> Plan | None:
    """The plan of a service that was installed for this home."""
    try:
        plan = keeper().plan(home)
    except Failure:
        return None
    return plan if os.path.lexists(plan.file) else None


def name_of(home: Home) -> str:
    """`ragd`, and with something behind it where it is not the usual home: each has its own."""
    return "ragd" if home.root == platform_home() else f"ragd-{home.fingerprint}"
