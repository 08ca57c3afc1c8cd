"""Dependencies that come and go under a real daemon."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from ragd.embed.providers import ollama
from ragd.paths import Home
from tests.daemon.processes import Process, facts, write_config
from tests.http_servers import serving
from tests.patience import PATIENCE_S

Start = Callable[..., Process]


async def test_a_vault_that_goes_away_and_comes_back(home: Home, start: Start) -> None:
    vault = Path(home.root).parent / "vault"
    daemon = start("plain")
    await daemon.wait_until_ready()
    await daemon.wait_for_reasons("INDEX_NOT_FOUND")
    vault.rename(vault.with_name("elsewhere"))
    await daemon.wait_for_reasons("VAULT_NOT_FOUND")
    status = await daemon.status()
    assert (status["vault"]["path"], status["vault"]["found"]) == (str(vault), False)
    [reason] = [r for r in status["reasons"] if r["code"] == "VAULT_NOT_FOUND"]
    assert reason["state"] == "unavailable"  # there is no index to serve from
    vault.with_name("elsewhere").rename(vault)
    await daemon.wait_for_reasons("VAULT_NOT_FOUND", absent=True)
    assert (await daemon.status())["vault"]["found"] is True
    assert await daemon.stop() == 0
    told = [r["event"]["type"] for r in facts(home) if r["event"].get("dependency") == "vault"]
    assert told == ["dependency_recovered", "dependency_lost", "dependency_recovered"]


async def test_a_vault_on_a_dead_mount_holds_up_neither_answers_nor_the_end(
    home: Home, start: Start
) -> None:
    daemon = start("hanging_vault", "probe_within=0.05", "finish_within=0.2")
    await daemon.wait_until_ready()
    await daemon.wait_for_reasons("VAULT_NOT_RESPONDING", "INDEX_NOT_FOUND")
    assert (await daemon.ask("POST", "/v1/reload")).status == 200  # which needs a thread too
    assert await daemon.stop() == 0
    assert daemon.output == ""
    assert facts(home)[-1]["event"]["type"] == "daemon_stopped"


@asynccontextmanager
async def fake_ollama(port: int = 0, body: str = '{"version": "0.5"}') -> AsyncIterator[int]:
    async def version(request: web.Request) -> web.Response:
        return web.Response(text=body, content_type="application/json")

    async def tags(request: web.Request) -> web.Response:
        model = {"name": "mxbai-embed-large:latest", "digest": "a1b2"}
        return web.json_response({"models": [model]})

    app = web.Application()
    app.add_routes([web.get("/api/version", version), web.get("/api/tags", tags)])
    async with serving(app, port) as used:
        yield used


async def test_ollama_that_goes_away_and_comes_back(home: Home, start: Start) -> None:
    async with fake_ollama() as port:
        write_config(
            home,
            health={"probe_s": 0.05},
            embedding={"provider": "ollama", "base_url": f"http://127.0.0.1:{port}"},
        )
        daemon = start("plain")
        await daemon.wait_until_ready()
        await daemon.wait_for_reasons("INDEX_NOT_FOUND")
        await _until_ollama_is(daemon, "up")
        assert "OLLAMA_UNREACHABLE" not in [r["code"] for r in (await daemon.status())["reasons"]]
    await daemon.wait_for_reasons("OLLAMA_UNREACHABLE")
    await _until_ollama_is(daemon, "down")
    async with fake_ollama(port):
        await daemon.wait_for_reasons("OLLAMA_UNREACHABLE", absent=True)
        assert await daemon.stop() == 0
    told = [r["event"]["type"] for r in facts(home) if r["event"].get("dependency") == "ollama"]
    assert told == ["dependency_recovered", "dependency_lost", "dependency_recovered"]


async def _until_ollama_is(daemon: Process, what: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while (await daemon.status())["ollama_status"] != what:
            await asyncio.sleep(0.01)


async def test_without_ollama_the_default_setup_tells_it_and_is_not_degraded_by_it(
    home: Home, start: Start
) -> None:
    write_config(home, health={"probe_s": 0.05}, embedding={"base_url": "http://127.0.0.1:1"})
    daemon = start("plain")
    await daemon.wait_until_ready()
    await _until_ollama_is(daemon, "down")
    assert await daemon.wait_for_reasons("INDEX_NOT_FOUND") == ["INDEX_NOT_FOUND"]
    assert await daemon.stop() == 0


# The index


@pytest.mark.slow
async def test_garbage_where_the_index_should_be_is_told_honestly(home: Home, start: Start) -> None:
    """With the real store. Damage to whole tables is tested in tests/store/lance."""
    folder = Path(home.vectors)
    for table in ("obsidian_chunks.lance", "01GENERATION/obsidian_chunks.lance"):
        (folder / table / "_versions").mkdir(parents=True)
        (folder / table / "_versions" / "1.manifest").write_bytes(b"garbage")
    daemon = start("lancedb")
    await daemon.wait_until_ready()
    assert await daemon.wait_for_reasons("INDEX_CORRUPTED") == ["INDEX_CORRUPTED"]
    search = await daemon.ask("POST", "/v1/tools/obsidian_rag_search", {"query": "x"})
    assert (search.status, search.code) == (503, "INDEX_CORRUPTED")
    shutil.rmtree(folder)
    assert await daemon.wait_for_reasons("INDEX_NOT_FOUND") == ["INDEX_NOT_FOUND"]
    assert await daemon.stop() == 0
    told = [r["event"]["code"] for r in facts(home) if r["event"].get("dependency") == "index"]
    assert told == ["INDEX_CORRUPTED", "INDEX_NOT_FOUND"]


# Whoever listens on Ollama's port


@pytest.mark.parametrize(
    "body",
    [
        "5",
        "null",
        "[]",
        '"version"',
        "{}",
        '{"version": 5}',
        "",
        "{",
        "[" * 50_000,
    ],
)
async def test_what_is_not_ollama_is_not_taken_for_it(body: str) -> None:
    async with fake_ollama(body=body) as port:
        assert await ollama.is_reachable(f"http://127.0.0.1:{port}") is False


async def test_ollama_is_recognised() -> None:
    async with fake_ollama() as port:
        assert await ollama.is_reachable(f"http://127.0.0.1:{port}/") is True
        assert await ollama.is_reachable(f"http://127.0.0.1:{port}/elsewhere") is False


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}",
        b"HTTP/1.1 302 Found\r\nLocation: /api/version\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=\xff\r\n"
        b"Content-Length: 2\r\n\r\n{}",
    ],
)
async def test_no_answer_whatever_breaks_the_probe(said: bytes) -> None:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(said)
        except asyncio.IncompleteReadError:
            pass  # a connection without a request
        finally:
            writer.close()
            await writer.wait_closed()

    server = await asyncio.start_server(speak, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        assert await ollama.is_reachable(f"http://127.0.0.1:{port}") is False


async def test_an_answer_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama, "ANSWER_WITHIN_S", 0.2)

    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        try:
            while True:
                writer.write(b" " * 65536)
                await writer.drain()
        except ConnectionError:
            pass
        finally:  # also if the test ends first
            writer.transport.abort()

    server = await asyncio.start_server(babble, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        assert await ollama.is_reachable(f"http://127.0.0.1:{port}") is False
