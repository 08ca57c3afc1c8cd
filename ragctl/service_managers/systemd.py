"""The user's systemd: one unit in ~/.config/systemd/user, started at login and by command."""

import os
import shutil

from ragctl.failure import Failure
from ragctl.service_managers import Plan, Program, ServiceState, Step, service_name
from ragctl.service_managers.run_command import error_text, run_command
from ragctl.service_managers.systemd_unit import render_unit, sandbox_properties
from ragd.paths import Home

_SYSTEMCTL = ("systemctl", "--user")
_PROPERTIES = (
    *("ActiveState", "SubState", "MainPID", "UnitFileState", "StatusText"),
    *("Result", "ExecMainStatus"),
)
_INSTEAD = (
    "Nothing to do: every command that needs the daemon starts it. To keep it running all the "
    "time, let your init system run `ragctl start --foreground`."
)
# Run in the sandbox: can ragd be imported, are its folders writable, is the vault read-only?
_TRIAL = (
    "import os, sys, ragd.daemon; *writable, vault = sys.argv[1:];"
    "sys.exit(not (all(os.access(p, os.W_OK) for p in writable) and not os.access(vault, os.W_OK)))"
)


class Systemd:
    """The service manager on Linux."""

    def plan(self, home: Home) -> Plan:
        return plan_unit(f"{service_name(home)}.service")._replace(
            no_sandbox_hint="The service runs without a sandbox, because this machine or its "
            "systemd does not provide one: it may write wherever you may (docs/service.md).",
        )

    def content(self, program: Program, *, sandbox: bool) -> bytes:
        return render_unit(program, sandbox=sandbox).encode()

    def require(self) -> None:
        if shutil.which("systemctl") is None:
            raise Failure("This machine has no systemd: there is no `systemctl`.", _INSTEAD)
        done = run_command((*_SYSTEMCTL, "show", "--property=Version"))
        if done.returncode != 0:
            raise Failure(
                f"This user's systemd cannot be reached: {error_text(done)}",
                "Log in as this user (su and sudo do not count) and try again; on a server, "
                f"`loginctl enable-linger` starts it. {_INSTEAD}",
            )

    def can_sandbox(self, program: Program) -> bool:
        if shutil.which("systemd-run") is None:
            return False
        options = [f"--property={line}" for line in sandbox_properties(program)]
        settings = [f"--setenv={name}={value}" for name, value in program.environment.items()]
        python, places = program.command[0], (*program.writable, program.vault)
        words = (place.replace("$", "$$") for place in places)  # systemd-run expands variables
        flags = ("--user", "--wait", "--quiet", "--collect")
        trial = ("systemd-run", *flags, *options, *settings, "--", python, "-c", _TRIAL, *words)
        return run_command(trial).returncode == 0

    def state(self, home: Home) -> ServiceState:
        return read_unit_state(self.plan(home).name)


def plan_unit(name: str) -> Plan:
    """How a unit of this name is installed, started and removed."""
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    reload, enable = _step("daemon-reload"), _step("enable", name)
    return Plan(
        manager="systemd",
        name=name,
        file=os.path.join(folder, "systemd", "user", name),
        install=(reload, enable, _step("start", name)),
        reinstall=(reload, enable, _step("restart", name)),
        before_removal=(_step("disable", "--now", name),),
        after_removal=(reload, _step("reset-failed", name, may_fail=True)),
        start=_step("start", name),
        stop=_step("stop", name),
        hints=("It stops when you log out; `loginctl enable-linger` keeps it running.",),
    )


def read_unit_state(name: str) -> ServiceState:
    """What systemd reports about a unit."""
    done = run_command((*_SYSTEMCTL, "show", f"--property={','.join(_PROPERTIES)}", "--", name))
    if done.returncode != 0:
        return ServiceState(state=None)
    found = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    pid = found.get("MainPID", "0")
    return ServiceState(
        state=_format_state(found),
        running=found.get("ActiveState") == "active",
        pid=int(pid) if pid.isdigit() and pid != "0" else None,
        at_login=found.get("UnitFileState") == "enabled",
        status_text=found.get("StatusText", ""),
        restarting=found.get("SubState", "").startswith("auto-restart"),
    )


def _format_state(found: dict[str, str]) -> str:
    """`active (running)`, or `failed (exit-code 78)`."""
    active, more = found.get("ActiveState", "unknown"), found.get("SubState", "unknown")
    if active == "failed":
        code = found.get("ExecMainStatus", "0")
        more = found.get("Result", "unknown") + (f" {code}" if code != "0" else "")
    return f"{active} ({more})"


def _step(*words: str, may_fail: bool = False) -> Step:
    return Step((*_SYSTEMCTL, *words), may_fail)
