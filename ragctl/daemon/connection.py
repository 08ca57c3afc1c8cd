"""Bytes to and from the daemon: its Unix socket, or on Windows its named pipe.

Every wait has an end where the system offers one, and what it says is a Failure with a sentence. A
pipe is opened as a file and cannot be timed; that branch has never been run on Windows.
"""

import os
import socket
import sys
import time
from select import select
from typing import Any

from ragctl.failure import Disconnected, Failure, NotRunning, TimedOut
from ragd.errors import EXIT_PERMISSION
from ragd.paths import Home

_PIECE = 64 * 1024
_LINE_MAX = 64 * 1024


def hung_up() -> Disconnected:
    return Disconnected(
        "The daemon hung up in the middle of its answer.",
        "Run `ragctl status`; `ragctl logs` tells what happened.",
    )


class Wire:
    """One open connection."""

    def __init__(self, end: Any) -> None:
        self._end = end
        self._is_socket = isinstance(end, socket.socket)
        self._buffer = b""

    def set_timeout(self, seconds: float | None) -> None:
        if self._is_socket:  # a pipe opened as a file cannot be timed
            # Zero would mean "do not block", which is another thing than "no time left".
            self._end.settimeout(seconds if seconds is None else max(seconds, 0.001))

    def ready(self, seconds: float) -> bool:
        """Whether something can be read, now or within this time; of a pipe nobody can say."""
        if self._buffer or not self._is_socket:
            return True
        return bool(select([self._end], [], [], max(seconds, 0.0))[0])

    def fileno(self) -> int:
        """For `select`, beside other things to wait for."""
        return int(self._end.fileno())

    def send(self, data: bytes) -> None:
        try:
            self._end.sendall(data) if self._is_socket else self._end.write(data)
        except TimeoutError:
            raise _too_slow() from None
        except OSError:
            raise hung_up() from None

    def some(self, most: int = _PIECE) -> bytes:
        """What is there, or what comes next; nothing at the end."""
        if not self._buffer:
            self._buffer = self._receive()
        piece, self._buffer = self._buffer[:most], self._buffer[most:]
        return piece

    def exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._more()
        return self.some(size)

    def line(self) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > _LINE_MAX:
                raise Failure("What listens on ragd's socket does not speak HTTP.")
            self._more()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.rstrip(b"\r")

    def close(self) -> None:
        self._end.close()

    def _more(self) -> None:
        piece = self._receive()
        if not piece:
            raise hung_up()
        self._buffer += piece

    def _receive(self) -> bytes:
        try:
            received: bytes = (
                self._end.recv(_PIECE) if self._is_socket else self._end.read(_PIECE) or b""
            )
        except TimeoutError:
            raise _too_slow() from None
        except OSError:
            raise hung_up() from None
        return received


def _too_slow() -> TimedOut:
    return TimedOut(
        "The daemon is there but did not answer in time.",
        "Try again; `ragctl logs` tells what it is doing.",
    )


def not_running() -> NotRunning:
    return NotRunning("ragd is not running.", "Start it with `ragctl start`.")


def connect(home: Home, timeout: float) -> Wire:
    if sys.platform == "win32":
        return _open_pipe(home)
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    end.settimeout(timeout)
    try:
        _connect_within(end, _socket_of(home), timeout)
        _refuse_strangers(end)
    except (FileNotFoundError, ConnectionRefusedError):
        end.close()
        raise not_running() from None
    except PermissionError:
        end.close()
        raise Failure(
            f"The socket {home.socket} belongs to somebody else.",
            "Run ragctl as the user who runs the daemon.",
            EXIT_PERMISSION,
        ) from None
    except TimeoutError:
        end.close()
        raise _too_slow() from None
    except BaseException:
        end.close()
        raise
    return Wire(end)


def _socket_of(home: Home) -> str:
    """Where the daemon listens. One whose home has a long path and who was started in another
    session (by an MCP client, by systemd) may have another runtime folder: its lock says which."""
    place = home.socket
    if os.path.dirname(place) == home.root or os.path.exists(place):
        return place
    from ragctl.daemon.lockfile import holder

    return str((holder(home) or {}).get("socket") or place)


def _connect_within(end: socket.socket, path: str, timeout: float) -> None:
    """A Unix socket whose queue is full says so at once instead of waiting: ask again."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            end.connect(path)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError from None
            time.sleep(0.01)


def _refuse_strangers(end: socket.socket) -> None:
    """A socket in a shared folder could be anybody's: questions go to our own user only."""
    if sys.platform != "linux":
        return
    credentials = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    uid = int.from_bytes(credentials[4:8], sys.byteorder)
    if uid != os.getuid():
        raise Failure(
            f"The daemon of this home runs as another user (uid {uid}).",
            "Run ragctl as that user, or choose another home with --home.",
            EXIT_PERMISSION,
        )


def _open_pipe(home: Home) -> Wire:
    try:
        return Wire(open(home.pipe, "r+b", buffering=0))
    except FileNotFoundError:
        raise not_running() from None
