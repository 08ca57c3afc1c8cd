"""Checks an index in a child process, because reading a damaged index can crash the process."""

import json
import subprocess
import sys
import threading
from pathlib import Path

from ragd.objects.store_errors import STORE_CODES, ObjectStoreError
from ragd.runtime import subprocesses
from ragd.store.lance.checkup import IndexDefect
from ragd.store.lance.index_place import IndexPlace, place_of
from ragd.store.lance.lance_errors import CannotCheck
from ragd.store.lance.places import child_environment

WITHIN_S = 50.0

_running: set["subprocess.Popen[bytes]"] = set()
_lock = threading.Lock()


def examine_apart(
    folder: Path | IndexPlace, generation: str, expected: int = 0, vault: str = ""
) -> IndexDefect | None:
    """Like `examine`; a crash of the child counts as damage. Raises CannotCheck if the check could
    not run. The child exits when its stdin closes, so it never outlives this process."""
    place = place_of(folder)
    command = [sys.executable, "-m", __package__, place.address, generation, str(expected), vault]
    try:
        child = subprocess.Popen(
            command,
            env=subprocesses.environment(
                RAGD_EXIT_WHEN_STDIN_CLOSES="1", **child_environment(place)
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in the terminal must not stop it
        )
    except OSError as why:
        raise CannotCheck("the process that checks the index could not be started") from why
    with child:
        return _read_result(child)


def _read_result(child: "subprocess.Popen[bytes]") -> IndexDefect | None:
    with _lock:
        _running.add(child)
    try:
        code = child.wait(WITHIN_S)
        assert child.stdout is not None
        printed = child.stdout.read()
    except subprocess.TimeoutExpired as why:
        raise CannotCheck(f"the check did not end within {WITHIN_S:g} s") from why
    finally:
        child.kill()
        with _lock:
            _running.discard(child)
    if subprocesses.has_crashed(code):
        return IndexDefect("INDEX_CORRUPTED", "crash")
    try:
        found = json.loads(printed)
    except ValueError as why:
        raise CannotCheck(f"the process that checked the index ended with code {code}") from why
    if found["code"] in STORE_CODES:
        raise ObjectStoreError(found["code"])
    return IndexDefect(found["code"], found["where"]) if found["code"] is not None else None


def end_checks() -> None:
    """End all running checks: their results are not needed any more."""
    with _lock:
        for child in _running:
            child.kill()
