"""Text from a client, a note or an exception is in no file and not on stderr."""

import base64
import itertools
import json
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from ragd.daemon import run
from ragd.paths import Home
from tests.daemon.processes import Process, types, write_config
from tests.daemon.wire import ask, connected, head, send_raw

Start = Callable[..., Process]


class Canaries:
    """Strings that occur nowhere else, each for one place."""

    def __init__(self) -> None:
        self._number = itertools.count()
        self.placed: dict[str, str] = {}

    def __call__(self, place: str) -> str:
        assert place not in self.placed
        self.placed[place] = f"canary{next(self._number):03}{secrets.token_hex(8)}"
        return self.placed[place]

    def found_in(self, data: bytes) -> list[str]:
        """The places whose canary is in these bytes, plain or in base64."""
        lower = data.lower()
        return [
            place
            for place, canary in self.placed.items()
            if canary.encode() in lower or any(form in data for form in _in_base64(canary))
        ]


def _in_base64(text: str) -> list[bytes]:
    """The text in base64, at any offset of a longer text."""
    forms = []
    for offset in range(3):
        whole = base64.b64encode(b"\0" * offset + text.encode())
        forms.append(whole[4 if offset else 0 : len(whole) - 4])
    return forms


def leaks(home: Home, canaries: Canaries) -> dict[str, list[str]]:
    """For each file of the home, the canaries in it or in its name."""
    found = {}
    for path in Path(home.root).rglob("*"):
        data = str(path).encode()
        if path.is_file():
            data += path.read_bytes()
        if sung := canaries.found_in(data):
            found[str(path)] = sung
    return found


@pytest.fixture
def canaries() -> Canaries:
    return Canaries()


async def send_canaries(home: Home, canary: Canaries) -> None:
    """Put canaries in every field that a client can set."""

    async def post(target: str, body: object) -> None:
        await ask(home.socket, "POST", target, body)

    search = "/v1/tools/obsidian_rag_search"
    await post(search, {"query": canary("query")})
    await post(search, {"query": "x", "tags": [canary("tag")]})
    await post(search, {"query": "x", "tags": [canary("wrong tag"), 5]})
    await post(search, {"query": "x", "directory_filter": [canary("directory")]})
    await post(search, {"query": "x", "date_range": {"from": canary("date")}})
    await post(search, {"query": "x", "confirm": canary("token")})
    await post(search, {"query": {canary("nested name"): canary("nested value")}})
    await post(search, {canary("field name"): canary("field value"), "query": "x"})
    await post("/v1/tools/obsidian_rag_index", {"mode": canary("mode")})
    await post(
        "/v1/tools/obsidian_rag_memory_store",
        {"key": canary("key"), "value": canary("value"), "source": canary("source")},
    )
    await post(f"/v1/tools/{canary('tool')}", {"query": canary("query of no tool")})
    await ask(home.socket, "POST", search, raw=b'{"query": "' + canary("bad JSON").encode())
    await ask(home.socket, "POST", search, raw=b"\xff\xfe" + canary("bad UTF-8").encode())
    await ask(home.socket, "GET", f"/{canary('path')}")
    await ask(home.socket, "GET", f"/v1/jobs/{canary('job')}")
    await ask(home.socket, "POST", f"/v1/jobs/{canary('job to cancel')}/cancel")
    await ask(home.socket, "GET", f"/v1/status?{canary('parameter')}={canary('its value')}")
    await ask(home.socket, "GET", f"/v1/notes?path={canary('note')}&confirm={canary('agreed')}")
    await ask(home.socket, "GET", f"/v1/events?type={canary('type')}")
    await ask(home.socket, "GET", f"/v1/events?after={canary('after')}")
    await ask(home.socket, "GET", f"/v1/events?{canary('unknown parameter')}=1")
    await ask(home.socket, "GET", "/v1/" + quote("\0" + canary("escaped path")))
    more = f"{canary('header name')}: {canary('header value')}"
    await ask(home.socket, "GET", "/v1/status", None, more, f"Cookie: a={canary('cookie')}")
    await ask(home.socket, "GET", "/v1/status", None, f"Authorization: {canary('authorization')}")
    await ask(home.socket, "POST", search, {"query": "x"}, f"Expect: {canary('expectation')}")
    await send_raw(home.socket, f"{canary('method')} / HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    await send_raw(home.socket, f"GET / {canary('version')}\r\n\r\n".encode())
    await send_raw(home.socket, canary("garbage").encode() * 3 + b"\0\r\n\r\n")
    await send_raw(home.socket, head("POST", search, None, f"Content-Length: {canary('length')}"))
    await send_raw(home.socket, head("GET", "/" + canary("long URL") * 1000))
    chunk = canary("chunk").encode() + b"\r\n"
    await send_raw(home.socket, head("POST", search, None, "Transfer-Encoding: chunked") + chunk)
    async with connected(home.socket) as wire:  # and one who goes away in the middle of it
        await wire.send(head("POST", search, canary("half a body").encode() * 9)[:-20])


async def test_no_canary_is_found_in_any_file_nor_on_stderr(
    home: Home, start: Start, folder: Path, canaries: Canaries
) -> None:
    trigger = folder / "trigger"
    daemon = start(
        f"crash_when={trigger}",
        f"crashing_handler={canaries('handler')}",
        f"leaky_library={canaries('library')}",
        SECRET_TOKEN=canaries("environment"),
        OLLAMA_API_KEY=canaries("environment of a library"),
    )
    await daemon.wait_until_ready()
    await send_canaries(home, canaries)
    tools = await daemon.ask("GET", "/v1/tools")
    assert (tools.status, tools.code) == (500, "INTERNAL")
    assert canaries.found_in(tools.body) == []
    async with connected(home.socket) as wire:
        await wire.send(head("GET", "/v1/events?follow=1&type=actor_crashed"))
        await wire.head()
        trigger.write_text(canaries("actor"))
        await wire.chunk()
    Path(home.config).write_text(
        json.dumps({"vault_path": "/v", "api_key": canaries("secret in the configuration")})
    )
    refused = await daemon.ask("POST", "/v1/reload")
    assert refused.code == "INVALID_REQUEST"
    assert "api_key" in refused.message
    assert canaries.found_in(refused.body) == []
    write_config(home)
    assert await daemon.stop() == 0
    assert len(canaries.placed) >= 45
    assert {"actor_crashed", "request_refused"} <= set(types(home))
    log = Path(home.log_file).read_text()
    assert "a request failed" in log and "a library reported something" in log
    assert leaks(home, canaries) == {}
    assert canaries.found_in(daemon.output.encode()) == []
    assert daemon.output == ""


def test_a_refused_configuration_is_not_quoted(
    home: Home, canaries: Canaries, capfd: pytest.CaptureFixture[str]
) -> None:
    for config in (
        {"vault_path": "/v", "api_key": canaries("unknown key")},
        {"vault_path": "/v", "embedding": {"api_key": canaries("unknown nested key")}},
        {"vault_path": "/v", "embedding": canaries("wrong type")},
        {"vault_path": "/v", "embedding": {"provider": canaries("wrong choice")}},
        {"vault_path": "/v", "embedding": {"base_url": f"http://u:{canaries('password')}@h"}},
    ):
        Path(home.config).write_text(json.dumps(config))
        assert run(home) == 78
        said = capfd.readouterr()
        assert said.out == ""
        assert canaries.found_in(said.err.encode()) == []
        assert said.err.count("\n") == 1
    Path(home.config).unlink()
    assert leaks(home, canaries) == {}
    assert os.listdir(home.root) == []


@pytest.mark.parametrize(
    "twist", ["crashing_actor", "panicking_actor", "broken_wiring", "panicking_wiring"]
)
async def test_a_daemon_that_dies_of_a_bug_says_where_and_not_what(
    home: Home, start: Start, canaries: Canaries, twist: str
) -> None:
    daemon = start(f"{twist}={canaries('message')}")
    assert await daemon.wait_for_exit() == 1
    assert canaries.found_in(daemon.output.encode()) == []
    assert leaks(home, canaries) == {}
    assert daemon.output.startswith("ragd: ")
    assert daemon.output.count("\n") == 1
    if twist.endswith("actor"):
        assert types(home).count("actor_crashed") == 5


def test_a_canary_would_be_found(home: Home, canaries: Canaries) -> None:
    """Tests the check itself: plain, in capitals, in a name, in base64 at any offset."""
    canary = canaries("somewhere")
    for n, text in enumerate(
        (canary, canary.upper(), *("x" * i + canary + "yz" for i in range(4)))
    ):
        encoded = base64.b64encode(text.encode()).decode()
        Path(home.root, f"file{n}").write_text(f"some {text if n < 2 else encoded} text")
    Path(home.root, canary).touch()
    assert len(leaks(home, canaries)) == 7
    assert canaries.found_in(b"nothing at all") == []
