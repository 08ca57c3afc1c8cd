"""The daemon's HTTP, spoken by hand over its socket: a cold command has no time for http.client.

It never starts a daemon (`start` does) and knows nothing of what the answers mean.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

from ragctl.daemon.connection import Wire, connect, hung_up
from ragctl.failure import Failure, NotRunning, TimedOut
from ragd.errors import EXIT_USAGE
from ragd.paths import Home

ANSWER_WITHIN_S = 10.0
_HEADERS_MAX = 100
_BODY_MAX = 64 * 1024 * 1024


class Answer:
    """What came back: the HTTP status, the headers (lower case) and the body, as they came."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def version(self) -> str:
        """The daemon's version, or nothing if it did not say."""
        return self.headers.get("x-ragd-version", "")

    @property
    def envelope(self) -> dict[str, Any]:
        try:
            found = json.loads(self.body)
        except ValueError:
            found = None
        if not isinstance(found, dict) or "status" not in found:
            raise Failure(
                "The daemon's answer is not one that ragctl understands.",
                "Run `ragctl doctor`; perhaps something else listens on the socket.",
            )
        return found

    @property
    def data(self) -> dict[str, Any]:
        """The envelope's data; a refusal is a Failure that says what the daemon said."""
        envelope = self.envelope
        data, error = envelope.get("data"), envelope.get("error")
        if isinstance(data, dict):
            return data
        if not isinstance(error, dict):
            raise Failure("The daemon gave no data and no reason.", "Run `ragctl logs`.")
        raise _refused(error)


class Stream:
    """Lines that keep coming. `pending` says whether one can be had without waiting."""

    def __init__(self, wire: Wire, pieces: Iterator[bytes]) -> None:
        self._wire = wire
        self._pieces = pieces
        self._buffer = b""

    @property
    def pending(self) -> bool:
        return b"\n" in self._buffer

    def ready(self, seconds: float) -> bool:
        """Whether more is there, or comes in time. Unlike a time-out, it breaks nothing."""
        return self.pending or self._wire.ready(seconds)

    def fileno(self) -> int:
        """For `select`; what is buffered here already it does not see, so ask `ready` first."""
        return self._wire.fileno()

    def line(self, timeout: float | None = None) -> bytes | None:
        """The next line, without its end; None when the daemon has said all it wanted to say."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self.pending:
            self._wire.set_timeout(None if deadline is None else deadline - time.monotonic())
            piece = next(self._pieces, None)
            if piece is None:
                return None
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def close(self) -> None:
        self._wire.close()


def _refused(error: dict[str, Any]) -> Failure:
    """What the daemon said. A request it cannot read is, for ours, a value that was mistyped."""
    code = str(error.get("code", ""))
    return Failure(
        str(error.get("message", "")),
        str(error.get("suggestion", "")),
        EXIT_USAGE if code == "INVALID_REQUEST" else None,
        code=code,
    )


def answers(home: Home) -> bool:
    """Whether somebody listens for this home."""
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
) -> Answer:
    """One question, one whole answer."""
    wire = connect(home, timeout)
    try:
        wire.send(_head(method, path, body))
        status, headers = _answer_head(wire)
        return Answer(status, headers, _whole(wire, headers))
    finally:
        wire.close()


def stream(home: Home, path: str, timeout: float = ANSWER_WITHIN_S) -> Stream | Answer:
    """An answer in lines, for as long as it lasts; a refusal comes as an Answer."""
    wire = connect(home, timeout)
    try:
        wire.send(_head("GET", path, None))
        status, headers = _answer_head(wire)
        if status == 200:
            return Stream(wire, _pieces(wire, headers))
        refused = Answer(status, headers, _whole(wire, headers))
    except BaseException:
        wire.close()
        raise
    wire.close()
    return refused


def _head(method: str, path: str, body: dict[str, Any] | None) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: ragd\r\nConnection: close\r\n"
    if body is not None:
        head += "Content-Type: application/json\r\n"
    if body is not None or method != "GET":
        head += f"Content-Length: {len(content)}\r\n"
    return head.encode("ascii") + b"\r\n" + content


def _answer_head(wire: Wire) -> tuple[int, dict[str, str]]:
    words = wire.line().split(b" ", 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise Failure("What listens on ragd's socket does not speak HTTP.", "Run `ragctl doctor`.")
    headers: dict[str, str] = {}
    while line := wire.line():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
        if len(headers) > _HEADERS_MAX:
            raise Failure("The daemon's answer has far too many headers.")
    return int(words[1]), headers


def _pieces(wire: Wire, headers: dict[str, str]) -> Iterator[bytes]:
    """The body bit by bit. It ends only where the answer says so: a hang-up raises Disconnected."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        while size := int(wire.line().partition(b";")[0], 16):
            piece = wire.exactly(size)
            wire.line()  # before it is handed out, or `ready` would take this rest for news
            yield piece
        while wire.line():
            pass
    elif "content-length" in headers:
        left = int(headers["content-length"])
        while left:
            piece = wire.some(left)
            if not piece:
                raise hung_up()
            left -= len(piece)
            yield piece
    else:
        while piece := wire.some():
            yield piece


def _whole(wire: Wire, headers: dict[str, str]) -> bytes:
    body = b""
    for piece in _pieces(wire, headers):
        body += piece
        if len(body) > _BODY_MAX:
            raise Failure("The daemon's answer is far too long.")
    return body
