"""One command of the service manager, run to its end. It never fails: it tells how it went."""

import os
import subprocess
from collections.abc import Sequence

ANSWER_WITHIN_S = 20.0


def asked(
    argv: Sequence[str], within_s: float = ANSWER_WITHIN_S
) -> "subprocess.CompletedProcess[str]":
    """What it said. A command that is not there is exit code 127, one that hangs 124."""
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


def complaint(done: "subprocess.CompletedProcess[str]") -> str:
    """What went wrong, in the command's own words where it has any."""
    return done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
