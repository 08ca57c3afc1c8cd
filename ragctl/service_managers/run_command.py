"""Runs one command of the service manager. It never raises: the result holds the exit code."""

import os
import subprocess
from collections.abc import Sequence

ANSWER_WITHIN_S = 20.0


def run_command(
    argv: Sequence[str], within_s: float = ANSWER_WITHIN_S
) -> "subprocess.CompletedProcess[str]":
    """Run it and return the result: exit code 127 if it is missing, 124 if it hangs."""
    try:
        return subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            timeout=within_s,
        )
    except OSError as why:
        return subprocess.CompletedProcess(argv, 127, "", f"{argv[0]}: {why.strerror}")
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, 124, "", "it took too long")


def error_text(done: "subprocess.CompletedProcess[str]") -> str:
    """The command's own error message, or its exit code."""
    return done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
