"""ragctl as a person types it."""

import json
import subprocess
import sys
from typing import Any

from chaos.harness import environment
from chaos.managed_daemon import ManagedDaemon
from tests.patience import PATIENCE_S


def typed(daemon: ManagedDaemon, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "ragctl", "--home", daemon.home.root, *words]
    return subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=PATIENCE_S
    )


def lines(daemon: ManagedDaemon, *words: str) -> list[dict[str, Any]]:
    """What it prints for programs."""
    return [json.loads(line) for line in typed(daemon, *words).stdout.splitlines()]


def said(daemon: ManagedDaemon, done: "subprocess.CompletedProcess[str]") -> str:
    """All that it printed, on one line; commands to paste without the home."""
    return without_home(daemon, f"{done.stdout} {done.stderr}")


def without_home(daemon: ManagedDaemon, text: str) -> str:
    """On one line, and commands as they are in the usual home."""
    return " ".join(text.split()).replace(f" --home {daemon.home.root}", "")
