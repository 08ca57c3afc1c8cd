"""One daemon a home: an advisory lock on a file. The lock is the authority, not the socket.

What the file says (pid, version, socket) is only for messages and may be out of date.
"""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ragd.errors import AlreadyRunning


@contextlib.contextmanager
def hold(path: Path, about: dict[str, object]) -> Iterator[None]:
    """Hold the lock for the length of the block, or raise AlreadyRunning naming who has it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        if not _try_lock(handle):
            raise AlreadyRunning(
                f"ragd is already running for this home{_holder(handle)}.",
                "`ragctl status` shows it, `ragctl stop` ends it.",
            )
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(about).encode(), 0)
        yield
        os.ftruncate(handle, 0)
    finally:
        os.close(handle)  # and with it the lock; the file stays, or two could hold two of them


def _holder(handle: int) -> str:
    try:
        return f" (pid {json.loads(os.pread(handle, 4096, 0))['pid']})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _try_lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":  # not tested
            import msvcrt

            os.lseek(handle, 1 << 20, os.SEEK_SET)  # beyond the text, which others must read
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
