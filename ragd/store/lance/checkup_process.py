"""A look at an index from a process of its own, for one that may take its reader down with it."""

import json
import subprocess
import sys
import threading
from pathlib import Path

from ragd.runtime import subprocesses
from ragd.store.lance.checkup import IndexDefect
from ragd.store.lance.lance_errors import CannotCheck

WITHIN_S = 50.0

_looking: set["subprocess.Popen[bytes]"] = set()
_lock = threading.Lock()


def examine_apart(
    folder: Path, generation: str, expected: int = 0, vault: str = ""
) -> IndexDefect | None:
    """As `examine`; who crashes at it has found damage. Raises CannotCheck if nobody could look.

    Whoever looks ends when its standard input does, and so with us.
    """
    command = [sys.executable, "-m", __package__, str(folder), generation, str(expected), vault]
    try:
        looker = subprocess.Popen(
            command,
            env=subprocesses.environment(RAGD_LOOKS_WHILE_STDIN_LASTS="1"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in the daemon's terminal is not for it
        )
    except OSError as why:
        raise CannotCheck("whoever should look could not be started") from why
    with looker:
        return _judge(looker)


def _judge(looker: "subprocess.Popen[bytes]") -> IndexDefect | None:
    with _lock:
        _looking.add(looker)
    try:
        code = looker.wait(WITHIN_S)
        assert looker.stdout is not None
        said = looker.stdout.read()
    except subprocess.TimeoutExpired as why:
        raise CannotCheck(f"nobody was done looking within {WITHIN_S:g} s") from why
    finally:
        looker.kill()
        with _lock:
            _looking.discard(looker)
    if subprocesses.has_crashed(code):
        return IndexDefect("INDEX_CORRUPTED", "crash")
    try:
        found = json.loads(said)
    except ValueError as why:
        raise CannotCheck(f"whoever looked ended with code {code}") from why
    return IndexDefect(found["code"], found["where"]) if found["code"] is not None else None


def end_lookers() -> None:
    """Nobody wants to know any more."""
    with _lock:
        for looker in _looking:
            looker.kill()
