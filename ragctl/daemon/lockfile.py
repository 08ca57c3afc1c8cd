"""Whether a daemon runs in a home (the lock on `ragd.lock`), and which one (the file's content).

It takes the lock, shared, for an instant only, and never creates or changes the file.
"""

import json
import os
import sys
from typing import Any

from ragd.paths import Home


def holder(home: Home) -> dict[str, Any] | None:
    """What the running daemon wrote about itself (possibly nothing); None if no daemon runs."""
    try:
        handle = os.open(home.lock, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        return _read_json(handle) if _is_held(handle, home) else None
    finally:
        os.close(handle)


def read_lockfile(home: Home) -> dict[str, Any]:
    """What the last daemon wrote about itself. The content remains after the daemon is killed."""
    try:
        handle = os.open(home.lock, os.O_RDONLY)
    except OSError:
        return {}
    try:
        return _read_json(handle)
    finally:
        os.close(handle)


def _is_held(handle: int, home: Home) -> bool:
    if sys.platform == "win32":  # no flock on Windows: a daemon that answers holds the lock
        from ragctl.daemon.client import is_listening

        return is_listening(home)
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _read_json(handle: int) -> dict[str, Any]:
    try:
        found = json.loads(os.read(handle, 4096))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
