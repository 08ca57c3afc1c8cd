"""A process beside the daemon that answers requests over pipes, and a timer that ends idle ones.

It knows nothing of what is asked. The process has nothing to save, so it is killed to end it.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import IO

from ragd.runtime import subprocesses


class PipedProcess:
    """A running process. Raises OSError if it cannot be started."""

    def __init__(self, command: Sequence[str], **environment: str) -> None:
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a traceback or a library could show what a file contains
            env=subprocesses.clean_environment(MALLOC_ARENA_MAX="2", **environment),
            cwd=os.path.sep,
            start_new_session=True,  # Ctrl-C in the terminal must not stop it
        )

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def has_ended(self) -> bool:
        return self._child.poll() is not None

    @property
    def replies(self) -> IO[bytes]:
        assert self._child.stdout is not None
        return self._child.stdout

    def write(self, request: bytes) -> None:
        """Send a request. Raises OSError or ValueError if the process has ended."""
        assert self._child.stdin is not None
        self._child.stdin.write(request)
        self._child.stdin.flush()

    @contextlib.contextmanager
    def killed_after(self, seconds: float) -> Iterator[threading.Event]:
        """Kill the process if the block takes longer; then the event is set."""
        too_slow = threading.Event()

        def stop() -> None:
            too_slow.set()
            self.kill()

        alarm = threading.Timer(seconds, stop)
        alarm.daemon = True
        alarm.start()
        try:
            yield too_slow
        finally:
            alarm.cancel()

    def kill(self) -> None:
        self._child.kill()

    def kill_and_wait(self) -> tuple[int, int]:
        """Its exit code, and the memory that it had at most, where that is known."""
        if sys.platform == "win32":
            self._child.kill()
            return self._child.wait(), 0
        try:
            # Popen's own `kill` would ask for the exit code, and then the memory is not known.
            os.kill(self._child.pid, signal.SIGKILL)
            _, status, used = os.wait4(self._child.pid, 0)
        except (ProcessLookupError, ChildProcessError):  # closed in another thread
            return self._child.wait(), 0
        self._child.returncode = os.waitstatus_to_exitcode(status)
        return self._child.returncode, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)

    def end(self) -> None:
        """Kill the process and free what belongs to it."""
        self.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


class IdleTimer:
    """Calls `end` after a time without use. Callers hold `lock`, and it is held during `end`."""

    def __init__(self, idle_s: float, lock: threading.Lock, end: Callable[[], None]) -> None:
        self._idle_s = idle_s
        self._lock = lock
        self._end = end
        self._timer: threading.Timer | None = None

    def start(self) -> None:
        self._timer = timer = threading.Timer(self._idle_s, self._end_if_idle)
        timer.daemon = True
        timer.start()

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_if_idle(self) -> None:
        with self._lock:
            if self._timer is threading.current_thread():  # no use came in between
                self._timer = None
                self._end()
