"""Runs ragctl as a user would."""

import json
import subprocess
import sys
from typing import Any

from chaos.harness import environment
from chaos.managed_daemon import ManagedDaemon
from tests.patience import PATIENCE_S


def run_ragctl(daemon: ManagedDaemon, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "ragctl", "--home", daemon.home.root, *words]
    return subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=PATIENCE_S
    )


def read_json_lines(daemon: ManagedDaemon, *words: str) -> list[dict[str, Any]]:
    """Run ragctl and parse its JSON lines."""
    return [json.loads(line) for line in run_ragctl(daemon, *words).stdout.splitlines()]


def printed(daemon: ManagedDaemon, done: "subprocess.CompletedProcess[str]") -> str:
    """Everything it printed, on one line, with commands without `--home`."""
    return without_home(daemon, f"{done.stdout} {done.stderr}")


def without_home(daemon: ManagedDaemon, text: str) -> str:
    """The text on one line, with commands without `--home`."""
    return " ".join(text.split()).replace(f" --home {daemon.home.root}", "")
