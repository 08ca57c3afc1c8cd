"""Bytes to and from the daemon: its Unix socket, or on Windows its named pipe.

Every wait on a socket has a time-out, and errors are raised as a Failure. A pipe is opened as a
file and has no time-out; that branch has never been run on Windows.
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


def disconnected_error() -> Disconnected:
    return Disconnected(
        "The daemon closed the connection in the middle of its answer.",
        "Run `ragctl status`; `ragctl logs` shows what happened.",
    )


class DaemonConnection:
    """One open connection to the daemon."""

    def __init__(self, endpoint: Any) -> None:
        self._endpoint = endpoint
        self._is_socket = isinstance(endpoint, socket.socket)
        self._buffer = b""

    def set_timeout(self, seconds: float | None) -> None:
        if self._is_socket:  # a pipe opened as a file has no time-out
            # Zero would make the socket non-blocking instead of timing out.
            self._endpoint.settimeout(seconds if seconds is None else max(seconds, 0.001))

    def is_ready(self, seconds: float) -> bool:
        """Whether data can be read within this time. Always True for a pipe, which cannot tell."""
        if self._buffer or not self._is_socket:
            return True
        return bool(select([self._endpoint], [], [], max(seconds, 0.0))[0])

    def fileno(self) -> int:
        """For `select`."""
        return int(self._endpoint.fileno())

    def send(self, data: bytes) -> None:
        try:
            self._endpoint.sendall(data) if self._is_socket else self._endpoint.write(data)
        except TimeoutError:
            raise _timeout_error() from None
        except OSError:
            raise disconnected_error() from None

    def read_some(self, size_max: int = _PIECE) -> bytes:
        """The buffered data, or the next data to arrive; empty at the end."""
        if not self._buffer:
            self._buffer = self._receive()
        piece, self._buffer = self._buffer[:size_max], self._buffer[size_max:]
        return piece

    def read_exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._read_more()
        return self.read_some(size)

    def read_line(self) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > _LINE_MAX:
                raise Failure("The program that listens on ragd's socket does not speak HTTP.")
            self._read_more()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.rstrip(b"\r")

    def close(self) -> None:
        self._endpoint.close()

    def _read_more(self) -> None:
        piece = self._receive()
        if not piece:
            raise disconnected_error()
        self._buffer += piece

    def _receive(self) -> bytes:
        try:
            received: bytes = (
                self._endpoint.recv(_PIECE)
                if self._is_socket
                else self._endpoint.read(_PIECE) or b""
            )
        except TimeoutError:
            raise _timeout_error() from None
        except OSError:
            raise disconnected_error() from None
        return received


def _timeout_error() -> TimedOut:
    return TimedOut(
        "The daemon is running but did not answer in time.",
        "Try again; `ragctl logs` shows what it is doing.",
    )


def not_running_error() -> NotRunning:
    return NotRunning("ragd is not running.", "Start it with `ragctl start`.")


def connect(home: Home, timeout: float) -> DaemonConnection:
    if sys.platform == "win32":
        return _open_pipe(home)
    endpoint = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    endpoint.settimeout(timeout)
    try:
        _connect_with_retries(endpoint, _find_socket(home), timeout)
        _require_same_user(endpoint)
    except (FileNotFoundError, ConnectionRefusedError):
        endpoint.close()
        raise not_running_error() from None
    except PermissionError:
        endpoint.close()
        raise Failure(
            f"The socket {home.socket} belongs to another user.",
            "Run ragctl as the user who runs the daemon.",
            EXIT_PERMISSION,
        ) from None
    except TimeoutError:
        endpoint.close()
        raise _timeout_error() from None
    except BaseException:
        endpoint.close()
        raise
    return DaemonConnection(endpoint)


def _find_socket(home: Home) -> str:
    """The path of the daemon's socket. With a long home path, a daemon started in another session
    (by an MCP client, by systemd) may use another runtime folder: the lock file names it."""
    path = home.socket
    if os.path.dirname(path) == home.root or os.path.exists(path):
        return path
    from ragctl.daemon.lockfile import holder

    return str((holder(home) or {}).get("socket") or path)


def _connect_with_retries(endpoint: socket.socket, path: str, timeout: float) -> None:
    """Connect. A Unix socket whose queue is full refuses at once, so retry until the time-out."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            endpoint.connect(path)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError from None
            time.sleep(0.01)


def _require_same_user(endpoint: socket.socket) -> None:
    """Raise unless the daemon runs as this user: a socket in a shared folder could be anyone's."""
    if sys.platform != "linux":
        return
    credentials = endpoint.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    uid = int.from_bytes(credentials[4:8], sys.byteorder)
    if uid != os.getuid():
        raise Failure(
            f"This home's daemon runs as another user (uid {uid}).",
            "Run ragctl as that user, or choose another home with --home.",
            EXIT_PERMISSION,
        )


def _open_pipe(home: Home) -> DaemonConnection:
    try:
        return DaemonConnection(open(home.pipe, "r+b", buffering=0))
    except FileNotFoundError:
        raise not_running_error() from None
