"""Processes of our own code beside this one: where their code comes from, and how they ended."""

# Paths are strings here, as in paths.py: `ragctl` uses this, and pathlib is slow.
# ruff: noqa: PTH100, PTH119, PTH120

import os
import signal

import ragd

_WINDOWS_CRASH = 0xC000_0000  # exit codes from here on; not tested
_CRASHES = frozenset(
    getattr(signal, name)
    for name in ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP")
    if hasattr(signal, name)
)


def environment(**more: str) -> dict[str, str]:
    """For one of them: code comes from where ours came from, never from a working folder."""
    found = {**os.environ, "PYTHONSAFEPATH": "1", **more}
    place, known = code_folder(), os.environ.get("PYTHONPATH")
    if place:
        found["PYTHONPATH"] = f"{place}{os.pathsep}{known}" if known else place
    return found


def code_folder() -> str:
    """The folder of our packages, where the interpreter does not look by itself."""
    place = os.path.dirname(os.path.dirname(os.path.abspath(ragd.__file__)))
    return "" if os.path.basename(place) in ("site-packages", "dist-packages") else place


def has_crashed(returncode: int) -> bool:
    """Whether it ended by a fault of its own, and not because somebody ended it."""
    return -returncode in _CRASHES or returncode >= _WINDOWS_CRASH
