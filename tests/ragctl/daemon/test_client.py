"""HTTP by hand: whatever comes over the wire ends as an answer or as a sentence."""

import os
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from ragctl.daemon.client import Answer, Stream, is_listening, request, stream
from ragctl.failure import Disconnected, Failure, NotRunning, TimedOut
from ragd.paths import Home
from tests.patience import PATIENCE_S
from tests.ragctl.conftest import FakeDaemon

OK = b"HTTP/1.1 200 OK\r\nX-Ragd-Version: 9\r\n"


Speak = Callable[..., None]


@pytest.fixture
def speak(home: Home) -> Iterator[Speak]:
    """Listen on the home's socket and answer the first request with these pieces, then hang up."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(home.socket)
    server.listen()
    threads: list[threading.Thread] = []

    def serve(pieces: tuple[bytes, ...], hold: threading.Event | None) -> None:
        end, _ = server.accept()
        with end:
            end.recv(65536)
            for piece in pieces:
                end.sendall(piece)
            if hold is not None:
                hold.wait(PATIENCE_S)

    def start(*pieces: bytes, hold: threading.Event | None = None) -> None:
        threads.append(threading.Thread(target=serve, args=(pieces, hold)))
        threads[-1].start()

    yield start
    for thread in threads:
        thread.join()
    server.close()


def test_a_body_comes_whole_however_it_is_cut(home: Home, speak: Speak) -> None:
    body = b'{"status":"healthy","data":{"a":1}}'
    speak(OK[:9], OK[9:] + b"Content-Length: 35\r\n\r\n{", body[1:10], body[10:])
    answer = request(home, "GET", "/")
    assert (answer.status, answer.body, answer.version) == (200, body, "9")
    assert answer.data == {"a": 1}


def test_a_chunked_body_is_put_together(home: Home, speak: Speak) -> None:
    speak(OK + b"Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r", b"\nde\r\n0\r\n\r\n")
    assert request(home, "GET", "/").body == b"abcde"


def test_a_body_without_a_length_ends_with_the_connection(home: Home, speak: Speak) -> None:
    speak(OK + b"\r\nabc", b"def")
    assert request(home, "GET", "/").body == b"abcdef"


@pytest.mark.parametrize(
    "cut",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX-",
        OK + b"Content-Length: 9\r\n\r\nabc",
        OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
        OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
    ],
)
def test_a_hang_up_is_never_taken_for_an_end(home: Home, speak: Speak, cut: bytes) -> None:
    speak(cut)
    with pytest.raises(Disconnected):
        request(home, "GET", "/")


@pytest.mark.parametrize(
    "noise",
    [b"SSH-2.0-OpenSSH_9.6\r\n", b"x" * 200_000, OK + b"a: b\r\n" * 5 + b"\r\n<html>"],
)
def test_a_stranger_on_the_socket_is_a_sentence(home: Home, speak: Speak, noise: bytes) -> None:
    speak(noise)
    with pytest.raises(Failure, match=r"does not understand|HTTP|closed the connection"):
        request(home, "GET", "/").data  # noqa: B018


def test_endless_headers_are_refused(home: Home, speak: Speak) -> None:
    speak(OK + b"".join(b"h%d: x\r\n" % n for n in range(200)) + b"\r\n")
    with pytest.raises(Failure, match="too many headers"):
        request(home, "GET", "/")


def test_silence_is_a_time_out(home: Home, speak: Speak) -> None:
    done = threading.Event()
    speak(hold=done)
    with pytest.raises(TimedOut):
        request(home, "GET", "/", timeout=0.05)
    done.set()


def test_a_refusal_says_what_the_daemon_said(home: Home, speak: Speak) -> None:
    body = b'{"status":"healthy","data":null,"error":{"message":"No.","suggestion":"Ask."}}'
    speak(b"HTTP/1.1 400 Bad Request\r\n\r\n" + body)
    refused = stream(home, "/v1/events?after=0")
    assert isinstance(refused, Answer)
    with pytest.raises(Failure, match=r"^No. Ask.$"):
        refused.data  # noqa: B018


def test_lines_are_cut_where_they_end_not_where_pieces_do(home: Home, speak: Speak) -> None:
    head = OK + b"Transfer-Encoding: chunked\r\n\r\n"
    speak(head + b"3\r\na\nb\r\n", b"4\r\nc\n\nd\r\n", b"1\r\n\n\r\n0\r\n\r\n")
    lines = stream(home, "/")
    assert isinstance(lines, Stream)
    assert [lines.read_line(5) for _ in range(5)] == [b"a", b"bc", b"", b"d", None]
    lines.close()


def test_waiting_for_a_line_has_an_end(home: Home, speak: Speak) -> None:
    done = threading.Event()
    speak(OK + b"\r\nhalf a li", hold=done)
    lines = stream(home, "/")
    assert isinstance(lines, Stream)
    with pytest.raises(TimedOut):
        lines.read_line(0.05)
    lines.close()
    done.set()


def test_nobody_there_is_not_running(home: Home) -> None:
    assert not is_listening(home)
    with pytest.raises(NotRunning):
        request(home, "GET", "/")


def test_a_full_queue_is_waited_out(home: Home) -> None:
    server = socket.socket(socket.AF_UNIX)
    server.bind(home.socket)
    server.listen(0)
    crowd = []
    for _ in range(10):
        one = socket.socket(socket.AF_UNIX)
        one.setblocking(False)
        crowd.append(one)
        try:
            one.connect(home.socket)
        except BlockingIOError:
            break
    with pytest.raises(TimedOut):
        request(home, "GET", "/", timeout=0.05)
    for one in (*crowd, server):
        one.close()


def test_a_daemon_of_another_user_is_told_nothing(
    home: Home, fake: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(Failure, match="another user") as refused:
        request(home, "GET", "/v1/status")
    assert refused.value.exit_code == 77
    assert fake.requests == []
