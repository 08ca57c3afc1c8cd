"""MCP over HTTP: with the client of the official package, and with requests that it never sends."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import ClientSession, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult, TextContent

from ragctl.bridge.mcp_sessions import SESSIONS_OF_TOKEN
from ragctl.bridge.rate_limits import TOKEN
from ragd.paths import Home
from tests.daemon.conftest import RunningGateway
from tests.patience import PATIENCE_S
from tests.ragctl.bridge.conftest import Browser, Door, Heard, run_door

ACCEPT = "Accept: application/json, text/event-stream"
QUESTION = "zanzibarquestion"


async def create(gateway: RunningGateway, name: str = "phone", **limits: Any) -> str:
    reply = await gateway.ask("POST", "/v1/tokens", {"name": name, **limits})
    return str(reply.data["secret"])


@contextlib.asynccontextmanager
async def connect(
    door: Door, secret: str, asked: list[str] | None = None
) -> AsyncIterator[ClientSession]:
    """A session of the official client. `asked`: it can ask, notes each question, and accepts."""

    async def accept(context: Any, params: ElicitRequestParams) -> ElicitResult:
        assert asked is not None
        asked.append(params.message)
        return ElicitResult(action="accept")

    headers = {"Authorization": f"Bearer {secret}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=PATIENCE_S) as http,
        streamable_http_client(door.mcp_address, http_client=http) as streams,
        ClientSession(
            streams[0], streams[1], elicitation_callback=None if asked is None else accept
        ) as session,
    ):
        await session.initialize()
        yield session


def text_of(result: Any) -> str:
    assert isinstance(result, CallToolResult)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def read(session: ClientSession, path: str) -> str:
    return text_of(await session.call_tool("obsidian_rag_read", {"path": path}))


def uses(home: Home) -> list[tuple[str, str, str]]:
    lines = "".join(path.read_text() for path in sorted(Path(home.events).glob("*.ndjson")))
    events = (
        json.loads(line[line.index("{") :])["event"]
        for line in lines.splitlines()
        if '"type":"token_used"' in line
    )
    return [(one["client"], one["tool"], one["outcome"]) for one in events]


async def test_the_official_client_lists_and_calls_tools(
    door: Door, gateway: RunningGateway
) -> None:
    async with connect(door, await create(gateway)) as session:
        assert len((await session.list_tools()).tools) == 9
        assert "The engine is blue." in await read(session, "Boat.md")
        resources = await session.list_resource_templates()
        assert resources.resource_templates[0].uri_template == "note:///{+path}"
        note = await session.read_resource("note:///Boat.md")
        assert "engine" in str(note.contents[0])
    assert ("phone", "obsidian_rag_read", "answered") in uses(door.home)


async def test_a_read_only_token_sees_and_calls_only_what_reads(
    door: Door, gateway: RunningGateway
) -> None:
    async with connect(door, await create(gateway, read_only=True)) as session:
        names = {tool.name for tool in (await session.list_tools()).tools}
        assert "obsidian_rag_index" not in names and "obsidian_rag_read" in names
        refused = await session.call_tool("obsidian_rag_index", {"mode": "sync"})
        assert isinstance(refused, CallToolResult) and refused.is_error
        assert "may only read" in text_of(refused)
    assert ("phone", "obsidian_rag_index", "refused") in uses(door.home)


async def test_a_client_cannot_consent_for_the_user(door: Door, gateway: RunningGateway) -> None:
    """A client elsewhere could accept every question; over stdio the user started it here."""
    asked: list[str] = []
    async with connect(door, await create(gateway), asked) as session:
        said = await read(session, "Diary.md")
        assert "therapist" not in said and "ragctl" in said and "approve" in said
        (waiting,) = (await gateway.ask("GET", "/v1/approvals")).data["approvals"]
        await gateway.ask("POST", f"/v1/approvals/{waiting['id']}", {"release": True})
        assert "therapist" in await read(session, "Diary.md")
    assert asked == []


async def test_a_token_that_says_so_gets_sensitive_passages(
    door: Door, gateway: RunningGateway
) -> None:
    async with connect(door, await create(gateway, sensitive=True)) as session:
        assert "therapist" in await read(session, "Diary.md")


async def test_before_the_memory_changes_the_person_is_asked_in_the_client(
    door: Door, gateway: RunningGateway
) -> None:
    asked: list[str] = []
    async with connect(door, await create(gateway), asked) as session:
        body = {"path": "MEMORY.md", "text": "Likes tea."}
        written = await session.call_tool("obsidian_rag_memory_write", body)
        assert "@memory/token-phone/MEMORY.md" in text_of(written)
    assert len(asked) == 1


async def test_revoking_ends_an_open_session_at_once(door: Door, gateway: RunningGateway) -> None:
    with contextlib.suppress(ExceptionGroup):  # the client notices when it says good-bye
        async with connect(door, await create(gateway)) as session:
            assert "blue" in await read(session, "Boat.md")
            await gateway.ask("DELETE", "/v1/tokens/phone")
            with pytest.raises((MCPError, httpx2.HTTPError)):
                await read(session, "Boat.md")
    assert [tool for _, tool, _ in uses(door.home)].count("obsidian_rag_read") == 1


def message(method: str, params: dict[str, Any] | None = None) -> bytes:
    said = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    return json.dumps(said).encode()


INITIALIZE = message(
    "initialize",
    {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
)


async def post(door: Door, secret: str | None, body: bytes, *headers: str) -> Heard:
    bearer = () if secret is None else (f"Authorization: Bearer {secret}",)
    kind = "Content-Type: application/json"
    return await door.ask("POST", "/mcp", *bearer, kind, ACCEPT, *headers, body=body)


@pytest.mark.parametrize(
    "authorization",
    [
        (),
        ("Authorization: ",),
        ("Authorization: Bearer",),
        ("Authorization: Bearer x",),
        ("Authorization: Bearer ragd_" + "A" * 43,),
        ("Authorization: Bearer ragd_" + "A" * 5000,),
        ("Authorization: Basic {secret}",),
        ("Authorization: bearer {secret}x",),
        ("Authorization: Bearer {secret} {secret}",),
        ("Authorization: Bearer {secret}", "Authorization: Bearer {secret}"),
        ("X-Ragd-Token: {secret}",),
        ("Cookie: token={secret}",),
    ],
)
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_without_a_valid_token_nothing_is_answered(
    door: Door, gateway: RunningGateway, method: str, authorization: tuple[str, ...]
) -> None:
    secret = await create(gateway)
    headers = [one.format(secret=secret) for one in authorization]
    kind = "Content-Type: application/json"
    heard = await door.ask(method, "/mcp", *headers, kind, ACCEPT, body=INITIALIZE)
    assert heard.status in (400, 401)  # 400: the header is too long
    assert b"ragd (" not in heard.body and "mcp-session-id" not in heard.headers
    if heard.status == 401:
        assert (heard.code, heard.headers["www-authenticate"]) == ("TOKEN_REFUSED", "Bearer")


async def test_a_token_in_the_address_is_not_accepted(door: Door, gateway: RunningGateway) -> None:
    secret = await create(gateway)
    for target in (f"/mcp?token={secret}", f"/mcp?access_token={secret}"):
        kind = "Content-Type: application/json"
        heard = await door.ask("POST", target, kind, ACCEPT, body=INITIALIZE)
        assert heard.status == 401


async def test_the_page_is_no_client_and_a_client_is_not_the_page(
    door: Door, gateway: RunningGateway, browser: Browser
) -> None:
    heard = await post(door, None, INITIALIZE, *browser.headers)
    assert heard.code == "TOKEN_REFUSED"
    secret = await create(gateway)
    bearer, kind = f"Authorization: Bearer {secret}", "Content-Type: application/json"
    own = f"Origin: {door.origin}"
    assert (await post(door, secret, INITIALIZE, own, *browser.headers)).status == 403
    at_page = await door.ask("POST", "/mcp", bearer, kind, ACCEPT, body=INITIALIZE, host=door.host)
    assert (at_page.status, at_page.code) == (421, "SECURITY_VIOLATION")
    for path in ("/", "/api/v1/status", "/api/v1/events", "/page.js"):
        assert (await door.ask("GET", path, bearer)).status == 401


@pytest.mark.parametrize("origin", ["http://evil.com", "null", "https://127.0.0.1", ""])
async def test_a_page_of_another_site_cannot_use_a_token(
    door: Door, gateway: RunningGateway, origin: str
) -> None:
    heard = await post(door, await create(gateway), INITIALIZE, f"Origin: {origin}")
    assert (heard.status, heard.code) == (403, "SECURITY_VIOLATION")


async def test_a_session_is_for_the_token_that_began_it(
    door: Door, gateway: RunningGateway
) -> None:
    first, second = await create(gateway), await create(gateway, "other")
    began = await post(door, first, INITIALIZE)
    session = f"Mcp-Session-Id: {began.headers['mcp-session-id']}"
    version = "Mcp-Protocol-Version: 2025-06-18"
    assert (await post(door, second, message("tools/list"), session, version)).status == 404
    assert (await post(door, first, message("tools/list"), session, version)).status == 200


async def test_there_is_no_stream_that_would_outlive_a_token(
    door: Door, gateway: RunningGateway
) -> None:
    bearer = f"Authorization: Bearer {await create(gateway)}"
    heard = await door.ask("GET", "/mcp", bearer, "Accept: text/event-stream")
    assert heard.status == 405


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 50_000, b'{"jsonrpc":"2.0"}']
)
async def test_a_message_that_is_none_is_refused(
    door: Door, gateway: RunningGateway, body: bytes
) -> None:
    heard = await post(door, await create(gateway), body)
    assert 400 <= heard.status < 500
    assert b"Traceback" not in heard.body


async def test_a_message_that_is_too_large_or_of_another_type_is_refused(
    door: Door, gateway: RunningGateway
) -> None:
    secret = await create(gateway)
    large = message("tools/list", {"x": "y" * 1_100_000})
    assert (await post(door, secret, large)).status == 413
    bearer = f"Authorization: Bearer {secret}"
    plain = await door.ask("POST", "/mcp", bearer, "Content-Type: text/plain", body=INITIALIZE)
    assert plain.status == 415


async def test_a_token_may_send_so_many_requests(home: Home, gateway: RunningGateway) -> None:
    async with run_door(home, now=lambda: 0.0) as door:
        busy, other = await create(gateway), await create(gateway, "other")
        statuses = [(await post(door, busy, b"{")).status for _ in range(int(TOKEN.burst) + 1)]
        assert statuses[-1] == 429 and 429 not in statuses[:-1]
        assert (await post(door, other, INITIALIZE)).status == 200


async def test_many_calls_at_once_are_all_answered(door: Door, gateway: RunningGateway) -> None:
    async with connect(door, await create(gateway)) as session:
        calls = [read(session, "Boat.md") for _ in range(8)]
        assert all("blue" in said for said in await asyncio.gather(*calls))


async def test_the_question_is_in_no_fact(door: Door, gateway: RunningGateway) -> None:
    async with connect(door, await create(gateway)) as session:
        await read(session, f"{QUESTION}.md")
        await session.call_tool("obsidian_rag_memory_forget", {"key": QUESTION})
        await session.call_tool(QUESTION, {})
    log = "".join(path.read_text() for path in Path(door.home.events).glob("*.ndjson"))
    assert ("phone", "obsidian_rag_read", "refused") in uses(door.home)
    assert ("phone", "obsidian_rag_memory_forget", "answered") in uses(door.home)
    assert QUESTION not in log


async def test_other_machines_reach_mcp_and_never_the_page(
    home: Home, gateway: RunningGateway
) -> None:
    async with run_door(home, with_page=False) as door:
        for path in ("/", "/enter", "/enter.js", "/index.html", "/api/v1/status"):
            assert (await door.ask("GET", path)).status == 404
        assert (await door.post("/enter", {"code": "x"})).status == 404
        assert (await post(door, await create(gateway), INITIALIZE)).status == 200
        assert (await post(door, None, INITIALIZE)).status == 401


async def test_a_token_cannot_hold_the_sessions_of_all_others(
    door: Door, gateway: RunningGateway
) -> None:
    """Many clients never end a session. The oldest of the token's own ends, and of nobody else."""
    greedy, other = await create(gateway), await create(gateway, "other")

    async def begin(secret: str) -> str:
        began = await post(door, secret, INITIALIZE)
        assert began.status == 200
        return f"Mcp-Session-Id: {began.headers['mcp-session-id']}"

    async def is_open(secret: str, session: str) -> bool:
        version = "Mcp-Protocol-Version: 2025-06-18"
        return (await post(door, secret, message("tools/list"), session, version)).status == 200

    quiet = await begin(other)
    held = [await begin(greedy) for _ in range(SESSIONS_OF_TOKEN)]
    assert await is_open(greedy, held[0])  # now the second one was not used for longest
    held.append(await begin(greedy))
    assert not await is_open(greedy, held[1])
    assert await is_open(greedy, held[0]) and await is_open(greedy, held[-1])
    assert await is_open(other, quiet) and await is_open(other, await begin(other))
