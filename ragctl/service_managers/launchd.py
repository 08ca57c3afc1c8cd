"""macOS's launchd: one agent in ~/Library/LaunchAgents. Written to its manual and never run."""

import os
import plistlib

from ragctl.failure import Failure
from ragctl.service_managers import MARK, Plan, Program, State, Step, name_of
from ragctl.service_managers.run_command import asked, complaint
from ragd.paths import Home


class Launchd:
    """Keeper on macOS."""

    def plan(self, home: Home) -> Plan:
        label = f"local.{name_of(home)}"
        file = os.path.expanduser(f"~/Library/LaunchAgents/{label}.plist")
        domain = f"gui/{os.getuid()}"
        load = Step(("launchctl", "bootstrap", domain, file))
        unload = Step(("launchctl", "bootout", f"{domain}/{label}"), may_fail=True)
        return Plan(
            manager="launchd",
            name=label,
            file=file,
            install=(unload, load),
            renew=(unload, load),
            leave=(unload,),
            forget=(),
            start=Step(("launchctl", "kickstart", f"{domain}/{label}")),
            stop=None,
            hints=(
                "launchd starts it again after every failure, every 30 seconds, also after those "
                "that a new start cannot mend; `ragctl start` tells what is wrong.",
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
        return b"%b\n<!-- %b, which will write it anew. -->\n%b" % (head, MARK.encode(), body)

    def require(self) -> None:
        told = asked(("launchctl", "version"))
        if told.returncode != 0:
            raise Failure(f"launchd cannot be asked: {complaint(told)}")

    def can_sandbox(self, program: Program) -> bool:
        return False

    def state(self, home: Home) -> State:
        label = self.plan(home).name
        told = asked(("launchctl", "print", f"gui/{os.getuid()}/{label}"))
        if told.returncode != 0:
            return State(word="not loaded", at_login=True)
        said = dict(_pairs(told.stdout))
        pid = said.get("pid", "")
        return State(
            word=said.get("state", "loaded"),
            running=pid.isdigit(),
            pid=int(pid) if pid.isdigit() else None,
            at_login=True,
        )


def _pairs(text: str) -> list[tuple[str, str]]:
    """`name = value` lines of the first level, which are indented by one tab."""
    found = (line.partition(" = ") for line in text.splitlines() if line[:1] == "\t")
    return [(name[1:], value) for name, is_pair, value in found if is_pair and name[1:2] != "\t"]
