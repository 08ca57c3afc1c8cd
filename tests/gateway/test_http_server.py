"""HTTP with misbehaving clients: they get an error or are closed, and others are still served."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from aiohttp import web

from ragd.errors import RagdError
from ragd.gateway import http_server
from ragd.gateway.http_server import HttpServer, json_response, read_body
from ragd.gateway.unix_socket import UnixListener
from ragd.protocol.envelope import Envelope, Meta, refusal_envelope
from tests.daemon.wire import Reply, Wire, ask, connected, head, replies, send_raw
from tests.patience import PATIENCE_S, wait_until

CANARY = "kestrel-4711"


class Site:
    """A server with an endpoint for every kind of failure."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.refused: list[str] = []
        self.gate = asyncio.Event()
        self.entered = asyncio.Event()
        self.left = asyncio.Event()
        routes = [
            web.get("/ok", self.ok),
            web.post("/length", self.length),
            web.get("/bug", self.bug),
            web.get("/refusal", self.refusal),
            web.get("/broken-stream", self.broken_stream),
            web.get("/gate", self.wait),
            web.get("/large", self.large),
        ]
        self.server = HttpServer(UnixListener(path), routes, self.refuse)

    def refuse(self, why: RagdError, request: web.Request | None) -> Envelope:
        self.refused.append(why.code)
        return refusal_envelope(why, "healthy", Meta())

    async def ok(self, request: web.Request) -> web.StreamResponse:
        return json_response(Envelope("healthy", {"ok": True}, None, Meta()))

    async def length(self, request: web.Request) -> web.StreamResponse:
        return json_response(Envelope("healthy", len(await read_body(request)), None, Meta()))

    async def bug(self, request: web.Request) -> web.StreamResponse:
        raise LookupError(CANARY)

    async def refusal(self, request: web.Request) -> web.StreamResponse:
        raise RagdError("JOB_NOT_FOUND")

    async def broken_stream(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers=http_server.HEADERS)
        await response.prepare(request)
        await response.write(b"the beginning\n")
        raise LookupError(CANARY)

    async def wait(self, request: web.Request) -> web.StreamResponse:
        self.entered.set()
        try:
            await self.gate.wait()
        finally:
            self.left.set()
        return await self.ok(request)

    async def large(self, request: web.Request) -> web.StreamResponse:
        return json_response(Envelope("healthy", "x" * 5_000_000, None, Meta()))

    async def until_connections_are(self, number: int) -> None:
        await wait_until(lambda: self.server.connection_count == number)

    async def ask(self, method: str, target: str, *more: str, raw: bytes | None = None) -> Reply:
        return await ask(self.path, method, target, None, *more, raw=raw)

    async def assert_still_serving(self) -> None:
        assert (await self.ask("GET", "/ok")).data == {"ok": True}


@pytest.fixture
def path() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="rd", dir="/tmp") as folder:
        yield os.path.join(folder, "s")


@pytest.fixture
async def site(path: str) -> AsyncIterator[Site]:
    site = Site(path)
    await site.server.start()
    yield site
    await site.server.stop(0.1)


# Every answer is an envelope


@pytest.mark.parametrize(
    ("method", "target", "status", "code"),
    [
        ("GET", "/ok", 200, None),
        ("GET", f"/{CANARY}", 404, "INVALID_REQUEST"),
        ("GET", f"/ok/{CANARY}", 404, "INVALID_REQUEST"),
        ("GET", "/ok/", 404, "INVALID_REQUEST"),
        ("GET", f"/%00%ff{CANARY}", 404, "INVALID_REQUEST"),
        ("GET", "/../ok", 404, "INVALID_REQUEST"),
        ("DELETE", "/ok", 405, "INVALID_REQUEST"),
        ("PATCH", "/ok", 405, "INVALID_REQUEST"),
        ("OPTIONS", "*", 404, "INVALID_REQUEST"),
        ("GET", "/refusal", 404, "JOB_NOT_FOUND"),
        ("GET", "/bug", 500, "INTERNAL"),
    ],
)
async def test_every_answer_is_an_envelope(
    site: Site, method: str, target: str, status: int, code: str | None
) -> None:
    reply = await site.ask(method, target)
    assert (reply.status, reply.code) == (status, code)
    assert CANARY.encode() not in reply.body
    assert site.refused == ([code] if code else [])
    assert reply.headers["x-ragd-version"]


MALFORMED = {
    "garbage": b"\x00\xff\xfe garbage\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 50,
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/9.9": b"GET /ok HTTP/9.9\r\nHost: a\r\n\r\n",
    "no host": b"GET /ok HTTP/1.1\r\n\r\n",
    "odd method": b"G@T /ok HTTP/1.1\r\nHost: a\r\n\r\n",
    "NUL in the URL": b"GET /o\0k HTTP/1.1\r\nHost: a\r\n\r\n",
    "NUL in a header": b"GET /ok HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
    "bytes in the URL": b"GET /\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n",
    "an odd port": b"GET http://a:999999/ok HTTP/1.1\r\nHost: a\r\n\r\n",
    "a folded header": b"GET /ok HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
    "bare newlines": b"GET /ok HTTP/1.1\nHost: a\n\n",
    "a URL of 100 KB": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "a header of 100 KB": b"GET /ok HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
    "5,000 headers": b"GET /ok HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
    "a negative length": head("POST", "/length", None, "Content-Length: -5"),
    "an absurd length": head("POST", "/length", None, f"Content-Length: {10**30}"),
    "a length in words": head("POST", "/length", None, "Content-Length: five"),
    "a signed length": head("POST", "/length", None, "Content-Length: +2") + b"{}",
    "two lengths": head("POST", "/length", b"{}", "Content-Length: 3"),
    "length and chunks": head("POST", "/length", b"", "Transfer-Encoding: chunked"),
    "an unknown encoding": head("POST", "/length", None, "Transfer-Encoding: gzip"),
    "a broken chunk": head("POST", "/length", None, "Transfer-Encoding: chunked") + b"zz\r\n",
    "a broken second chunk": head("POST", "/length", None, "Transfer-Encoding: chunked")
    + b"2\r\n{}\r\nzz\r\n",
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
async def test_invalid_http_gets_an_envelope_without_its_bytes_and_is_closed(
    site: Site, data: bytes
) -> None:
    [reply] = replies(await send_raw(site.path, data))
    assert (reply.status, reply.code) == (400, "INVALID_REQUEST")
    assert "not valid HTTP" in reply.message
    await site.assert_still_serving()


async def test_endless_headers_are_closed_early(site: Site) -> None:
    async with connected(site.path) as wire:
        await wire.send(b"GET /ok HTTP/1.1\r\nHost: a\r\n")
        with pytest.raises(ConnectionError):
            while True:
                await wire.send(b"X: y\r\n" * 10_000)
    await site.assert_still_serving()


async def test_an_unknown_expectation_gets_an_envelope_without_its_text(site: Site) -> None:
    for target in ("/length", "/nowhere"):
        reply = await site.ask("POST", target, f"Expect: {CANARY}", raw=b"{}")
        assert (reply.status, reply.code) == (417, "INVALID_REQUEST")
        assert CANARY.encode() not in reply.body


async def test_a_client_that_waits_for_100_continue_gets_it(site: Site) -> None:
    async with connected(site.path) as wire:
        await wire.send(head("POST", "/length", None, "Content-Length: 5", "Expect: 100-continue"))
        assert await wire.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        await wire.send(b"12345")
        assert (await wire.reply()).data == 5


@pytest.mark.parametrize("protocol", ["websocket", "h2c", "TLS/1.0"])
async def test_an_upgrade_request_is_answered_as_plain_http(site: Site, protocol: str) -> None:
    async with connected(site.path) as wire:
        upgrade = (f"Upgrade: {protocol}", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
        await wire.send(head("GET", "/ok", None, *upgrade))
        assert (await wire.reply()).data == {"ok": True}
        await wire.send(b"\x81\x85 this is no HTTP\r\n\r\n")
        assert (await wire.reply()).status == 400
        await wire.wait_until_closed()


async def test_http_1_0_and_even_0_9_are_answered_and_closed(site: Site) -> None:
    for request in (b"GET /ok HTTP/1.0\r\n\r\n", b"GET /ok\r\n\r\n"):
        [reply] = replies(await send_raw(site.path, request))
        assert reply.data == {"ok": True}


async def test_head_has_no_body(site: Site) -> None:
    received = await send_raw(site.path, head("HEAD", "/ok", None, "Connection: close"))
    assert received.startswith(b"HTTP/1.1 200 OK\r\n")
    assert received.endswith(b"\r\n\r\n")


async def test_pipelined_requests_are_answered_in_order(site: Site) -> None:
    targets = ["/ok", "/refusal", "/bug", "/nowhere", "/ok"]
    data = b"".join(head("GET", target) for target in targets[:-1])
    received = await send_raw(site.path, data + head("GET", targets[-1], None, "Connection: close"))
    assert [r.status for r in replies(received)] == [200, 404, 500, 404, 200]


async def test_a_thousand_pipelined_requests_do_not_pile_up(site: Site) -> None:
    async with connected(site.path) as wire:
        sending = asyncio.create_task(wire.send(head("GET", "/ok") * 1000))
        for _ in range(1000):
            assert (await wire.reply()).status == 200
        await sending


# Bodies


async def test_a_body_of_one_mebibyte_is_accepted_and_one_byte_more_is_not(site: Site) -> None:
    limit = http_server.BODY_MAX_BYTES
    assert limit == 1024 * 1024
    assert (await site.ask("POST", "/length", raw=b"x" * limit)).data == limit
    for size in (limit + 1, 10_000_000):
        reply = await site.ask("POST", "/length", raw=b"x" * size)
        assert (reply.status, reply.code) == (413, "INVALID_REQUEST")
        assert "1 MiB" in reply.message


async def test_a_large_body_that_is_only_announced_is_refused_at_once(site: Site) -> None:
    async with connected(site.path) as wire:
        await wire.send(head("POST", "/length", None, f"Content-Length: {10**12}"))
        assert (await wire.reply()).status == 413


def chunked(*chunks: bytes) -> bytes:
    body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head("POST", "/length", None, "Transfer-Encoding: chunked", "Connection: close") + body


async def test_a_chunked_body_is_read_up_to_the_same_limit(site: Site) -> None:
    [reply] = replies(await send_raw(site.path, chunked(b"abc", b"defg") + b"0\r\n\r\n"))
    assert reply.data == 7
    [reply] = replies(await send_raw(site.path, chunked(*[b"x" * 100_000] * 100) + b"0\r\n\r\n"))
    assert (reply.status, reply.code) == (413, "INVALID_REQUEST")


async def test_chunks_that_break_while_the_body_is_read_are_refused_and_closed(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "BODY_WITHIN_S", 0.2)
    monkeypatch.setattr(http_server, "LINGER_S", 0.1)
    async with connected(site.path) as wire:
        await wire.send(chunked(b"abc"))
        await site.assert_still_serving()  # the handler is waiting for more
        await wire.send(b"this is not a chunk\r\n\r\n")
        reply = replies(await wire.rest())[0]
    # aiohttp reports the error to the connection; the handler only gets the end of the body.
    assert (reply.status, reply.code) in ((504, "TIMEOUT"), (400, "INVALID_REQUEST"))


async def test_a_body_that_cannot_be_read_is_an_invalid_request() -> None:
    class Unreadable:
        content_length = None

        async def read(self) -> bytes:
            raise web.RequestPayloadError(CANARY)

    with pytest.raises(RagdError) as refused:
        await read_body(Unreadable())  # type: ignore[arg-type]
    assert refused.value.code == "INVALID_REQUEST"
    assert CANARY not in refused.value.message


async def test_a_small_compressed_body_is_not_expanded(site: Site) -> None:
    import gzip

    bomb = gzip.compress(b"x" * 50_000_000)
    reply = await site.ask("POST", "/length", "Content-Encoding: gzip", raw=bomb)
    assert reply.data == len(bomb)


async def test_a_body_that_is_not_needed_is_not_read(site: Site) -> None:
    async with connected(site.path) as wire:
        await wire.send(head("GET", "/ok", b"x" * 100))
        assert (await wire.reply()).data == {"ok": True}
        await wire.send(head("GET", "/ok"))
        assert (await wire.reply()).data == {"ok": True}


# Slow and stuck clients


async def test_a_body_that_does_not_arrive_is_a_timeout(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "BODY_WITHIN_S", 0.05)
    monkeypatch.setattr(http_server, "LINGER_S", 0.1)
    reply = replies(await send_raw(site.path, head("POST", "/length", b"12345")[:-1]))[0]
    assert (reply.status, reply.code) == (504, "TIMEOUT")
    assert reply.envelope["status"] == "degraded"


@pytest.mark.parametrize("start", [b"", b"G", b"GET /ok HTTP/1.1\r\nHost: a\r\nX: "])
async def test_headers_that_do_not_arrive_in_time_close_the_connection(
    path: str, start: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "HEADERS_WITHIN_S", 0.1)
    site = Site(path)
    await site.server.start()
    async with connected(path) as wire:
        await wire.send(start)
        ended = asyncio.create_task(wire.wait_until_closed())
        while not ended.done():
            wire.writer.write(b"x")
            await asyncio.sleep(0.01)
    await site.until_connections_are(0)
    await site.server.stop(0.1)


async def test_an_idle_connection_is_closed_after_its_answer(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "HEADERS_WITHIN_S", 0.05)
    site = Site(path)
    await site.server.start()
    async with connected(path) as wire:
        await wire.send(head("GET", "/ok"))
        assert (await wire.reply()).status == 200
        await wire.wait_until_closed()
    await site.server.stop(0.1)


async def test_a_client_that_does_not_read_is_disconnected_and_others_are_served(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "ANSWER_READ_WITHIN_S", 0.1)
    async with connected(site.path) as large, connected(site.path) as many:
        for wire in (large, many):
            wire.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await large.send(head("GET", "/large"))
        many.writer.write(head("GET", "/ok") * 20_000)
        await site.assert_still_serving()
        await site.until_connections_are(0)
        await site.assert_still_serving()


async def test_a_half_closed_connection_is_closed(site: Site) -> None:
    for request in (b"", b"GET /ok HT", head("POST", "/length", b"12345")[:-1]):
        async with connected(site.path) as wire:
            await wire.send(request)
            wire.writer.write_eof()
            await wire.wait_until_closed()
    await site.until_connections_are(0)
    await site.assert_still_serving()


async def test_a_request_is_cancelled_when_its_client_disconnects(site: Site) -> None:
    async with connected(site.path) as wire:
        await wire.send(head("GET", "/gate"))
        await site.entered.wait()
    async with asyncio.timeout(PATIENCE_S):
        await site.left.wait()
    await site.until_connections_are(0)


async def test_fifty_misbehaving_clients_do_not_block_others(site: Site) -> None:
    bad = (
        b"",
        b"GET /ok HT",
        head("POST", "/length", b"12345")[:-1],
        chunked(b"abc"),
        head("GET", "/gate"),
    )
    async with AsyncExitStack() as stack:
        for i in range(50):
            wire: Wire = await stack.enter_async_context(connected(site.path))
            await wire.send(bad[i % len(bad)])
        for _ in range(20):
            await site.assert_still_serving()
        assert site.server.connection_count >= 50
    await site.until_connections_are(0)


async def test_a_connection_over_the_limit_is_closed_and_later_ones_are_accepted(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "CONNECTIONS_MAX", 3)
    async with AsyncExitStack() as stack:
        held = [await stack.enter_async_context(connected(site.path)) for _ in range(3)]
        await site.until_connections_are(3)
        async with connected(site.path) as fourth:
            assert await fourth.rest() == b""
        await held[0].send(head("GET", "/ok"))  # open connections are not affected
        assert (await held[0].reply()).status == 200
        held[0].close()
        await site.until_connections_are(2)
        await site.assert_still_serving()


def test_there_is_a_limit_on_everything() -> None:
    assert http_server.CONNECTIONS_MAX == 128
    assert http_server.HEADERS_WITHIN_S <= 30
    assert http_server.BODY_WITHIN_S <= 30
    assert http_server.ANSWER_READ_WITHIN_S <= 60


# Our own bugs


async def test_an_answer_that_fails_halfway_is_cut_and_not_followed_by_another(
    site: Site,
) -> None:
    received = await send_raw(site.path, head("GET", "/broken-stream"))
    assert received.count(b"HTTP/1.1") == 1
    assert b"the beginning" in received
    assert not received.endswith(b"0\r\n\r\n"), "the client can tell that it is not whole"
    assert CANARY.encode() not in received
    await site.until_connections_are(0)


# Shutdown


async def test_at_shutdown_running_requests_are_finished(site: Site) -> None:
    async with connected(site.path) as gate, connected(site.path) as body:
        await gate.send(head("GET", "/gate"))
        await body.send(head("POST", "/length", b"12345")[:-1])
        await site.entered.wait()
        stopping = asyncio.create_task(site.server.stop(10))
        await asyncio.sleep(0)
        assert not os.path.lexists(site.path)
        site.gate.set()
        assert (await gate.reply()).data == {"ok": True}
        await body.send(b"5")
        assert (await body.reply()).data == 5
        await stopping


async def test_at_shutdown_idle_and_endless_connections_are_closed(site: Site) -> None:
    async with connected(site.path) as idle, connected(site.path) as gate:
        await idle.send(head("GET", "/ok"))
        await idle.reply()
        await gate.send(head("GET", "/gate"))
        await site.entered.wait()
        await site.server.stop(0.05)
        await idle.wait_until_closed()
        await gate.wait_until_closed()
    await site.server.stop(0)  # a second time is harmless


async def test_no_descriptors_and_no_tasks_are_left(site: Site) -> None:
    await site.assert_still_serving()
    await site.until_connections_are(0)
    descriptors, tasks = len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks())
    for data in list(MALFORMED.values()) * 3:
        await send_raw(site.path, data)
    for start in (b"GET", head("POST", "/length", b"12345")[:-1], head("GET", "/gate")):
        async with connected(site.path) as wire:
            await wire.send(start)
    await site.until_connections_are(0)
    await wait_until(lambda: len(os.listdir("/proc/self/fd")) <= descriptors)
    await wait_until(lambda: len(asyncio.all_tasks()) <= tasks)


async def test_messages_name_a_docs_page_that_exists(site: Site) -> None:
    [reply] = replies(await send_raw(site.path, b"this is not HTTP\r\n\r\n"))
    page = reply.envelope["error"]["suggestion"].split(" ")[0]
    assert (Path(http_server.__file__).parents[2] / page).is_file()
