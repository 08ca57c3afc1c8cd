"""The user's systemd: one unit in ~/.config/systemd/user, started at login and when asked."""

import os
import shutil

from ragctl.failure import Failure
from ragctl.service_managers import Plan, Program, State, Step, name_of
from ragctl.service_managers.run_command import asked, complaint
from ragctl.service_managers.systemd_unit import sandbox_properties, unit
from ragd.paths import Home

_SYSTEMCTL = ("systemctl", "--user")
_PROPERTIES = (
    *("ActiveState", "SubState", "MainPID", "UnitFileState", "StatusText"),
    *("Result", "ExecMainStatus"),
)
_INSTEAD = (
    "Nothing has to be done: every command that needs the daemon starts it. To have it run all the "
    "time, let your init system run `ragctl start --foreground`."
)
# In the sandbox: is our code there, may we write where we must, and not where we must not?
_TRIAL = (
    "import os, sys, ragd.daemon; *writable, vault = sys.argv[1:];"
    "sys.exit(not (all(os.access(p, os.W_OK) for p in writable) and not os.access(vault, os.W_OK)))"
)


class Systemd:
    """Keeper on Linux."""

    def plan(self, home: Home) -> Plan:
        name = f"{name_of(home)}.service"
        folder = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        reload, enable = _step("daemon-reload"), _step("enable", name)
        return Plan(
            manager="systemd",
            name=name,
            file=os.path.join(folder, "systemd", "user", name),
            install=(reload, enable, _step("start", name)),
            renew=(reload, enable, _step("restart", name)),
            leave=(_step("disable", "--now", name),),
            forget=(reload, _step("reset-failed", name, may_fail=True)),
            start=_step("start", name),
            stop=_step("stop", name),
            bare="This machine, or its systemd as it is now, gives the service no view of the file "
            "system of its own: it may write wherever you may (docs/service.md).",
            hints=("It ends when you log out; `loginctl enable-linger` lets it run on.",),
        )

    def content(self, program: Program, *, sandbox: bool) -> bytes:
        return unit(program, sandbox=sandbox).encode()

    def require(self) -> None:
        if shutil.which("systemctl") is None:
            raise Failure("This machine has no systemd: there is no `systemctl`.", _INSTEAD)
        told = asked((*_SYSTEMCTL, "show", "--property=Version"))
        if told.returncode != 0:
            raise Failure(
                f"The systemd of this user cannot be reached: {complaint(told)}",
                "Log in as this user (su and sudo do not count) and try again; on a server, "
                f"`loginctl enable-linger` starts it. {_INSTEAD}",
            )

    def can_sandbox(self, program: Program) -> bool:
        if shutil.which("systemd-run") is None:
            return False
        options = [f"--property={line}" for line in sandbox_properties(program)]
        settings = [f"--setenv={name}={value}" for name, value in program.environment.items()]
        python, places = program.command[0], (*program.writable, program.vault)
        words = (place.replace("$", "$$") for place in places)  # or they would be variables
        flags = ("--user", "--wait", "--quiet", "--collect")
        trial = ("systemd-run", *flags, *options, *settings, "--", python, "-c", _TRIAL, *words)
        return asked(trial).returncode == 0

    def state(self, home: Home) -> State:
        name = self.plan(home).name
        told = asked((*_SYSTEMCTL, "show", f"--property={','.join(_PROPERTIES)}", "--", name))
        if told.returncode != 0:
            return State(word=None)
        said = dict(line.split("=", 1) for line in told.stdout.splitlines() if "=" in line)
        pid = said.get("MainPID", "0")
        return State(
            word=_word(said),
            running=said.get("ActiveState") == "active",
            pid=int(pid) if pid.isdigit() and pid != "0" else None,
            at_login=said.get("UnitFileState") == "enabled",
            says=said.get("StatusText", ""),
            restarting=said.get("SubState", "").startswith("auto-restart"),
        )


def _word(said: dict[str, str]) -> str:
    """`active (running)`, or `failed (exit-code 78)`."""
    active, more = said.get("ActiveState", "unknown"), said.get("SubState", "unknown")
    if active == "failed":
        code = said.get("ExecMainStatus", "0")
        more = said.get("Result", "unknown") + (f" {code}" if code != "0" else "")
    return f"{active} ({more})"


def _step(*words: str, may_fail: bool = False) -> Step:
    return Step((*_SYSTEMCTL, *words), may_fail)
