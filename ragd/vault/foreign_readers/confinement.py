"""Limits what the process that reads foreign documents may do, before it reads the first one.

On Linux and macOS no file is written, few are open, and memory and computing time are limited
(macOS does not enforce the limit on memory). On Linux, the kernel also refuses the network
and other programs (`system_calls.py`); elsewhere only Python's own calls are refused. Windows has
no such limits but the daemon's clock. It never raises: a limit that the system does not have is
left out.
"""

import contextlib
import os
import sys
from pathlib import Path

from ragd.vault.foreign_readers import limits
from ragd.vault.foreign_readers.system_calls import refuse_system_calls

if sys.platform != "win32":
    import resource

_REFUSED = (
    *("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto", "socket.sendmsg"),
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty"),
    *("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"),
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def confine() -> bool:
    """Set the limits for the life of the process. Returns whether the kernel refuses calls."""
    with contextlib.suppress(OSError):  # if memory runs out, this process goes first
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
    sys.addaudithook(_refuse)
    if sys.platform == "win32":
        return False
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, limits.OPEN_FILES)
    _limit(resource.RLIMIT_AS, limits.MEMORY_BYTES, limits.OCR_MEMORY_BYTES)
    return refuse_system_calls()


def allow_for(kind: str) -> None:
    """Set the limits for the next file: its memory and its computing time."""
    if sys.platform == "win32":
        return
    memory = limits.OCR_MEMORY_BYTES if kind == "image" else limits.MEMORY_BYTES
    _limit(resource.RLIMIT_AS, memory, limits.OCR_MEMORY_BYTES)
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + limits.CPU_S + 1
    _limit(resource.RLIMIT_CPU, until, resource.RLIM_INFINITY)


def _limit(which: int, soft: int, hard: int | None = None) -> None:
    """Lower one limit; a limit that was already lower stays."""
    if sys.platform == "win32":
        return
    wanted = soft if hard is None else hard
    with contextlib.suppress(OSError, ValueError):
        _, most = resource.getrlimit(which)
        if most != resource.RLIM_INFINITY:
            wanted = most if wanted == resource.RLIM_INFINITY else min(wanted, most)
            soft = min(soft, wanted)
        resource.setrlimit(which, (soft, wanted))


def _refuse(event: str, args: tuple[object, ...]) -> None:
    if event in _REFUSED:
        raise PermissionError(event)
    if event == "open" and isinstance(flags := args[2], int) and flags & _WRITING:
        raise PermissionError(event)
