"""Windows' Task Scheduler: one task at logon. Written to its manual and never run.

The file is what `schtasks` reads the task from; it lies in the home.
"""

import os
import subprocess
from xml.sax.saxutils import escape

from ragctl.failure import Failure
from ragctl.service_managers import MARK, Plan, Program, State, Step, name_of
from ragctl.service_managers.run_command import asked, complaint
from ragd.paths import Home

_TASK = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>{mark}, which will write it anew.</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>{user}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>{user}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>5</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>{command}</Command>
      <Arguments>{arguments}</Arguments>
      <WorkingDirectory>{folder}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
"""


class Scheduler:
    """Keeper on Windows."""

    def plan(self, home: Home) -> Plan:
        name = name_of(home)
        file = os.path.join(home.root, "ragd-task.xml")
        create = _step("/Create", "/TN", name, "/XML", file, "/F")
        run = _step("/Run", "/TN", name)
        return Plan(
            manager="Task Scheduler",
            name=name,
            file=file,
            install=(create, run),
            renew=(create, run),
            leave=(_step("/Delete", "/TN", name, "/F", may_fail=True),),
            forget=(),
            start=run,
            stop=None,
            untested=True,
        )

    def content(self, program: Program, *, sandbox: bool) -> bytes:
        python, *arguments = program.command
        user = os.environ.get("USERNAME", "")
        domain = os.environ.get("USERDOMAIN", "")
        fields = {
            "mark": MARK,
            "user": f"{domain}\\{user}" if domain else user,
            "command": python,
            # A task has no environment of its own: the flag stands for PYTHONSAFEPATH.
            "arguments": subprocess.list2cmdline(["-P", *arguments]),
            "folder": program.home.root,
        }
        task = _TASK.format_map({name: escape(value) for name, value in fields.items()})
        return task.replace("\n", "\r\n").encode("utf-16")

    def require(self) -> None:
        told = asked(("schtasks", "/?"))
        if told.returncode != 0:
            raise Failure(f"The Task Scheduler cannot be asked: {complaint(told)}")

    def can_sandbox(self, program: Program) -> bool:
        return False

    def state(self, home: Home) -> State:
        """Whether there is such a task; its state has a name in the language of the machine."""
        there = asked(("schtasks", "/Query", "/TN", self.plan(home).name)).returncode == 0
        return State(word="registered" if there else "not registered", at_login=there)


def _step(*words: str, may_fail: bool = False) -> Step:
    return Step(("schtasks", *words), may_fail)
