"""Withheld notes and agents: only the user can release it, and only what was asked for."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ragd.gateway.refusals import RECORD_EVERY_S
from ragd.guard.approvals import VALID_S
from ragd.paths import Home
from tests.daemon.conftest import RunningGateway, run_gateway
from tests.daemon.processes import write_config
from tests.daemon.virtual_clock import VirtualClock
from tests.daemon.wire import Reply

DIARY = "Diary.md"
TEXT = "## #mentalhealth\n\nA session with the therapist.\n"
AGENT = ("X-Ragd-Agent: work", "X-Ragd-Chat: direct")
SECRET = "therapist"


@pytest.fixture
def vault(folder: Path) -> Path:
    root = folder / "vault"
    root.mkdir(exist_ok=True)
    (root / DIARY).write_text(TEXT)
    (root / "Other.md").write_text(TEXT)
    return root


@pytest.fixture
async def blocking(home: Home, vault: Path, clock: VirtualClock) -> AsyncIterator[RunningGateway]:
    write_config(home, security={"sensitive": "block"})
    async with run_gateway(home, clock) as gateway:
        yield gateway


async def read(gateway: RunningGateway, *headers: str, **more: Any) -> Reply:
    path = more.pop("path", DIARY)
    query = "".join(f"&{name}={value}" for name, value in more.items())
    return await gateway.ask("GET", f"/v1/notes?path={quote(path)}{query}", None, *headers)


async def decide(gateway: RunningGateway, which: str, *headers: str, release: bool = True) -> Reply:
    return await gateway.ask("POST", f"/v1/approvals/{which}", {"release": release}, *headers)


async def waiting(gateway: RunningGateway) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await gateway.ask("GET", "/v1/approvals")).data["approvals"]
    return found


def facts(gateway: RunningGateway) -> list[dict[str, Any]]:
    lines = [
        json.loads(line.partition("{")[1] + line.partition("{")[2])
        for segment in sorted(Path(gateway.home.events).glob("*.ndjson"))
        for line in segment.read_text().splitlines()[1:]
    ]
    return [line["event"] for line in lines if line["event"]["type"].startswith("approval_")]


async def test_an_agent_gets_an_id_and_never_a_token(blocking: RunningGateway) -> None:
    reply = await read(blocking, *AGENT)
    assert reply.code == "SENSITIVE_FILTERED"
    assert (reply.data["text"], reply.data["withheld"]) == (None, 1)
    assert (reply.data["refused"], "confirm" in reply.data) == (False, False)
    named = f"approve {reply.data['approval']}`"
    assert named in reply.envelope["error"]["suggestion"]
    assert SECRET not in reply.body.decode()
    assert (await read(blocking, *AGENT, confirm=reply.data["approval"])).data["text"] is None


async def test_the_user_sees_what_waits_and_releases_it_once(
    blocking: RunningGateway, clock: VirtualClock
) -> None:
    approval = (await read(blocking, *AGENT)).data["approval"]
    clock.advance(61)
    assert await waiting(blocking) == [
        {
            "id": approval,
            "agent": "work",
            "chat": "direct",
            "tool": "notes",
            "asked": DIARY,
            "kinds": ["health"],
            "withheld": 1,
            "citations": ["Diary.md#L1-L3"],
            "waits_s": 61,
            "expires_in_s": 239,
        }
    ]
    assert (await read(blocking, *AGENT)).data["text"] is None
    decided = await decide(blocking, approval)
    assert (decided.status, decided.data["outcome"]) == (200, "released")
    assert await waiting(blocking) == []
    shown = await read(blocking, *AGENT)
    assert SECRET in shown.data["text"] and "approval" not in shown.data
    again = await read(blocking, *AGENT)
    assert again.data["text"] is None and again.data["approval"] != approval


@pytest.mark.parametrize(
    "headers",
    [
        AGENT,
        ("X-Ragd-Agent: ",),
        ("X-Ragd-Chat: direct",),
        ("X-Ragd-Agent: work", "X-Ragd-Assistant: 1"),
        ("X-Ragd-Assistant: 1",),
        ("X-Ragd-Assistant: ",),
        ("x-ragd-assistant: 0",),
        ("X-Ragd-Session: 1",),
        ("X-Ragd-Session: ",),
    ],
)
async def test_no_agent_and_no_assistant_can_list_or_release(
    blocking: RunningGateway, headers: tuple[str, ...]
) -> None:
    approval = (await read(blocking, *headers)).data["approval"]
    for path, method, body in [
        ("/v1/approvals", "GET", None),
        (f"/v1/approvals/{approval}", "POST", {"release": True}),
        ("/v1/approvals/aaaaaa", "POST", {"release": True}),
    ]:
        reply = await blocking.ask(method, path, body, *headers)
        assert (reply.status, reply.code, reply.data) == (403, "SECURITY_VIOLATION", None)
    assert (await read(blocking, *headers)).data["text"] is None
    assert [one["id"] for one in await waiting(blocking)] == [approval]


async def test_headers_sent_twice_do_not_make_an_agent_the_user(blocking: RunningGateway) -> None:
    approval = (await read(blocking, *AGENT)).data["approval"]
    reply = await decide(blocking, approval, *AGENT, "X-Ragd-Agent: ")
    assert reply.code == "INVALID_REQUEST"
    assert (await read(blocking, *AGENT)).data["text"] is None


@pytest.mark.parametrize(
    "other",
    [
        ("X-Ragd-Agent: home", "X-Ragd-Chat: direct"),
        ("X-Ragd-Agent: work", "X-Ragd-Chat: group"),
        ("X-Ragd-Agent: work", "X-Ragd-Chat: channel"),
        ("X-Ragd-Agent: work",),
        ("X-Ragd-Assistant: 1",),
        (*AGENT, "X-Ragd-Session: other"),
    ],
)
async def test_a_release_is_for_this_agent_in_this_kind_of_chat(
    blocking: RunningGateway, other: tuple[str, ...]
) -> None:
    await decide(blocking, (await read(blocking, *AGENT)).data["approval"])
    assert (await read(blocking, *other)).data["text"] is None
    assert SECRET in (await read(blocking, *AGENT)).data["text"]


async def test_two_agents_at_once_get_what_was_released_to_each(blocking: RunningGateway) -> None:
    askers = [(f"X-Ragd-Agent: agent{n}", "X-Ragd-Chat: direct") for n in range(8)]
    replies = await asyncio.gather(*(read(blocking, *asker) for asker in askers))
    ids = [reply.data["approval"] for reply in replies]
    assert len(set(ids)) == 8
    for number, approval in enumerate(ids):
        await decide(blocking, approval, release=number % 2 == 0)
    replies = await asyncio.gather(*(read(blocking, *asker) for asker in askers))
    shown = [reply.data["text"] is not None for reply in replies]
    assert shown == [True, False] * 4
    assert all(reply.data["refused"] for reply in replies[1::2])


async def test_one_release_is_not_shown_to_two_calls_at_once(blocking: RunningGateway) -> None:
    await decide(blocking, (await read(blocking, *AGENT)).data["approval"])
    replies = await asyncio.gather(*(read(blocking, *AGENT) for _ in range(10)))
    assert sum(reply.data["text"] is not None for reply in replies) == 1


@pytest.mark.parametrize(
    "change", [{"from": 3}, {"raw": 1}, {"from": 1, "to": 3}, {"path": "Other.md"}]
)
async def test_another_request_needs_another_approval(
    blocking: RunningGateway, change: dict[str, Any]
) -> None:
    approval = (await read(blocking, *AGENT)).data["approval"]
    await decide(blocking, approval)
    changed = await read(blocking, *AGENT, **change)
    assert changed.data["text"] is None and changed.data["approval"] != approval


async def test_a_release_is_for_the_text_as_it_was_listed(
    blocking: RunningGateway, vault: Path
) -> None:
    await decide(blocking, (await read(blocking, *AGENT)).data["approval"])
    (vault / DIARY).write_text(TEXT + "\nAnd the diagnosis.\n")
    assert (await read(blocking, *AGENT)).data["text"] is None
    assert [one["citations"] for one in await waiting(blocking)] == [["Diary.md#L1-L5"]]


async def test_a_release_is_not_for_other_words_in_the_same_lines(
    blocking: RunningGateway, vault: Path
) -> None:
    await decide(blocking, (await read(blocking, *AGENT)).data["approval"])
    (vault / DIARY).write_text(TEXT.replace("A session", "The last session"))
    assert (await read(blocking, *AGENT)).data["text"] is None


async def test_a_refusal_is_remembered_and_the_agent_is_told(blocking: RunningGateway) -> None:
    approval = (await read(blocking, *AGENT)).data["approval"]
    assert (await decide(blocking, approval, release=False)).data["outcome"] == "refused"
    reply = await read(blocking, *AGENT)
    assert (reply.data["text"], reply.data["refused"]) == (None, True)
    assert "refused" in reply.message
    assert await waiting(blocking) == []
    late = await decide(blocking, approval)
    assert (late.status, late.code) == (404, "APPROVAL_NOT_FOUND")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "`release` is required"),
        ({"release": "yes"}, "true or false"),
        ({"release": True, "all": True}, "`all` is unknown"),
    ],
)
async def test_a_decision_must_say_what(
    blocking: RunningGateway, body: dict[str, Any], said: str
) -> None:
    approval = (await read(blocking, *AGENT)).data["approval"]
    reply = await blocking.ask("POST", f"/v1/approvals/{approval}", body)
    assert reply.status == 400 and said in reply.message
    assert len(await waiting(blocking)) == 1


async def test_after_five_minutes_it_must_be_asked_again(
    blocking: RunningGateway, clock: VirtualClock
) -> None:
    approval = (await read(blocking, *AGENT)).data["approval"]
    clock.advance(VALID_S + 1)
    assert (await decide(blocking, approval)).code == "APPROVAL_NOT_FOUND"
    again = (await read(blocking, *AGENT)).data
    assert again["text"] is None and again["approval"] != approval


async def test_the_log_has_ids_names_and_outcomes_but_no_question(
    blocking: RunningGateway, clock: VirtualClock
) -> None:
    async with asyncio.TaskGroup() as group:
        recording = group.create_task(blocking.tool_gateway.run())
        first, second, third = [
            (await read(blocking, *AGENT, **change)).data["approval"]
            for change in ({}, {"raw": 1}, {"from": 3})
        ]
        await decide(blocking, first)
        await decide(blocking, second, release=False)
        await clock.wait_for_sleepers()
        clock.advance(VALID_S + RECORD_EVERY_S)
        await clock.wait_for_sleepers()  # it sleeps again: this round is recorded
        recording.cancel()
    common = {"agent": "work", "chat": "direct", "tool": "notes"}
    requested = [(one["approval_id"], one["withheld"]) for one in facts(blocking)[:3]]
    assert requested == [(first, 1), (second, 1), (third, 1)]
    decided = facts(blocking)[3:]
    assert [(one["approval_id"], one["outcome"]) for one in decided] == [
        (first, "released"),
        (second, "refused"),
        (third, "expired"),
    ]
    assert all(one.items() >= common.items() for one in facts(blocking))
    log = "".join(path.read_text() for path in Path(blocking.home.events).glob("*.ndjson"))
    assert DIARY not in log and SECRET not in log


async def test_nothing_is_released_that_cannot_be_recorded(
    blocking: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    approval = (await read(blocking, *AGENT)).data["approval"]
    journal = blocking.ledger.journal

    async def fail(*_: object) -> None:
        await asyncio.Event().wait()

    with monkeypatch.context() as patched:
        patched.setattr(journal, "append", fail)
        patched.setattr("ragd.gateway.fact_recorder.APPEND_WITHIN_S", 0.05)
        assert (await decide(blocking, approval)).code == "TIMEOUT"
        other = await read(blocking, *AGENT, raw=1)
        assert other.data["approval"], "a read is answered without waiting for the log"
    assert (await read(blocking, *AGENT)).data["text"] is None
    assert (await decide(blocking, approval)).status == 200


async def test_the_users_own_token_works_and_no_agent_can_use_it(blocking: RunningGateway) -> None:
    token = (await read(blocking)).data["confirm"]
    assert (await read(blocking, *AGENT, confirm=token)).data["text"] is None
    assert (await read(blocking, "X-Ragd-Assistant: 1", confirm=token)).data["text"] is None
    assert SECRET in (await read(blocking, confirm=token)).data["text"]
    assert "approval" not in (await read(blocking)).data


async def test_with_token_an_agent_gets_one_as_before(home: Home, vault: Path) -> None:
    write_config(home, security={"sensitive": "block", "confirm": "token"})
    async with run_gateway(home) as gateway:
        data = (await read(gateway, *AGENT)).data
        assert "approval" not in data
        assert SECRET in (await read(gateway, *AGENT, confirm=data["confirm"])).data["text"]
        old = (await read(gateway, *AGENT)).data["confirm"]
        write_config(home, security={"sensitive": "block"})
        assert (await gateway.ask("POST", "/v1/reload", {})).status == 200
        assert (await read(gateway, *AGENT, confirm=old)).data["text"] is None


async def test_sensitive_memories_are_not_listed_for_an_agent(
    blocking: RunningGateway,
) -> None:
    for key, value in (("bread", "I like rye bread."), ("doctor", "My therapist is Dr Rao.")):
        body = {"key": key, "value": value, "source": DIARY}
        await blocking.ask("POST", "/v1/tools/obsidian_rag_memory_store", body)
    own = (await blocking.ask("GET", "/v1/memories")).data
    assert {one["key"] for one in own["memories"]} == {"bread", "doctor"}
    listed = (await blocking.ask("GET", "/v1/memories", None, *AGENT)).data
    assert ([one["key"] for one in listed["memories"]], listed["withheld"]) == (["bread"], 1)
