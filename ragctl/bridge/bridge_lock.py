"""Which bridge serves a home: the holder of the lock on `bridge/lock`, and what it wrote there.

A bridge that holds the lock is this user's own: no other user can open the file. So its port can be
trusted, and a port that is only remembered cannot. It does not work on Windows, which has no flock.
"""

import contextlib
import json
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

from ragctl.failure import Failure, TimedOut
from ragd.errors import EXIT_ALREADY_RUNNING
from ragd.paths import Home

STOPPED_WITHIN_S = 15.0
_LOCKED_WITHIN_S = 0.5
_POLL_S = 0.02


def make_bridge_folder(home: Home) -> None:
    """Create the private folder of the bridge. Raises Failure if it is not this user's."""
    os.makedirs(home.root, mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkdir(home.bridge, 0o700)
    found = os.lstat(home.bridge)
    is_folder = os.path.isdir(home.bridge) and not os.path.islink(home.bridge)
    if not is_folder or (hasattr(os, "getuid") and found.st_uid != os.getuid()):
        raise Failure(f"{home.bridge} is not a folder of yours.", "Remove it, then try again.")
    os.chmod(home.bridge, 0o700)


@contextlib.contextmanager
def hold_bridge_lock(home: Home) -> Iterator[int]:
    """Hold the lock during the block. Raises Failure if another bridge holds it."""
    import fcntl

    make_bridge_folder(home)
    handle = os.open(_lock_path(home), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + _LOCKED_WITHIN_S
        while not _try_lock(handle, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise Failure(  # without its address: this may be written to the journal
                    "`ragctl serve` already runs for this home.",
                    "`ragctl open` opens its page, `ragctl serve --status` shows where it is.",
                    EXIT_ALREADY_RUNNING,
                )
            time.sleep(_POLL_S)  # `find_bridge` holds it for a moment
        os.ftruncate(handle, 0)
        yield handle
        os.ftruncate(handle, 0)
    finally:
        os.close(handle)  # the file stays: otherwise two bridges could each lock a file


def write_addresses(handle: int, page: str, mcp: str, port: int) -> None:
    """Write where the page and MCP are. `handle` is the lock's: only this user can read it."""
    about = {"pid": os.getpid(), "address": page, "mcp_address": mcp, "port": port}
    os.pwrite(handle, json.dumps(about).encode(), 0)


def find_bridge(home: Home) -> dict[str, Any] | None:
    """What the running bridge wrote about itself; None if none runs, or it does not listen yet."""
    import fcntl

    try:
        handle = os.open(_lock_path(home), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return None if _try_lock(handle, fcntl.LOCK_SH) else _read(handle)
    finally:
        os.close(handle)


def stop_bridge(home: Home) -> bool:
    """End the bridge that runs, and wait for it; False if none ran."""
    found = find_bridge(home)
    if found is None:
        return False
    os.kill(int(found["pid"]), signal.SIGTERM)  # it holds the lock, so the pid is its own
    deadline = time.monotonic() + STOPPED_WITHIN_S
    while find_bridge(home) is not None:
        if time.monotonic() > deadline:
            raise TimedOut("`ragctl serve` did not end in time.", "Try again.")
        time.sleep(_POLL_S)
    return True


def _try_lock(handle: int, kind: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_path(home: Home) -> str:
    return os.path.join(home.bridge, "lock")


def _read(handle: int) -> dict[str, Any] | None:
    try:
        found = json.loads(os.pread(handle, 4096, 0))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and "address" in found else None
