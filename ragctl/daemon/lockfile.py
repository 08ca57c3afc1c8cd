"""Who runs in a home: the lock on `ragd.lock` says whether, the file's content says who.

It holds the lock, shared, for an instant only, and never creates or changes the file.
"""

import json
import os
import sys
from typing import Any

from ragd.paths import Home


def holder(home: Home) -> dict[str, Any] | None:
    """What the daemon of this home wrote about itself (perhaps nothing); None: no daemon runs."""
    try:
        handle = os.open(home.lock, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        return _content(handle) if _is_held(handle, home) else None
    finally:
        os.close(handle)


def written(home: Home) -> dict[str, Any]:
    """What the last daemon of this home wrote about itself and, if it was killed, left behind."""
    try:
        handle = os.open(home.lock, os.O_RDONLY)
    except OSError:
        return {}
    try:
        return _content(handle)
    finally:
        os.close(handle)


def _is_held(handle: int, home: Home) -> bool:
    if sys.platform == "win32":  # no flock there: whoever answers is the holder
        from ragctl.daemon.client import answers

        return answers(home)
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _content(handle: int) -> dict[str, Any]:
    try:
        found = json.loads(os.read(handle, 4096))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
