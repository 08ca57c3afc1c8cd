"""A small HTTP client for the daemon's socket: importing http.client would slow every command.

It never starts a daemon (`start` does) and does not interpret the answers.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

from ragctl.daemon.connection import DaemonConnection, connect, disconnected_error
from ragctl.failure import Failure, NotRunning, TimedOut
from ragd.errors import EXIT_USAGE
from ragd.paths import Home

ANSWER_WITHIN_S = 10.0
_HEADERS_MAX = 100
_BODY_MAX = 64 * 1024 * 1024


class Answer:
    """The HTTP status, the headers (lower-case names) and the raw body."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def version(self) -> str:
        """The daemon's version, or an empty text if it sent none."""
        return self.headers.get("x-ragd-version", "")

    @property
    def envelope(self) -> dict[str, Any]:
        try:
            found = json.loads(self.body)
        except ValueError:
            found = None
        if not isinstance(found, dict) or "status" not in found:
            raise Failure(
                "ragctl does not understand the daemon's answer.",
                "Run `ragctl doctor`; another program may be listening on the socket.",
            )
        return found

    @property
    def data(self) -> dict[str, Any]:
        """The envelope's data. Raises the daemon's error as a Failure."""
        envelope = self.envelope
        data, error = envelope.get("data"), envelope.get("error")
        if isinstance(data, dict):
            return data
        if not isinstance(error, dict):
            raise Failure("The daemon sent neither data nor an error.", "Run `ragctl logs`.")
        raise _failure_from(error)


class Stream:
    """An answer that arrives line by line. `has_line`: the next line is already here."""

    def __init__(self, connection: DaemonConnection, pieces: Iterator[bytes]) -> None:
        self._connection = connection
        self._pieces = pieces
        self._buffer = b""

    @property
    def has_line(self) -> bool:
        return b"\n" in self._buffer

    def is_ready(self, seconds: float) -> bool:
        """Whether data arrives in time. Unlike a time-out, this leaves the stream usable."""
        return self.has_line or self._connection.is_ready(seconds)

    def fileno(self) -> int:
        """For `select`. It does not see buffered data, so call `is_ready` first."""
        return self._connection.fileno()

    def read_line(self, timeout: float | None = None) -> bytes | None:
        """The next line without its newline; None at the end of the stream."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self.has_line:
            self._connection.set_timeout(None if deadline is None else deadline - time.monotonic())
            piece = next(self._pieces, None)
            if piece is None:
                return None
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def close(self) -> None:
        self._connection.close()


def _failure_from(error: dict[str, Any]) -> Failure:
    """The daemon's error. INVALID_REQUEST means that a value was mistyped: a usage error."""
    code = str(error.get("code", ""))
    return Failure(
        str(error.get("message", "")),
        str(error.get("suggestion", "")),
        EXIT_USAGE if code == "INVALID_REQUEST" else None,
        code=code,
    )


def is_listening(home: Home) -> bool:
    """Whether a daemon of this home accepts connections."""
    try:
        connect(home, 1.0).close()
    except (NotRunning, TimedOut):
        return False
    return True


def request(
    home: Home,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    timeout: float = ANSWER_WITHIN_S,
    headers: dict[str, str] | None = None,
) -> Answer:
    """Send one request and read the whole answer. `headers`: in ASCII, without line ends."""
    connection = connect(home, timeout)
    try:
        connection.send(request_bytes(method, path, body, headers))
        return read_answer(connection)
    finally:
        connection.close()


def stream(home: Home, path: str, timeout: float = ANSWER_WITHIN_S) -> Stream | Answer:
    """Send a GET and stream the answer's lines; an error comes back as an Answer."""
    connection = connect(home, timeout)
    try:
        connection.send(request_bytes("GET", path, None))
        status, headers = _read_head(connection)
        if status == 200:
            return Stream(connection, _read_pieces(connection, headers))
        refused = Answer(status, headers, _read_body(connection, headers))
    except BaseException:
        connection.close()
        raise
    connection.close()
    return refused


def request_bytes(
    method: str,
    path: str,
    body: dict[str, Any] | None,
    headers: dict[str, str] | None = None,
    *,
    keep: bool = False,
) -> bytes:
    """One request. `keep`: the connection stays open after the answer."""
    content = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: ragd\r\n"
    head += "" if keep else "Connection: close\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    if body is not None:
        head += "Content-Type: application/json\r\n"
    if body is not None or method != "GET":
        head += f"Content-Length: {len(content)}\r\n"
    return head.encode("ascii") + b"\r\n" + content


def read_answer(connection: DaemonConnection) -> Answer:
    """The whole answer to the request that was sent."""
    status, headers = _read_head(connection)
    return Answer(status, headers, _read_body(connection, headers))


def _read_head(connection: DaemonConnection) -> tuple[int, dict[str, str]]:
    words = connection.read_line().split(b" ", 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise Failure(
            "The program that listens on ragd's socket does not speak HTTP.", "Run `ragctl doctor`."
        )
    headers: dict[str, str] = {}
    while line := connection.read_line():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
        if len(headers) > _HEADERS_MAX:
            raise Failure("The daemon's answer has too many headers.")
    return int(words[1]), headers


def _read_pieces(connection: DaemonConnection, headers: dict[str, str]) -> Iterator[bytes]:
    """The body in pieces. Raises Disconnected if the connection closes before the end."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        while size := int(connection.read_line().partition(b";")[0], 16):
            piece = connection.read_exactly(size)
            connection.read_line()  # consume the line end now, or `is_ready` would see it
            yield piece
        while connection.read_line():
            pass
    elif "content-length" in headers:
        left = int(headers["content-length"])
        while left:
            piece = connection.read_some(left)
            if not piece:
                raise disconnected_error()
            left -= len(piece)
            yield piece
    else:
        while piece := connection.read_some():
            yield piece


def _read_body(connection: DaemonConnection, headers: dict[str, str]) -> bytes:
    body = b""
    for piece in _read_pieces(connection, headers):
        body += piece
        if len(body) > _BODY_MAX:
            raise Failure("The daemon's answer is too long.")
    return body
