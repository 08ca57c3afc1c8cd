"""Child processes that run our own code: their environment, and whether they crashed."""

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


# What an interpreter needs to start: where its libraries are, and on Windows the system.
_NEEDED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "PYTHONHOME", "PYTHONPATH")


def environment(**more: str) -> dict[str, str]:
    """The environment of a child: it imports the same code as this process, and never imports from
    the working folder."""
    return _with_our_code({**os.environ, **more})


def clean_environment(**more: str) -> dict[str, str]:
    """Like `environment`, without this process's own variables: they may hold secrets."""
    needed = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    return _with_our_code({**needed, "PYTHONDONTWRITEBYTECODE": "1", **more})


def _with_our_code(found: dict[str, str]) -> dict[str, str]:
    found["PYTHONSAFEPATH"] = "1"
    place, known = code_folder(), os.environ.get("PYTHONPATH")
    if place:
        found["PYTHONPATH"] = f"{place}{os.pathsep}{known}" if known else place
    return found


def code_folder() -> str:
    """The folder of our packages; empty if the interpreter finds it without help."""
    place = os.path.dirname(os.path.dirname(os.path.abspath(ragd.__file__)))
    return "" if os.path.basename(place) in ("site-packages", "dist-packages") else place


def has_crashed(returncode: int) -> bool:
    """Whether it crashed. False if it was stopped from outside."""
    return -returncode in _CRASHES or returncode >= _WINDOWS_CRASH
