"""macOS's launchd: one agent in ~/Library/LaunchAgents. Written from its manual, never run."""

import os
import plistlib

from ragctl.failure import Failure
from ragctl.service_managers import MARK, Plan, Program, ServiceState, Step, service_name
from ragctl.service_managers.run_command import error_text, run_command
from ragd.paths import Home


class Launchd:
    """The service manager on macOS."""

    def plan(self, home: Home) -> Plan:
        label = f"local.{service_name(home)}"
        file = os.path.expanduser(f"~/Library/LaunchAgents/{label}.plist")
        domain = f"gui/{os.getuid()}"
        load = Step(("launchctl", "bootstrap", domain, file))
        unload = Step(("launchctl", "bootout", f"{domain}/{label}"), may_fail=True)
        return Plan(
            manager="launchd",
            name=label,
            file=file,
            install=(unload, load),
            reinstall=(unload, load),
            before_removal=(unload,),
            after_removal=(),
            start=Step(("launchctl", "kickstart", f"{domain}/{label}")),
            stop=None,
            hints=(
                "launchd restarts it after every failure, every 30 seconds, even if a restart "
                "cannot help; `ragctl start` shows what is wrong.",
            ),
            untested=True,
        )

    def content(self, program: Program, *, sandbox: bool) -> bytes:
        agent = {
            "Label": self.plan(program.home).name,
            "ProgramArguments": list(program.command),
            "EnvironmentVariables": program.environment,
            "WorkingDirectory": "/",
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": 30,
            "ExitTimeOut": 60,
            "ProcessType": "Background",
            "Umask": 0o077,
            "HardResourceLimits": {"Core": 0},
        }
        head, _, body = plistlib.dumps(agent, sort_keys=False).partition(b"\n")
        return b"%b\n<!-- %b, which overwrites it. -->\n%b" % (head, MARK.encode(), body)

    def require(self) -> None:
        done = run_command(("launchctl", "version"))
        if done.returncode != 0:
            raise Failure(f"launchctl failed: {error_text(done)}")

    def can_sandbox(self, program: Program) -> bool:
        return False

    def state(self, home: Home) -> ServiceState:
        label = self.plan(home).name
        done = run_command(("launchctl", "print", f"gui/{os.getuid()}/{label}"))
        if done.returncode != 0:
            return ServiceState(state="not loaded", at_login=True)
        found = dict(_pairs(done.stdout))
        pid = found.get("pid", "")
        return ServiceState(
            state=found.get("state", "loaded"),
            running=pid.isdigit(),
            pid=int(pid) if pid.isdigit() else None,
            at_login=True,
        )


def _pairs(text: str) -> list[tuple[str, str]]:
    """`name = value` lines of the first level, which are indented by one tab."""
    found = (line.partition(" = ") for line in text.splitlines() if line[:1] == "\t")
    return [(name[1:], value) for name, is_pair, value in found if is_pair and name[1:2] != "\t"]
