"""A look at an index from a process of its own, for one that may take its reader down with it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import ragd
from ragd.adapters.lance_store.checkup import Finding

WITHIN_S = 50.0
_ABORTED = 0xC000_0000  # on Windows, exit codes from here on are crashes; not tested


def examine_apart(folder: Path, generation: str, expected: int = 0) -> Finding | None:
    """As `examine`; who dies of it has found damage. Raises OSError if nobody could look."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", __package__, str(folder), generation, str(expected)],
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=WITHIN_S,
        )
    except subprocess.TimeoutExpired as why:
        raise TimeoutError(f"nobody could look at the index within {WITHIN_S:g} s") from why
    if done.returncode < 0 or done.returncode >= _ABORTED:
        return Finding("INDEX_CORRUPTED", "crash")
    if done.returncode:
        raise OSError(f"whoever looked at the index ended with code {done.returncode}")
    found = json.loads(done.stdout)
    return Finding(found["code"], found["where"]) if found["code"] is not None else None


def _environment() -> dict[str, str]:
    """Our own package and no other surprise."""
    places = [str(Path(ragd.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}
