"""Requests that are too much, too slow or not what they seem, over a raw socket."""

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any, cast

import pytest

from ragctl.bridge import bridge_app, daemon_forward, http_connection
from ragctl.bridge.answers import POLICY, BridgeRefusal
from ragctl.bridge.rate_limits import BUCKETS_MAX, STRANGER, Rate, RateLimits
from ragctl.bridge.static_files import FOLDER, StaticFiles
from ragd.errors import CODES
from ragd.paths import Home
from tests.daemon.conftest import RunningGateway
from tests.patience import PATIENCE_S
from tests.ragctl.bridge.conftest import Browser, Door, parse, run_door

STATUS = "/api/v1/status"


# Every answer


async def test_every_answer_has_the_headers_that_protect_the_page(
    door: Door, browser: Browser
) -> None:
    answers = [
        await door.ask("GET", "/enter"),
        await door.ask("GET", "/"),
        await door.ask("GET", "/", *browser.headers),
        await door.ask("GET", "/page.js", *browser.headers),
        await door.ask("GET", "/nothing.js", *browser.headers),
        await door.ask("GET", STATUS, *browser.headers),
        await door.ask("GET", "/api/v1/events", *browser.headers),
        await door.ask("GET", STATUS),
        await door.ask("PUT", "/"),
        await door.ask("GET", "/", host="evil.com"),
        await door.ask("GET", "/", host=door.mcp_host),
        await door.ask("GET", "/", "Sec-Fetch-Mode: navigate", host=door.mcp_host),
        await door.ask("POST", "/mcp"),
        await door.enter(),
        parse(await door.send(b"nonsense\r\n\r\n")),
        parse(await door.send(b"GET / HTTP/1.1\r\nbad header\r\n\r\n")),
    ]
    for heard in answers:
        assert heard.headers["content-security-policy"] == POLICY
        assert heard.headers["x-frame-options"] == "DENY"
        assert heard.headers["referrer-policy"] == "no-referrer"
        assert heard.headers["x-content-type-options"] == "nosniff"
        assert heard.headers["cache-control"] == "no-store"
        assert heard.headers["server"] == "ragd"
    for directive in ("default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert directive in POLICY.split("; ")
    assert "unsafe" not in POLICY and "*" not in POLICY


def test_the_page_has_no_inline_script_or_style_and_nothing_from_elsewhere() -> None:
    for path in Path(FOLDER).rglob("*.html"):
        text = path.read_text()
        assert "<style" not in text and " style=" not in text and "javascript:" not in text
        for tag in text.split("<script")[1:]:
            assert tag.split(">")[0].count("src=") == 1 and tag.split(">")[1] == "</script"
        assert "http://" not in text and "https://" not in text


# Files


@pytest.mark.parametrize(
    "path",
    [
        "/../bridge/static_files.py",
        "/../../ragctl/cli.py",
        "/%2e%2e/cli.py",
        "/..%2fcli.py",
        "/%2e%2e%2f%2e%2e%2fpyproject.toml",
        "/..%5ccli.py",
        "/..\\cli.py",
        "/./index.html",
        "//index.html",
        "/x/../index.html",
        "/index.html%00",
        "/index.html/.",
        "//etc/passwd.txt",
        "/etc/passwd.txt",
        "/file:///etc/passwd.txt",
        "/INDEX.HTML",
        "/.html",
        "/%69ndex.html",
    ],
)
async def test_no_spelling_of_a_path_leads_out_of_the_page(
    door: Door, browser: Browser, path: str
) -> None:
    heard = await door.ask("GET", path, *browser.headers)
    assert heard.status in (400, 404)
    assert b"<html" not in heard.body and b"import" not in heard.body


def test_links_and_other_kinds_of_files_are_not_served(tmp_path: Path) -> None:
    (tmp_path / "secret.html").write_text("secret")
    folder = tmp_path / "page"
    folder.mkdir()
    (folder / "index.html").write_text("page")
    (folder / "linked.html").symlink_to(tmp_path / "secret.html")
    (folder / "config.py").write_text("secret")
    (tmp_path / "others").mkdir()
    (tmp_path / "others/more.js").write_text("secret")
    (folder / "sub").symlink_to(tmp_path / "others")
    files = StaticFiles(str(folder))
    assert files.answer("/index.html").body == b"page"
    for path in ("/linked.html", "/config.py", "/sub/more.js"):
        with pytest.raises(BridgeRefusal):
            files.answer(path)


async def test_a_view_of_the_page_is_an_address(door: Door, browser: Browser) -> None:
    first = await door.ask("GET", "/", *browser.headers)
    assert (await door.ask("GET", "/coverage/Journal?x=1", *browser.headers)).body == first.body


# What is forwarded


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/stop"),
        ("POST", "/api/v1/reload"),
        ("POST", "/api/v1/tokens"),
        ("DELETE", "/api/v1/tokens/phone"),
        ("PUT", "/api/v1/jobs"),
        ("PATCH", "/api/v1/pause"),
        ("POST", "/api/v1/jobs/../stop"),
        ("POST", "/api/v1/jobs/%2e%2e/stop"),
        ("POST", "/api/v1/pause/../stop"),
        ("POST", "/api//v1/stop"),
        ("POST", "/api/v1//stop"),
        ("POST", "/api/v1/%73top"),
        ("POST", "/api/v1/stop?x=/v1/pause"),
        ("POST", "/api/v1/pause%0d%0aX-Ragd-Agent:%20x"),
        ("DELETE", "/api/v1/memories/a/../../stop"),
        ("DELETE", "/api/v1/memories/"),
    ],
)
async def test_the_page_can_call_what_is_on_the_list_and_nothing_else(
    door: Door, browser: Browser, gateway: RunningGateway, method: str, path: str
) -> None:
    own = (f"Origin: {door.origin}", "Content-Type: application/json", *browser.headers)
    heard = await door.ask(method, path, *own, body=b'{"name": "x"}')
    assert (heard.status, heard.code) == (404, "INVALID_REQUEST")
    assert not gateway.stop.is_set()


@pytest.mark.parametrize("asked", ["follow=01", "%66ollow=1", "follow=%31", "follow=1&follow=0"])
async def test_a_stream_in_another_spelling_is_refused(
    door: Door, browser: Browser, gateway: RunningGateway, asked: str
) -> None:
    """It would keep a thread until it ends, and streams are counted."""
    heard = await door.ask("GET", f"/api/v1/events?{asked}", *browser.headers)
    assert (heard.status, heard.code) == (404, "INVALID_REQUEST")


async def test_headers_of_a_request_are_not_passed_on(
    door: Door, browser: Browser, gateway: RunningGateway
) -> None:
    more = ("X-Ragd-Agent: work", "X-Ragd-Token: x", "X-Ragd-Assistant: 1")
    heard = await door.ask("GET", "/api/v1/approvals", *browser.headers, *more)
    assert heard.status == 200  # only the user's own requests may do this


async def test_an_answer_is_the_daemons_own(
    door: Door, browser: Browser, gateway: RunningGateway
) -> None:
    direct = await gateway.ask("GET", "/v1/notes?path=nowhere.md")
    heard = await door.ask("GET", "/api/v1/notes?path=nowhere.md", *browser.headers)
    assert (heard.status, heard.body) == (direct.status, direct.body)
    read = await door.post(
        "/api/v1/tools/obsidian_rag_read", {"path": "Diary.md"}, *browser.headers
    )
    assert "therapist" in read.data["text"]  # the page is the user


async def test_facts_are_followed_line_by_line(
    door: Door, browser: Browser, gateway: RunningGateway
) -> None:
    async with asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        target = "/api/v1/events?follow=1&type=sync_paused"
        lines = (f"GET {target} HTTP/1.1", f"Host: {door.host}", *browser.headers)
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"application/x-ndjson" in head
        for seconds in (60, 90):
            await door.post("/api/v1/pause", {"seconds": seconds}, *browser.headers)
            await reader.readuntil(b"\r\n")  # the size of the chunk
            fact = json.loads(await reader.readline())
            assert fact["event"]["type"] == "sync_paused"
            await reader.readuntil(b"\r\n")
        writer.close()


async def test_a_stream_ends_when_the_browser_signs_out(
    door: Door, browser: Browser, gateway: RunningGateway
) -> None:
    other = await door.sign_in()
    async with asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        target = "/api/v1/events?follow=1&type=sync_paused"
        lines = (f"GET {target} HTTP/1.1", f"Host: {door.host}", "Connection: close")
        writer.write("\r\n".join((*lines, *browser.headers)).encode() + b"\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        await door.post("/leave", {}, *browser.headers)
        await door.post("/api/v1/pause", {"seconds": 60}, *other.headers)
        assert b"sync_paused" not in await reader.read()
        writer.close()


async def test_a_client_that_reads_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    class StuckResponse:
        async def write(self, data: bytes) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr(daemon_forward, "ANSWER_READ_WITHIN_S", 0.01)
    with pytest.raises(ConnectionError):
        await daemon_forward.write_in_time(cast(Any, StuckResponse()), b"x")


async def test_without_a_daemon_the_page_says_so_and_starts_none(
    door: Door, browser: Browser, gateway: RunningGateway
) -> None:
    await gateway.server.stop(0.1)
    heard = await door.ask("GET", STATUS, *browser.headers)
    assert (heard.status, heard.code) == (503, "NOT_RUNNING")
    assert (await door.ask("GET", "/", *browser.headers)).status == 200


# Limits


async def test_a_body_that_is_too_large_is_refused(door: Door, browser: Browser) -> None:
    own = (f"Origin: {door.origin}", "Content-Type: application/json", *browser.headers)
    lines = ["POST /api/v1/pause HTTP/1.1", f"Host: {door.host}", "Connection: close", *own]
    declared = "\r\n".join([*lines, "Content-Length: 99999999999"]).encode() + b"\r\n\r\n"
    assert parse(await door.send(declared)).status == 413
    chunked = "\r\n".join([*lines, "Transfer-Encoding: chunked"]).encode() + b"\r\n\r\n"
    piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    assert parse(await door.send(chunked + piece * 17 + b"0\r\n\r\n")).status == 413


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b"{", b'"x"', b"\xff", b"[" * 100_000, b"{}{}"]
)
async def test_a_body_that_is_not_an_object_is_refused(
    door: Door, browser: Browser, body: bytes
) -> None:
    own = (f"Origin: {door.origin}", "Content-Type: application/json", *browser.headers)
    heard = await door.ask("POST", "/api/v1/jobs", *own, body=body)
    assert (heard.status, heard.code) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "raw",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: " + b"x" * 20_000 + b"\r\n\r\n",
        b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"A%d: x\r\n" % n for n in range(200)) + b"\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: \x00\r\n\r\n",
    ],
)
async def test_what_is_not_http_gets_a_refusal_or_nothing(door: Door, raw: bytes) -> None:
    heard = await door.send(raw)
    if heard:
        parsed = parse(heard)
        assert 400 <= parsed.status < 500 or parsed.status == 505
        assert json.loads(parsed.body)["error"]["code"] in CODES
        assert b"Traceback" not in heard and b"x" * 100 not in heard
    assert (await door.ask("GET", "/enter")).status == 200


async def test_headers_have_a_limit_each_and_together(door: Door) -> None:
    async def status(*headers: str) -> int:
        return (await door.ask("GET", "/enter", *headers)).status

    assert await status(*(f"A{n}: x" for n in range(40)), "B: " + "x" * 4000) == 200
    assert await status(*(f"A{n}: x" for n in range(100))) == 400
    assert await status("B: " + "x" * 9000) == 400
    assert (await door.ask("GET", "/enter?" + "x" * 9000)).status in (400, 414)


async def test_a_request_that_never_ends_is_disconnected(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slowloris: connections that send a few bytes and then wait."""
    monkeypatch.setattr(http_connection, "HEADERS_WITHIN_S", 0.1)
    for raw in (b"", b"G", f"GET / HTTP/1.1\r\nHost: {door.host}\r\nX: ".encode()):
        assert b"200" not in await door.send(raw)  # it returns when the bridge has closed it


async def test_a_body_that_never_comes_is_given_up(
    door: Door, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon_forward, "BODY_WITHIN_S", 0.05)
    own = (f"Origin: {door.origin}", "Content-Type: application/json", *browser.headers)
    lines = ["POST /api/v1/pause HTTP/1.1", f"Host: {door.host}", "Connection: close", *own]
    heard = await door.send("\r\n".join([*lines, "Content-Length: 9"]).encode() + b"\r\n\r\n{")
    assert parse(heard).status == 408


async def test_over_the_limit_the_oldest_connection_of_a_stranger_ends(
    door: Door, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of another user that holds all of them does not keep the user out."""
    monkeypatch.setattr(http_connection, "CONNECTIONS_MAX", 3)
    mine, my_writer = await asyncio.open_connection("127.0.0.1", door.port)
    head = "\r\n".join((f"GET {STATUS} HTTP/1.1", f"Host: {door.host}", *browser.headers))
    my_writer.write(head.encode() + b"\r\n\r\n")
    async with asyncio.timeout(PATIENCE_S):
        assert (await mine.readline()).startswith(b"HTTP/1.1 200 ")
    held = [await asyncio.open_connection("127.0.0.1", door.port) for _ in range(4)]
    for reader, _ in held[:2]:
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(reader.read(), PATIENCE_S) == b""
    assert (await door.ask("GET", "/enter")).status == 200
    my_writer.write(head.encode() + b"\r\nConnection: close\r\n\r\n")
    async with asyncio.timeout(PATIENCE_S):
        assert (await mine.read()).count(b"HTTP/1.1 200 ") == 1  # it is as it was
    for writer in (my_writer, *(writer for _, writer in held)):
        writer.close()


async def test_connections_of_the_user_have_a_limit_too(
    door: Door, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_connection, "CONNECTIONS_MAX", 2)
    head = "\r\n".join((f"GET {STATUS} HTTP/1.1", f"Host: {door.host}", *browser.headers))
    held = [await asyncio.open_connection("127.0.0.1", door.port) for _ in range(2)]
    for reader, writer in held:
        writer.write(head.encode() + b"\r\n\r\n")
        async with asyncio.timeout(PATIENCE_S):
            assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
    with contextlib.suppress(ConnectionError):
        assert await door.send(b"") == b""
    for _, writer in held:
        writer.close()


async def test_strangers_are_slowed_down_and_the_user_is_not(door: Door, browser: Browser) -> None:
    statuses = [(await door.ask("GET", STATUS)).status for _ in range(int(STRANGER.burst) + 40)]
    assert statuses[0] == 401 and 429 in statuses
    assert (await door.ask("GET", STATUS, *browser.headers)).status == 200
    assert (await door.enter()).status == 200  # nor is one who comes with a link


async def test_a_browser_may_send_so_many_requests(
    home: Home, gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_app, "PAGE", Rate(burst=5, per_s=1))
    async with run_door(home, now=lambda: 0.0) as door:
        busy, other = await door.sign_in(), await door.sign_in()
        statuses = [(await door.ask("GET", STATUS, *busy.headers)).status for _ in range(6)]
        assert statuses == [200] * 5 + [429]
        assert (await door.ask("GET", STATUS, *other.headers)).status == 200


def test_a_client_may_send_a_burst_and_then_so_many_a_second() -> None:
    moment = [0.0]
    limits, rate = RateLimits(lambda: moment[0]), Rate(burst=3, per_s=2)
    assert [limits.allows("a", rate) for _ in range(4)] == [True, True, True, False]
    assert limits.allows("b", rate)
    moment[0] = 1.0
    assert [limits.allows("a", rate) for _ in range(3)] == [True, True, False]
    moment[0] = 1000.0
    assert sum(limits.allows("a", rate) for _ in range(9)) == 3
    for client in range(BUCKETS_MAX * 2):
        assert limits.allows(client, rate)
