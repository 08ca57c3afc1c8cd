"""Service managers: the platform's own program that starts the daemon at login and after a crash.
This module holds what they have in common; each manager has its own module.

Nothing here changes the system. `ragctl.service_managers.apply_plan` applies a plan.
"""

import os
import sys
from typing import NamedTuple, Protocol

from ragctl.failure import Failure
from ragd.paths import Home, platform_home

MARK = "Written by `ragctl service install`"


class Step(NamedTuple):
    """One command. `may_fail`: it fails if there is nothing to do, which is fine."""

    argv: tuple[str, ...]
    may_fail: bool = False


class Plan(NamedTuple):
    """The service of one home: its file and commands. `untested`: it has never been run."""

    manager: str
    name: str
    file: str
    install: tuple[Step, ...]  # after the file is written
    reinstall: tuple[Step, ...]  # after a previous file was replaced
    before_removal: tuple[Step, ...]  # before the file is deleted
    after_removal: tuple[Step, ...]  # after the file is deleted
    start: Step
    stop: Step | None  # needed if the service manager would restart a daemon that stops on its own
    hints: tuple[str, ...] = ()
    no_sandbox_hint: str = ""  # shown if the service runs without a sandbox
    untested: bool = False


class Program(NamedTuple):
    """The program to run: absolute paths only. `writable`: all folders it writes to."""

    command: tuple[str, ...]
    environment: dict[str, str]
    home: Home
    vault: str
    writable: tuple[str, ...]


class ServiceState(NamedTuple):
    """The manager's view of the service. `state`: in its own words; None if unavailable."""

    state: str | None
    running: bool = False
    pid: int | None = None
    at_login: bool | None = None
    status_text: str = ""  # what the daemon reported to the manager
    restarting: bool = False  # the manager waits to start it again


class ServiceManager(Protocol):
    """One platform's service manager."""

    def plan(self, home: Home) -> Plan: ...

    def content(self, program: Program, *, sandbox: bool) -> bytes:
        """The content of the plan's file."""

    def require(self) -> None:
        """Raise Failure, with what to do instead, if the manager is not available."""

    def can_sandbox(self, program: Program) -> bool:
        """Whether it can restrict the daemon's access to the file system."""

    def state(self, home: Home) -> ServiceState: ...


def service_manager() -> ServiceManager:
    """The service manager of this platform. Raises Failure if it is not supported."""
    platform = str(sys.platform)
    if platform == "linux":
        from ragctl.service_managers.systemd import Systemd

        return Systemd()
    if platform == "darwin":
        from ragctl.service_managers.launchd import Launchd

        return Launchd()
    if platform == "win32":
        from ragctl.service_managers.task_scheduler import TaskScheduler

        return TaskScheduler()
    raise Failure(
        f"ragctl does not support a service manager on {platform}.",
        "Nothing to do: every command that needs the daemon starts it.",
    )


def installed_service(home: Home) -> Plan | None:
    """The plan of this home's service; None if no service is installed."""
    try:
        plan = service_manager().plan(home)
    except Failure:
        return None
    return plan if os.path.lexists(plan.file) else None


def service_name(home: Home) -> str:
    """`ragd` for the default home; other homes add a fingerprint, so that each has its own."""
    return "ragd" if home.root == platform_home() else f"ragd-{home.fingerprint}"
