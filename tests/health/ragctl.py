"""ragctl as a person types it."""

import json
import subprocess
import sys
from typing import Any

from chaos.harness import environment
from chaos.resident import Resident
from tests.patience import PATIENCE_S


def typed(resident: Resident, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "ragctl", "--home", resident.home.root, *words]
    return subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=PATIENCE_S
    )


def lines(resident: Resident, *words: str) -> list[dict[str, Any]]:
    """What it prints for programs."""
    return [json.loads(line) for line in typed(resident, *words).stdout.splitlines()]


def said(resident: Resident, done: "subprocess.CompletedProcess[str]") -> str:
    """All that it printed, on one line; commands to paste without the home."""
    return without_home(resident, f"{done.stdout} {done.stderr}")


def without_home(resident: Resident, text: str) -> str:
    """On one line, and commands as they are in the usual home."""
    return " ".join(text.split()).replace(f" --home {resident.home.root}", "")
