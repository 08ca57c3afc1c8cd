"""Tokens on the socket: what they allow, what they withhold, and what the log says about them."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ragd.gateway import fact_recorder
from ragd.paths import Home
from tests.daemon.conftest import RunningGateway, run_gateway
from tests.daemon.processes import write_config
from tests.daemon.virtual_clock import VirtualClock
from tests.daemon.wire import Reply

DIARY = "Diary.md"
SECRET_WORD = "therapist"
QUESTION = "zanzibarquestion"
DAY_S = 86_400


@pytest.fixture
def vault(folder: Path) -> Path:
    root = folder / "vault"
    root.mkdir(exist_ok=True)
    (root / DIARY).write_text("## #mentalhealth\n\nA session with the therapist.\n")
    (root / "Boat.md").write_text("# Boat\n\nThe engine is blue.\n")
    return root


@pytest.fixture
async def gateway(home: Home, vault: Path, clock: VirtualClock) -> AsyncIterator[RunningGateway]:
    async with run_gateway(home, clock) as running:
        yield running


async def create(gateway: RunningGateway, name: str = "phone", **limits: Any) -> str:
    reply = await gateway.ask("POST", "/v1/tokens", {"name": name, **limits})
    assert reply.status == 200, reply.body
    return str(reply.data["secret"])


async def ask(
    gateway: RunningGateway, secret: str, method: str, target: str, body: Any = None, *more: str
) -> Reply:
    return await gateway.ask(method, target, body, f"X-Ragd-Token: {secret}", *more)


async def read(gateway: RunningGateway, secret: str, path: str) -> Reply:
    return await ask(gateway, secret, "POST", "/v1/tools/obsidian_rag_read", {"path": path})


def log_text(gateway: RunningGateway) -> str:
    return "".join(path.read_text() for path in sorted(Path(gateway.home.events).glob("*.ndjson")))


def facts(gateway: RunningGateway, kind: str) -> list[dict[str, Any]]:
    lines = [line for line in log_text(gateway).splitlines() if f'"type":"{kind}"' in line]
    return [json.loads(line[line.index("{") :])["event"] for line in lines]


async def test_a_token_is_shown_once_and_only_its_digest_is_kept(gateway: RunningGateway) -> None:
    secret = await create(gateway, collections=["vault"], read_only=True, expires_s=DAY_S)
    assert secret.startswith("ragd_") and len(secret) > 40
    (listed,) = (await gateway.ask("GET", "/v1/tokens")).data["tokens"]
    assert (listed["name"], listed["collections"], listed["read_only"]) == (
        "phone",
        ["vault"],
        True,
    )
    assert (listed["sensitive"], listed["expired"]) == (False, False)
    file = Path(gateway.home.tokens)
    assert file.stat().st_mode & 0o777 == 0o600
    for kept in (file.read_text(), log_text(gateway), json.dumps(listed)):
        assert secret not in kept and secret.removeprefix("ragd_") not in kept


async def test_a_token_outlives_a_restart(home: Home, vault: Path, clock: VirtualClock) -> None:
    async with run_gateway(home, clock) as first:
        secret = await create(first)
    async with run_gateway(home, clock) as second:
        assert (await ask(second, secret, "GET", "/v1/token")).data["token"]["name"] == "phone"


@pytest.mark.parametrize(
    "wrong", ["ragd_", "x", "ragd_" + "A" * 43, "ragd_" + "A" * 5000, "%00", "ragd_%ff", "*"]
)
async def test_a_wrong_token_gets_nothing_not_even_what_it_gets_without_one(
    gateway: RunningGateway, wrong: str
) -> None:
    await create(gateway)
    for target in ("/v1/status", "/v1/notes?path=Boat.md", "/v1/memories", "/v1/events"):
        reply = await ask(gateway, wrong, "GET", target)
        assert (reply.status, reply.code) == (401, "TOKEN_REFUSED")


async def test_a_part_of_a_token_or_its_digest_is_not_the_token(gateway: RunningGateway) -> None:
    secret = await create(gateway)
    digest = json.loads(Path(gateway.home.tokens).read_text())["tokens"][0]["digest"]
    for wrong in (secret[:-1], secret + "a", secret.swapcase(), digest, f"ragd_{digest}"):
        assert (await read(gateway, wrong, "Boat.md")).code == "TOKEN_REFUSED"
    assert "engine" in (await read(gateway, secret, "Boat.md")).data["text"]


async def test_what_is_for_the_user_is_refused_for_a_token(gateway: RunningGateway) -> None:
    secret = await create(gateway, sensitive=True)
    for method, target, body in (
        ("GET", "/v1/events", None),
        ("GET", "/v1/tokens", None),
        ("POST", "/v1/tokens", {"name": "more"}),
        ("DELETE", "/v1/tokens/phone", None),
        ("GET", "/v1/approvals", None),
        ("POST", "/v1/jobs", {"mode": "sync"}),
        ("POST", "/v1/pause", {"seconds": 60}),
        ("POST", "/v1/stop", {}),
        ("DELETE", "/v1/memories/x", None),
    ):
        reply = await ask(gateway, secret, method, target, body)
        assert (reply.status, reply.code) == (403, "SECURITY_VIOLATION"), target


async def test_a_token_cannot_call_itself_another_agent(gateway: RunningGateway) -> None:
    secret = await create(gateway)
    for header in ("X-Ragd-Agent: main", "X-Ragd-Chat: direct", "X-Ragd-Assistant: 1"):
        reply = await ask(gateway, secret, "GET", "/v1/status", None, header)
        assert (reply.status, reply.code) == (400, "INVALID_REQUEST")
    twice = await ask(gateway, secret, "GET", "/v1/status", None, "X-Ragd-Token: other")
    assert twice.status == 400


async def test_an_assistant_cannot_make_tokens_for_the_user(gateway: RunningGateway) -> None:
    for header in ("X-Ragd-Assistant: 1", "X-Ragd-Agent: work"):
        reply = await gateway.ask("POST", "/v1/tokens", {"name": "mine"}, header)
        assert reply.code == "SECURITY_VIOLATION"
    assert (await gateway.ask("GET", "/v1/tokens")).data["tokens"] == []


async def test_a_read_only_token_changes_nothing(gateway: RunningGateway) -> None:
    secret = await create(gateway, read_only=True)
    listed = (await ask(gateway, secret, "GET", "/v1/tools")).data["tools"]
    assert {one["name"].removeprefix("obsidian_rag_") for one in listed} == {
        *("search", "status", "read", "related", "memory_search")
    }
    for tool, body in (
        ("index", {}),
        ("memory_store", {"key": "a", "value": "b", "source": "Boat.md"}),
        ("memory_write", {"path": "MEMORY.md", "text": "x"}),
        ("memory_forget", {"key": "a"}),
    ):
        reply = await ask(gateway, secret, "POST", f"/v1/tools/obsidian_rag_{tool}", body)
        assert (reply.status, reply.code) == (403, "SECURITY_VIOLATION"), tool
    assert not Path(gateway.home.agent_notes).exists()


async def test_sensitive_text_is_withheld_unless_the_token_says_otherwise(
    gateway: RunningGateway,
) -> None:
    plain, trusted = await create(gateway), await create(gateway, "trusted", sensitive=True)
    withheld = await read(gateway, plain, DIARY)
    assert withheld.code == "SENSITIVE_FILTERED"
    assert SECRET_WORD not in withheld.body.decode()
    assert SECRET_WORD in (await read(gateway, trusted, DIARY)).data["text"]
    assert "engine" in (await read(gateway, plain, "Boat.md")).data["text"]


async def test_a_holder_cannot_consent_for_the_user_but_the_user_can(
    home: Home, vault: Path, clock: VirtualClock
) -> None:
    write_config(home, security={"confirm": "token"})  # other agents may confirm by themselves
    async with run_gateway(home, clock) as gateway:
        secret = await create(gateway)
        withheld = await read(gateway, secret, DIARY)
        assert "confirm" not in withheld.data
        approval = withheld.data["approval"]
        mine = await ask(gateway, secret, "POST", f"/v1/approvals/{approval}", {"release": True})
        assert mine.code == "SECURITY_VIOLATION"
        (waiting,) = (await gateway.ask("GET", "/v1/approvals")).data["approvals"]
        assert waiting["agent"] == "token-phone"
        await gateway.ask("POST", f"/v1/approvals/{approval}", {"release": True})
        other = await create(gateway, "other")
        assert (await read(gateway, other, DIARY)).code == "SENSITIVE_FILTERED"
        assert SECRET_WORD in (await read(gateway, secret, DIARY)).data["text"]
        assert (await read(gateway, secret, DIARY)).code == "SENSITIVE_FILTERED"


async def test_a_token_that_was_revoked_is_refused_at_once(gateway: RunningGateway) -> None:
    secret, other = await create(gateway), await create(gateway, "other")
    assert (await read(gateway, secret, "Boat.md")).status == 200
    assert (await gateway.ask("DELETE", "/v1/tokens/phone")).data["revoked"] is True
    assert (await read(gateway, secret, "Boat.md")).code == "TOKEN_REFUSED"
    assert (await read(gateway, other, "Boat.md")).status == 200
    assert (await gateway.ask("DELETE", "/v1/tokens/phone")).data["revoked"] is False
    assert facts(gateway, "token_revoked") == [{"type": "token_revoked", "client": "phone"}]
    again = await create(gateway)
    assert again != secret
    assert (await read(gateway, secret, "Boat.md")).code == "TOKEN_REFUSED"


async def test_a_token_that_is_revoked_while_its_answer_is_made_does_not_get_it(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = await create(gateway)
    begun, go_on = asyncio.Event(), asyncio.Event()
    recent = gateway.tool_gateway.memories.list_all

    async def slow(*arguments: Any) -> Any:
        begun.set()
        await go_on.wait()
        return await recent(*arguments)

    monkeypatch.setattr(gateway.tool_gateway.memories, "list_all", slow)
    asking = asyncio.create_task(ask(gateway, secret, "GET", "/v1/memories"))
    await begun.wait()
    await gateway.ask("DELETE", "/v1/tokens/phone")
    go_on.set()
    assert (await asking).code == "TOKEN_REFUSED"


async def test_a_token_expires(gateway: RunningGateway, clock: VirtualClock) -> None:
    secret = await create(gateway, expires_s=DAY_S)
    clock.advance(DAY_S - 1)
    assert (await read(gateway, secret, "Boat.md")).status == 200
    clock.advance(2)
    assert (await read(gateway, secret, "Boat.md")).code == "TOKEN_REFUSED"
    (listed,) = (await gateway.ask("GET", "/v1/tokens")).data["tokens"]
    assert listed["expired"] is True


async def test_each_use_is_a_fact_without_the_question(gateway: RunningGateway) -> None:
    secret = await create(gateway, read_only=True)
    body = {"query": QUESTION}
    await ask(gateway, secret, "POST", "/v1/tools/obsidian_rag_search", body)
    await read(gateway, secret, DIARY)
    await read(gateway, secret, "Boat.md")
    await read(gateway, secret, f"../{QUESTION}.md")
    await ask(gateway, secret, "POST", "/v1/tools/obsidian_rag_index", {})
    await ask(gateway, secret, "POST", f"/v1/tools/{QUESTION}", {})
    await ask(gateway, secret, "GET", f"/v1/notes?path={QUESTION}")
    await ask(gateway, secret, "GET", "/v1/memories")
    await ask(gateway, secret, "GET", "/v1/tools")
    used = [(one["client"], one["tool"], one["outcome"]) for one in facts(gateway, "token_used")]
    assert used == [
        ("phone", "obsidian_rag_search", "failed"),  # there is no index
        ("phone", "obsidian_rag_read", "withheld"),
        ("phone", "obsidian_rag_read", "answered"),
        ("phone", "obsidian_rag_read", "refused"),
        ("phone", "obsidian_rag_index", "refused"),
        ("phone", "other", "refused"),
        ("phone", "notes", "refused"),
        ("phone", "memories", "answered"),
    ]
    assert QUESTION not in log_text(gateway)


async def test_a_use_that_cannot_be_recorded_is_refused(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = await create(gateway)
    monkeypatch.setattr(fact_recorder, "APPEND_WITHIN_S", 0.0)
    refused = await read(gateway, secret, "Boat.md")
    assert (refused.status, refused.code) == (504, "TIMEOUT")
    assert "engine" not in refused.body.decode()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "A"},
        {"name": "../x"},
        {"name": "a" * 41},
        {"name": "a", "expires_s": 0},
        {"name": "a", "more": 1},
        {"name": "a", "collections": "vault"},
    ],
)
async def test_a_token_that_cannot_be_is_refused(
    gateway: RunningGateway, body: dict[str, Any]
) -> None:
    assert (await gateway.ask("POST", "/v1/tokens", body)).code == "INVALID_REQUEST"
    assert facts(gateway, "token_created") == []


async def test_a_name_is_used_once_and_collections_must_exist(gateway: RunningGateway) -> None:
    await create(gateway)
    assert (await gateway.ask("POST", "/v1/tokens", {"name": "phone"})).code == "INVALID_REQUEST"
    unknown = await gateway.ask("POST", "/v1/tokens", {"name": "b", "collections": ["nowhere"]})
    assert unknown.code == "UNKNOWN_COLLECTION"


async def test_a_file_of_tokens_that_is_damaged_accepts_none(
    home: Home, vault: Path, clock: VirtualClock
) -> None:
    async with run_gateway(home, clock) as first:
        secret = await create(first)
    Path(home.tokens).write_text('{"tokens": [{"name"')
    async with run_gateway(home, clock) as second:
        assert (await read(second, secret, "Boat.md")).code == "TOKEN_REFUSED"
        assert (await second.ask("GET", "/v1/status")).status == 200
