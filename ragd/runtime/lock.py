"""At most one daemon per home: an advisory lock on a file. The lock decides, not the socket.

The file's content (pid, version, socket) is only for messages and may be out of date.
"""

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ragd.errors import AlreadyRunning

_HOLDER_READS = 50
_HOLDER_READ_EVERY_S = 0.02


@contextlib.contextmanager
def hold(path: Path, about: dict[str, object]) -> Iterator[None]:
    """Hold the lock during the block, or raise AlreadyRunning with the holder's pid."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        if not try_lock(handle):
            raise AlreadyRunning(
                f"ragd is already running for this home{_holder(handle)}.",
                "`ragctl status` shows it, `ragctl stop` ends it.",
            )
        _write(handle, json.dumps(about).encode())
        yield
        _write(handle, b"")
    finally:
        # This also releases the lock. The file stays: otherwise two daemons could each lock a file
        # of this name.
        os.close(handle)


def _write(handle: int, text: bytes) -> None:
    with contextlib.suppress(OSError):  # the disk may be full, and this is only for messages
        os.ftruncate(handle, 0)
        os.pwrite(handle, text, 0)


def _holder(handle: int) -> str:
    """The holder's pid, for the message. It is written just after the lock is acquired, so this
    reads for up to a second."""
    for _ in range(_HOLDER_READS):
        pid = _read_pid(handle)
        if pid is not None and _is_alive(pid):
            return f" (pid {pid})"
        time.sleep(_HOLDER_READ_EVERY_S)
    return ""


def _read_pid(handle: int) -> int | None:
    try:
        pid = json.loads(os.pread(handle, 4096, 0))["pid"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return pid if isinstance(pid, int) and pid > 0 else None


def _is_alive(pid: int) -> bool:
    """False if the pid is that of a killed daemon."""
    if sys.platform == "win32":  # signal 0 would end the process; not tested
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it is another user's process
    return pid != os.getpid()


def try_lock(handle: int) -> bool:
    """Lock an open file, unless another process or another handle of this one has locked it."""
    try:
        if sys.platform == "win32":  # not tested
            import msvcrt

            os.lseek(handle, 1 << 20, os.SEEK_SET)  # after the text, which must stay readable
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
