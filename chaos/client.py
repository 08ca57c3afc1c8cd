"""Requests over the daemon's socket without ragctl: HTTP/1.0, one connection each."""

import json
import socket
import threading
import time
from typing import Any, NamedTuple

from chaos.harness import require

ANSWER_WITHIN_S = 60.0


class Reply(NamedTuple):
    """The status and the body of an answer."""

    status: int
    body: bytes

    @property
    def envelope(self) -> dict[str, Any]:
        envelope: dict[str, Any] = json.loads(self.body)
        return envelope

    @property
    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = self.envelope["data"]
        return data


def connect(path: str) -> socket.socket:
    """Open a connection. Raises OSError if no daemon listens."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(ANSWER_WITHIN_S)
    try:
        connection.connect(path)
    except BaseException:
        connection.close()
        raise
    return connection


def send(connection: socket.socket, method: str, target: str, body: bytes = b"") -> None:
    head = f"{method} {target} HTTP/1.0\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)


def ask(path: str, method: str, target: str, body: object = None) -> Reply:
    """One request, one answer. Raises OSError if the daemon ends before it has answered."""
    with connect(path) as connection:
        send(connection, method, target, b"" if body is None else json.dumps(body).encode())
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, found, rest = answer.partition(b"\r\n\r\n")
    if not found:
        raise ConnectionResetError("no answer")
    length = next(
        int(h[15:]) for h in head.split(b"\r\n") if h.lower().startswith(b"content-length:")
    )
    if len(rest) < length:
        raise ConnectionResetError("half an answer")
    return Reply(int(head.split()[1]), rest)


class Follower:
    """Follows the facts until the daemon ends; `lines` returns those that were complete."""

    def __init__(self, path: str, after: int) -> None:
        self._connection = connect(path)
        send(self._connection, "GET", f"/v1/events?after={after}&follow=1")
        self._received = b""
        self._thread = threading.Thread(target=self._receive, daemon=True)
        self._thread.start()

    def _receive(self) -> None:
        self._connection.settimeout(None)
        try:
            while some := self._connection.recv(65_536):
                self._received += some
        except OSError:
            pass

    def wait_for(self, part: bytes, within_s: float) -> None:
        """Wait until these bytes were received."""
        end = time.monotonic() + within_s
        while part not in self._received:
            require(time.monotonic() < end, f"a follower never received {part!r}")
            time.sleep(0.02)

    def close(self) -> None:
        """Disconnect while the daemon runs."""
        self._connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(ANSWER_WITHIN_S)
        self._connection.close()

    def lines(self) -> list[bytes]:
        """The facts received, after the daemon has ended."""
        self._thread.join(ANSWER_WITHIN_S)
        self._connection.close()
        _, _, body = self._received.partition(b"\r\n\r\n")
        return body.split(b"\n")[:-1]
