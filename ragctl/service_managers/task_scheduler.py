"""Windows' Task Scheduler: one task at logon. Written from its manual, never run.

`schtasks` reads the task from a file in the home.
"""

import os
import subprocess
from xml.sax.saxutils import escape

from ragctl.failure import Failure
from ragctl.service_managers import MARK, Plan, Program, ServiceState, Step, service_name
from ragctl.service_managers.run_command import error_text, run_command
from ragd.paths import Home

_TASK = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>{mark}, which overwrites it.</Description>
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


class TaskScheduler:
    """The service manager on Windows."""

    def plan(self, home: Home) -> Plan:
        name = service_name(home)
        file = os.path.join(home.root, "ragd-task.xml")
        create = _step("/Create", "/TN", name, "/XML", file, "/F")
        run = _step("/Run", "/TN", name)
        return Plan(
            manager="Task Scheduler",
            name=name,
            file=file,
            install=(create, run),
            reinstall=(create, run),
            before_removal=(_step("/Delete", "/TN", name, "/F", may_fail=True),),
            after_removal=(),
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
            # A task cannot set environment variables: -P replaces PYTHONSAFEPATH.
            "arguments": subprocess.list2cmdline(["-P", *arguments]),
            "folder": program.home.root,
        }
        task = _TASK.format_map({name: escape(value) for name, value in fields.items()})
        return task.replace("\n", "\r\n").encode("utf-16")

    def require(self) -> None:
        done = run_command(("schtasks", "/?"))
        if done.returncode != 0:
            raise Failure(f"schtasks failed: {error_text(done)}")

    def can_sandbox(self, program: Program) -> bool:
        return False

    def state(self, home: Home) -> ServiceState:
        """Whether the task exists. Its state is not read: that word depends on the locale."""
        exists = run_command(("schtasks", "/Query", "/TN", self.plan(home).name)).returncode == 0
        return ServiceState(state="registered" if exists else "not registered", at_login=exists)


def _step(*words: str, may_fail: bool = False) -> Step:
    return Step(("schtasks", *words), may_fail)
