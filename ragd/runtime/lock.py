"""One daemon a home: an advisory lock on a file. The lock is the authority, not the socket.

What the file says (pid, version, socket) is only for messages and may be out of date.
"""

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ragd.errors import AlreadyRunning

_ASKED_TIMES = 50
_ASKED_EVERY_S = 0.02


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
        _write(handle, json.dumps(about).encode())
        yield
        _write(handle, b"")
    finally:
        os.close(handle)  # and with it the lock; the file stays, or two could hold two of them


def _write(handle: int, text: bytes) -> None:
    with contextlib.suppress(OSError):  # a full disk: it is only for messages
        os.ftruncate(handle, 0)
        os.pwrite(handle, text, 0)


def _holder(handle: int) -> str:
    """Who has it. Between taking the lock and saying so lies a moment: ask again for a second."""
    for _ in range(_ASKED_TIMES):
        pid = _named(handle)
        if pid is not None and _is_alive(pid):
            return f" (pid {pid})"
        time.sleep(_ASKED_EVERY_S)
    return ""


def _named(handle: int) -> int | None:
    try:
        pid = json.loads(os.pread(handle, 4096, 0))["pid"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return pid if isinstance(pid, int) and pid > 0 else None


def _is_alive(pid: int) -> bool:
    """False where the text is still that of a daemon which was killed."""
    if sys.platform == "win32":  # where signal 0 is not harmless; not tested
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # somebody else's, but there
    return pid != os.getpid()


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
