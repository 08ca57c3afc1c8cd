"""Connections that stay open between requests: reused, and no change is sent twice."""

import socket
import threading
from collections.abc import Iterator

import pytest

from ragctl.daemon.kept_connections import IDLE_MAX_S, KeptConnections
from ragctl.failure import Disconnected, NotRunning
from ragd.paths import Home
from tests.patience import PATIENCE_S

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
LAST = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlast"


class Server:
    """Answers each request with the next reply; an empty one closes the connection instead.

    `requests`: the first line of each request, after the number of its connection.
    """

    def __init__(self, home: Home) -> None:
        self.requests: list[tuple[int, str]] = []
        self.replies: list[bytes] = []
        self.connections: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(home.socket)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                end, _ = self._listener.accept()
            except OSError:
                return
            end.settimeout(PATIENCE_S)
            self._open.append(end)
            number = len(self._open)
            self.connections.append(threading.Thread(target=self._answer, args=(end, number)))
            self.connections[-1].start()

    def _answer(self, end: socket.socket, number: int) -> None:
        while asked := self._receive(end):
            self.requests.append((number, asked.partition(b" HTTP")[0].decode()))
            reply = self.replies.pop(0)
            if not reply:
                break
            end.sendall(reply)
        end.close()

    def _receive(self, end: socket.socket) -> bytes:
        try:
            return end.recv(65536)
        except OSError:
            return b""

    def hang_up(self) -> None:
        for end in self._open:
            end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def server(home: Home) -> Iterator[Server]:
    made = Server(home)
    yield made
    made.close()


@pytest.fixture
def kept(home: Home, times: "Times") -> Iterator[KeptConnections]:
    made = KeptConnections(home, times)
    yield made
    made.close()


@pytest.fixture
def times() -> "Times":
    return Times()


class Times:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def ask(kept: KeptConnections, method: str = "GET", path: str = "/a") -> bytes:
    return kept.request(method, path, None if method == "GET" else {}, PATIENCE_S).body


def test_the_next_request_uses_the_same_connection(kept: KeptConnections, server: Server) -> None:
    server.replies = [OK, OK, LAST, OK]
    assert [ask(kept), ask(kept, "POST"), ask(kept)] == [b"ok", b"ok", b"last"]
    assert server.requests == [(1, "GET /a"), (1, "POST /a"), (1, "GET /a")]
    assert ask(kept) == b"ok"  # the daemon closed the first one after its last answer
    assert server.requests[-1] == (2, "GET /a")


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_connection_that_was_closed_meanwhile_is_not_used(
    kept: KeptConnections, server: Server, method: str
) -> None:
    server.replies = [OK, OK]
    ask(kept)
    server.hang_up()
    assert ask(kept, method) == b"ok"
    assert server.requests == [(1, "GET /a"), (2, f"{method} /a")]


def test_an_idle_connection_is_not_used_for_longer_than_the_daemon_keeps_it(
    kept: KeptConnections, server: Server, times: Times
) -> None:
    server.replies = [OK, OK, OK]
    ask(kept)
    times.now += IDLE_MAX_S
    ask(kept)
    times.now += IDLE_MAX_S + 1
    ask(kept)
    assert [number for number, _ in server.requests] == [1, 1, 2]


def test_a_read_that_lost_its_connection_is_repeated_and_a_change_is_not(
    kept: KeptConnections, server: Server
) -> None:
    """The daemon may have made the change before the connection was lost."""
    server.replies = [OK, b"", OK, b"", OK]
    assert [ask(kept), ask(kept)] == [b"ok", b"ok"]
    with pytest.raises(Disconnected):
        ask(kept, "POST")
    asked = [(1, "GET /a"), (1, "GET /a"), (2, "GET /a"), (2, "POST /a")]
    assert server.requests == asked
    assert ask(kept) == b"ok"


def test_a_new_connection_that_is_lost_is_not_tried_again(
    kept: KeptConnections, server: Server
) -> None:
    server.replies = [b"", OK]
    with pytest.raises(Disconnected):
        ask(kept)
    assert server.requests == [(1, "GET /a")]


def test_after_close_nothing_stays_open(kept: KeptConnections, server: Server) -> None:
    server.replies = [OK, OK]
    ask(kept)
    kept.close()
    ask(kept)  # in use while the bridge stops
    assert len(server.connections) == 2
    for connection in server.connections:
        connection.join(PATIENCE_S)
        assert not connection.is_alive()  # it ends when the other side has closed


def test_without_a_daemon_it_says_so(kept: KeptConnections) -> None:
    with pytest.raises(NotRunning):
        ask(kept)
