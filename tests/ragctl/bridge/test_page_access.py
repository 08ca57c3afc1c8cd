"""Who gets in to the page. Each promise of docs/page.md, with an attack on it."""

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragctl.bridge.entry_links import (
    VALID_S,
    make_code,
    make_link,
    use_code,
    write_opening_page,
)
from ragctl.bridge.page_sessions import IDLE_S, LONGEST_S
from ragd.paths import Home
from tests.daemon.conftest import RunningGateway
from tests.ragctl.bridge.conftest import Browser, Door, parse, run_door

STATUS = "/api/v1/status"
PAUSE = "/api/v1/pause"


# The host


@pytest.mark.parametrize(
    "host",
    [
        "127.evil.com:{port}",
        "localhost.evil.com:{port}",
        "127.0.0.1.evil.com:{port}",
        "evil.com",
        "127.0.0.1.:{port}",
        "localhost.:{port}",
        "2130706433:{port}",
        "0x7f000001:{port}",
        "0177.0.0.1:{port}",
        "127.1:{port}",
        "127.0.0.2:{port}",
        "0.0.0.0:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "[0:0:0:0:0:0:0:1]:{port}",
        "LOCALHOST:{port}",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:0{port}",
        "127.0.0.1:{port}:{port}",
        "user@127.0.0.1:{port}",
        "127.0.0.1:{port}@evil.com",
        "127.0.0.1:{port}, evil.com",
        "127.0.0.1:{port}/",
        "127.0.0.1:{port}#",
        "raaaaaaaaaaaaaaaaaaaa.localhost:{port}",
        "evil.localhost:{port}",
        "x.{own}",
        "{own}.",
        "{own}0",
        "{own}, {own}",
        "{name}",
        "{name}:80",
        "{name}.:{port}",
        "{name}.evil.com:{port}",
        "{upper}",
        ".localhost:{port}",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/enter", "/", STATUS, "/mcp"])
async def test_another_host_gets_nothing(door: Door, host: str, path: str) -> None:
    name = door.host.partition(":")[0]
    named = host.format(port=door.port, own=door.host, name=name, upper=door.host.upper())
    heard = await door.send(
        f"GET {path} HTTP/1.1\r\nHost: {named}\r\nConnection: close\r\n\r\n".encode()
    )
    assert heard.startswith((b"HTTP/1.1 421 ", b"HTTP/1.1 400 "))
    assert b"<html" not in heard


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
@pytest.mark.parametrize(
    "path",
    ["/", "/enter", "/enter.js", "/search?q=boat", "/index.html", "/page.js", STATUS, "/%6dcpx"],
)
async def test_nothing_of_the_page_is_under_a_name_that_a_browser_may_know(
    door: Door, browser: Browser, host: str, path: str
) -> None:
    """Whoever had the port before us may have left a script in the browser, for such a name."""
    named = f"{host}:{door.port}"
    for headers in ((), browser.headers):
        heard = await door.ask("GET", path, *headers, host=named)
        assert (heard.status, heard.code) == (421, "SECURITY_VIOLATION")
        assert b"ragctl open" in heard.body and b"script" not in heard.body
        assert heard.headers["clear-site-data"] == '"cache", "storage"'
        assert "set-cookie" not in heard.headers
        assert door.host.encode() not in heard.body


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
async def test_a_link_signs_in_at_the_address_of_the_page_alone(door: Door, host: str) -> None:
    code = make_code(door.home)
    named = f"{host}:{door.port}"
    body, kind = json.dumps({"code": code}).encode(), "Content-Type: application/json"
    for origin in (door.origin, f"http://{named}"):
        sent = (f"Origin: {origin}", kind)
        heard = await door.ask("POST", "/enter", *sent, body=body, host=named)
        assert heard.status == 421 and "set-cookie" not in heard.headers
    assert (await door.post("/enter", {"code": code})).status == 200


async def test_each_run_has_an_address_that_no_browser_has_seen(
    home: Home, gateway: RunningGateway
) -> None:
    async with run_door(home) as first, run_door(home) as second:
        names = {one.host.partition(":")[0] for one in (first, second)}
        assert len(names) == 2
        for name in names:
            assert re.fullmatch(r"r[a-z2-7]{20}\.localhost", name)  # 100 bits
        old = f"{first.host.partition(':')[0]}:{second.port}"
        assert (await second.ask("GET", "/enter", host=old)).status == 421


async def test_a_person_who_opens_a_wrong_address_reads_what_to_do(door: Door) -> None:
    for host in (door.mcp_host, f"raaaaaaaaaaaaaaaaaaaa.localhost:{door.port}"):
        heard = await door.ask("GET", "/search?q=<b>", "Sec-Fetch-Mode: navigate", host=host)
        assert (heard.status, heard.headers["content-type"]) == (421, "text/plain; charset=utf-8")
        assert b"ragctl open" in heard.body and b"<" not in heard.body


@pytest.mark.parametrize(
    "head",
    [
        "GET /enter HTTP/1.1\r\n",
        "GET /enter HTTP/1.0\r\n",
        "GET /enter HTTP/1.1\r\nHost: {own}\r\nHost: {own}\r\n",
        "GET /enter HTTP/1.1\r\nHost: {own}\r\nHost: evil.com\r\n",
        "GET http://evil.com/enter HTTP/1.1\r\nHost: {own}\r\n",
        "GET http://{own}/enter HTTP/1.1\r\nHost: evil.com\r\n",
        "GET /enter HTTP/1.1\r\nX-Forwarded-Host: {own}\r\nHost: evil.com\r\n",
        "GET /enter HTTP/1.1\r\nForwarded: host={own}\r\nHost: evil.com\r\n",
    ],
)
async def test_a_host_that_is_missing_or_said_twice_gets_nothing(door: Door, head: str) -> None:
    raw = head.format(own=door.host) + "Connection: close\r\n\r\n"
    heard = await door.send(raw.encode())
    assert heard.startswith((b"HTTP/1.1 421 ", b"HTTP/1.1 400 ", b"HTTP/1.0 4"))
    assert b"<html" not in heard


def test_it_is_bound_to_this_machine_only() -> None:
    from ragctl.bridge.run_bridge import bind_loopback

    bound = bind_loopback(0)
    try:
        places = {one.getsockname()[0] for one in bound}
        assert places <= {"127.0.0.1", "::1"} and "127.0.0.1" in places
        port = bound[0].getsockname()[1]
        for one in bound:
            one.listen()
        with socket.socket() as other, pytest.raises(ConnectionRefusedError):
            other.connect(("127.0.0.2", port))
    finally:
        for one in bound:
            one.close()


# Signing in


async def test_a_link_is_exchanged_for_a_cookie_that_scripts_and_other_sites_cannot_use(
    door: Door,
) -> None:
    entered = await door.enter()
    attributes = {part.strip() for part in entered.headers["set-cookie"].split(";")[1:]}
    assert attributes == {"HttpOnly", "SameSite=Strict", "Path=/"}
    assert entered.data["csrf"] not in entered.headers["set-cookie"]


async def test_a_link_is_valid_once(door: Door) -> None:
    code = make_code(door.home)
    tries = [door.post("/enter", {"code": code}) for _ in range(8)]
    statuses = sorted([one.status for one in await asyncio.gather(*tries)])
    assert statuses == [200] + [401] * 7


async def test_a_link_expires(door: Door) -> None:
    code = make_code(door.home)
    (file,) = Path(door.home.bridge).glob("link-*")
    long_ago = file.stat().st_mtime - VALID_S
    os.utime(file, (long_ago, long_ago))
    assert (await door.post("/enter", {"code": code})).code == "SIGN_IN_NEEDED"
    assert not use_code(door.home, code)


@pytest.mark.parametrize(
    "code",
    ["", "x", "A" * 43, "../lock", "..%2flock", "a" * 100_000, 7, None, [], {}, True, "\x00" * 43],
)
async def test_a_code_that_nobody_made_is_refused(door: Door, code: Any) -> None:
    make_code(door.home)
    refused = await door.post("/enter", {"code": code})
    assert (refused.status, refused.code) == (401, "SIGN_IN_NEEDED")
    assert "set-cookie" not in refused.headers


async def test_a_code_in_an_address_is_not_accepted(door: Door) -> None:
    """It would be in the history of the browser."""
    code = make_code(door.home)
    for target in (f"/enter?code={code}", f"/enter/{code}", f"/?code={code}"):
        assert "set-cookie" not in (await door.ask("GET", target)).headers
    assert (await door.post("/enter", {"code": code})).status == 200


async def test_another_page_cannot_sign_a_browser_in(door: Door) -> None:
    body = json.dumps({"code": make_code(door.home)}).encode()
    for headers in (
        ("Origin: http://evil.com", "Content-Type: application/json"),
        ("Content-Type: application/json",),
        (f"Origin: {door.origin}", "Content-Type: text/plain"),
    ):
        assert (await door.ask("POST", "/enter", *headers, body=body)).status in (403, 415)


async def test_files_of_links_are_private_and_do_not_contain_the_code(door: Door) -> None:
    code = make_code(door.home)
    page = Path(write_opening_page(door.home, code, make_link(door.origin, code)))
    folder = Path(door.home.bridge)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(file.stat().st_mode & 0o077 == 0 for file in folder.iterdir())
    assert code in page.read_text() and code not in page.name
    (link,) = folder.glob("link-*")
    assert code not in link.name and link.read_bytes() == b""
    await door.post("/enter", {"code": code})
    assert not page.exists() and not link.exists()


async def test_a_link_planted_in_place_of_the_folder_is_not_followed(
    home: Home, tmp_path: Path
) -> None:
    (tmp_path / "theirs").mkdir()
    Path(home.bridge).symlink_to(tmp_path / "theirs")
    with pytest.raises(Exception, match="not a folder of yours"):
        make_code(home)
    assert list((tmp_path / "theirs").iterdir()) == []


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="needs root, to be another user"
)
async def test_another_user_of_the_machine_gets_nothing(door: Door, browser: Browser) -> None:
    code = make_code(door.home)
    write_opening_page(door.home, code, make_link(door.origin, code))
    Path(door.home.root).parent.chmod(0o755)
    program = f"""
import encodings.idna, os, urllib.error, urllib.request
os.setgroups([]); os.setgid(65534); os.setuid(65534)
for path in ({door.home.bridge!r}, {door.home.root!r}):
    try: os.listdir(path); print("read", path)
    except PermissionError: print("no")
for path in ("/", "/index.html", "/api/v1/status", "/mcp"):
    asked = urllib.request.Request("http://{door.mcp_host}" + path)
    if path != "/mcp": asked.add_header("Host", "{door.host}")
    try: print("got", urllib.request.urlopen(asked).read())
    except urllib.error.HTTPError as why: print(why.code)
"""
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-I", "-c", program],
        capture_output=True,
        text=True,
    )
    assert (done.stdout.split(), done.stderr) == (["no"] * 2 + ["401"] * 4, "")


# What the cookie and the second secret are worth


async def test_without_signing_in_nothing_is_served_but_the_way_in(door: Door) -> None:
    for path in ("/", "/search", "/index.html", "/page.js", "/api.js", "/nothing.js", STATUS):
        heard = await door.ask("GET", path)
        assert heard.status == 401
        assert b"script" not in heard.body
    assert (await door.ask("GET", "/enter.js")).status == 200


async def test_a_browser_that_signed_in_is_the_user(door: Door, browser: Browser) -> None:
    assert (await door.ask("GET", "/", *browser.headers)).headers["content-type"] == (
        "text/html; charset=utf-8"
    )
    status = await door.ask("GET", STATUS, *browser.headers)
    assert (status.status, status.data["total_docs"]) == (200, 0)
    approvals = await door.ask("GET", "/api/v1/approvals", *browser.headers)
    assert approvals.data == {"approvals": []}


async def test_the_cookie_alone_reads_nothing(door: Door, browser: Browser) -> None:
    """Browsers send it to every port of the same name, also to one of another user."""
    cookie, csrf = browser.headers
    other = await door.sign_in()
    for headers in (
        (cookie,),
        (csrf,),
        (cookie, "X-Ragd-Csrf: "),
        (cookie, f"X-Ragd-Csrf: {browser.csrf[:-1]}"),
        (cookie, f"X-Ragd-Csrf: {other.csrf}"),
        (cookie, f"X-Ragd-Csrf: {browser.cookie}"),
        (cookie, csrf, csrf),
        (f"{cookie}x", csrf),
        (f"Cookie: RAGD_PAGE={browser.cookie}", csrf),
    ):
        heard = await door.ask("GET", STATUS, *headers)
        assert heard.status in (401, 403)
        assert heard.data is None
    for path in ("/enter", "/", "/api.js"):  # no answer has the second secret
        assert browser.csrf.encode() not in (await door.ask("GET", path, cookie)).body


async def test_secrets_that_are_no_text_are_refused(door: Door, browser: Browser) -> None:
    cookie, _ = browser.headers
    for headers in ("Cookie: ragd_page=\xff", f"{cookie}\r\nX-Ragd-Csrf: \xff"):
        head = (
            f"GET {STATUS} HTTP/1.1\r\nHost: {door.host}\r\nConnection: close\r\n{headers}\r\n\r\n"
        )
        assert parse(await door.send(head.encode("latin-1"))).status in (401, 403)


async def test_signing_out_ends_the_session_and_no_other(door: Door, browser: Browser) -> None:
    other = await door.sign_in()
    assert (await door.post("/leave", {}, *browser.headers)).status == 200
    assert (await door.ask("GET", STATUS, *browser.headers)).status == 401
    assert (await door.ask("GET", STATUS, *other.headers)).status == 200


async def test_a_session_ends_by_itself(home: Home, gateway: RunningGateway) -> None:
    moment = [0.0]
    async with run_door(home, now=lambda: moment[0]) as door:
        idle, busy = await door.sign_in(), await door.sign_in()
        while moment[0] < LONGEST_S - IDLE_S:
            moment[0] += IDLE_S - 1
            assert (await door.ask("GET", STATUS, *busy.headers)).status == 200
        assert (await door.ask("GET", STATUS, *idle.headers)).status == 401
        moment[0] = LONGEST_S
        assert (await door.ask("GET", STATUS, *busy.headers)).status == 401


# State changes


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://evil.com",
        "https://{host}",
        "http://{host}/",
        "http://{host}.evil.com",
        "http://127.0.0.1:1",
        "http://127.0.0.1",
        "http://localhost:{port}",
        "http://127.0.0.1:{port}",
        "http://evil.localhost:{port}",
        "http://{host}, http://{host}",
        "",
    ],
)
async def test_a_change_needs_our_origin(
    door: Door, browser: Browser, gateway: RunningGateway, origin: str | None
) -> None:
    sent = [] if origin is None else ["Origin: " + origin.format(host=door.host, port=door.port)]
    kind = "Content-Type: application/json"
    body = b'{"seconds": 60}'
    heard = await door.ask("POST", PAUSE, *sent, kind, *browser.headers, body=body)
    assert heard.status == 403
    assert gateway.ledger.state.pause.until is None


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain; application/json",
        "application/jsonp",
        "application/json\r\nContent-Type: text/plain",
        "",
    ],
)
async def test_a_change_needs_a_json_type(
    door: Door, browser: Browser, gateway: RunningGateway, kind: str
) -> None:
    own = (f"Origin: {door.origin}", f"Content-Type: {kind}", *browser.headers)
    heard = await door.ask("POST", PAUSE, *own, body=b'{"seconds": 60}')
    assert heard.status in (400, 415)
    assert gateway.ledger.state.pause.until is None


async def test_a_change_needs_the_second_secret(
    door: Door, browser: Browser, gateway: RunningGateway
) -> None:
    assert (await door.post(PAUSE, {"seconds": 60}, browser.headers[0])).status == 403
    assert gateway.ledger.state.pause.until is None
    assert (await door.post(PAUSE, {"seconds": 60}, *browser.headers)).status == 200
    assert gateway.ledger.state.pause.until is not None


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", "SAME-ORIGIN", ""])
async def test_a_page_of_another_port_cannot_read(door: Door, browser: Browser, site: str) -> None:
    heard = await door.ask("GET", STATUS, f"Sec-Fetch-Site: {site}", *browser.headers)
    assert heard.status == 403
    foreign = await door.ask("GET", STATUS, "Origin: http://127.0.0.1:1", *browser.headers)
    assert foreign.status == 403


async def test_no_preflight_is_answered(door: Door, browser: Browser) -> None:
    for path in (PAUSE, "/mcp", "/enter"):
        asked = ("Origin: http://evil.com", "Access-Control-Request-Method: POST")
        heard = await door.ask("OPTIONS", path, *asked, *browser.headers)
        assert heard.status >= 400
        assert not any(name.startswith("access-control") for name in heard.headers)
