"""A second systemd unit that keeps `ragctl serve` running, beside the daemon's. Linux only.

It has the same shape as the other service managers. The bridge writes only in its own home, and
starts no daemon: the daemon's own unit does that. What it prints, the address of the page, is not
kept: others may read the journal.
"""

import os
import sys
import time

from ragctl.bridge.bridge_lock import find_bridge, stop_bridge
from ragctl.failure import Failure
from ragctl.service_managers import MARK, Plan, Program, ServiceState, installed_service
from ragctl.service_managers.systemd import Systemd, plan_unit, read_unit_state
from ragctl.service_managers.systemd_unit import FILTERED, NO_RESTART_CODES, quote_unit_word
from ragctl.views.render import print_notice
from ragd.paths import Home
from ragd.runtime.subprocesses import code_folder

PORT = 8427
SERVES_WITHIN_S = 15.0

_UNIT = """\
# {mark}, which overwrites it.
# To change something, use `systemctl --user edit`: ragctl keeps that.
[Unit]
Description=The page of ragd, and MCP over HTTP, on this machine
Wants={daemon}
After={daemon}
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart=:{command}
{environment}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus={hopeless}
TimeoutStopSec=15
StandardOutput=null

{filtered}
[Install]
WantedBy=default.target
"""


class PageService:
    """The service manager of the bridge."""

    def __init__(self) -> None:
        if str(sys.platform) != "linux":
            raise Failure(
                "The page can be kept running by systemd only.", "Run `ragctl open` when needed."
            )
        self._systemd = Systemd()

    def plan(self, home: Home) -> Plan:
        daemon = self._systemd.plan(home).name
        return plan_unit(daemon.replace(".service", "-page.service"))

    def content(self, program: Program, *, sandbox: bool) -> bytes:
        settings = (f"{name}={value}" for name, value in program.environment.items())
        return _UNIT.format(
            mark=MARK,
            daemon=self._systemd.plan(program.home).name,
            command=" ".join(map(quote_unit_word, program.command)),
            environment="\n".join(f"Environment={quote_unit_word(one)}" for one in settings),
            hopeless=" ".join(map(str, NO_RESTART_CODES)),
            filtered=FILTERED,
        ).encode()

    def require(self) -> None:
        self._systemd.require()

    def can_sandbox(self, program: Program) -> bool:
        return False

    def state(self, home: Home) -> ServiceState:
        return read_unit_state(self.plan(home).name)


def installed_page_service(home: Home) -> Plan | None:
    """The plan of the page's service; None if it is not installed."""
    if str(sys.platform) != "linux":
        return None
    plan = PageService().plan(home)
    return plan if os.path.lexists(plan.file) else None


def build_page_program(home: Home) -> Program:
    """The program for the service. Raises Failure if the daemon has no service: the bridge would
    start one that ends with it."""
    if installed_service(home) is None:
        raise Failure(
            "The page needs the daemon's own service.", "Run `ragctl service install` first."
        )
    environment = {"PYTHONSAFEPATH": "1"}
    if folder := code_folder():
        environment["PYTHONPATH"] = folder
    command = (sys.executable, "-m", "ragctl", "serve", "--home", home.root, "--port", str(PORT))
    return Program(command, environment, home, vault="", writable=(home.root,))


def stop_unmanaged_bridge(manager: PageService, home: Home) -> None:
    """Only one bridge can run in a home, so stop one that systemd did not start."""
    found = find_bridge(home)
    if found is not None and found.get("pid") != manager.state(home).pid:
        stop_bridge(home)
        print_notice("Stopped the `ragctl serve` that ran without the service.")


def wait_until_serving(plan: Plan, home: Home) -> None:
    """Returns when the bridge answers. Raises Failure if it does not."""
    deadline = time.monotonic() + SERVES_WITHIN_S
    while find_bridge(home) is None:
        if time.monotonic() > deadline:
            raise Failure(
                f"The service {plan.name} is installed, but it does not answer.",
                f"Run `journalctl --user -u {os.path.basename(plan.file)}` to see why.",
            )
        time.sleep(0.02)
