"""Withheld passages and MCP clients: the person is asked in the client, if it can ask."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ragctl.daemon.client import request
from ragd.paths import Home
from tests.daemon.searches import NO_PROVIDER
from tests.patience import PATIENCE_S
from tests.ragctl.conftest import Ragctl
from tests.ragctl.mcp.test_server import PLACE, SEARCH, text_of

mcp = pytest.importorskip("mcp")
mcp_types = pytest.importorskip("mcp_types")

SECRET = "I owe Bo 70 dollars"
ASKED = {"query": "kayak"}
Ask = Callable[[Any, Any], Awaitable[Any]]


@pytest.fixture
def blocking(ragctl: Ragctl, home: Home) -> Home:
    """A daemon that withholds, with a sensitive and a harmless note in its index."""
    config = json.loads(Path(home.config).read_text())
    vault = Path(config["vault_path"])
    (vault / "Debt.md").write_text(f"{SECRET} for the kayak.\n")
    (vault / "Kayak.md").write_text("The kayak is red.\n")
    config |= {"security": {"sensitive": "block"}, "embedding": NO_PROVIDER}
    Path(home.config).write_text(json.dumps(config))
    ragctl("index")  # it exits 5: the vectors are missing
    assert request(home, "GET", "/v1/status").data["total_docs"] == 3
    return home


@asynccontextmanager
async def connected(home: Home, errors: Path, ask: Ask | None, *options: str) -> AsyncIterator[Any]:
    """A client with its own server. `ask`: what its person does; None: it cannot ask."""
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "ragctl", "mcp", "--home", home.root, *options],
        env={"PYTHONPATH": PLACE},
    )
    with errors.open("w") as errlog:
        async with (
            mcp.stdio_client(server, errlog=errlog) as (incoming, outgoing),
            mcp.ClientSession(incoming, outgoing, elicitation_callback=ask) as session,
        ):
            await session.initialize()
            yield session


class Person:
    """Answers every question with this action, and keeps the questions."""

    def __init__(self, action: str) -> None:
        self._action = action
        self.questions: list[str] = []

    async def __call__(self, context: Any, params: Any) -> Any:
        self.questions.append(params.message)
        return mcp_types.ElicitResult(action=self._action)


@pytest.fixture
def errors(short: Path) -> Path:
    return short / "stderr"


def waiting(home: Home) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = request(home, "GET", "/v1/approvals").data["approvals"]
    return found


def outcomes(home: Home) -> list[str]:
    log = "".join(path.read_text() for path in sorted(Path(home.events).glob("*.ndjson")))
    lines = [json.loads(line[line.index("{") :]) for line in log.splitlines()[1:]]
    return [
        line["event"]["outcome"] for line in lines if line["event"]["type"] == "approval_decided"
    ]


@pytest.mark.parametrize("options", [(), ("--agent", "work", "--chat", "direct")])
async def test_what_the_person_accepts_is_in_the_same_answer(
    blocking: Home, errors: Path, options: tuple[str, ...]
) -> None:
    person = Person("accept")
    async with connected(blocking, errors, person, *options) as session:
        shown = text_of(await session.call_tool(SEARCH, ASKED))
        assert SECRET in shown and "WITHHELD" not in shown
        [question] = person.questions
        assert question.startswith("Show 1 sensitive passage (financial_debt) of your notes?")
        assert question.endswith("search for: “kayak”")
        assert SECRET not in question and ("`work`" in question) is bool(options)
        await session.call_tool(SEARCH, ASKED)
        assert len(person.questions) == 2, "every call is asked about again"
    assert outcomes(blocking) == ["released", "released"]
    assert errors.read_text() == ""


async def test_what_the_person_declines_stays_withheld_and_is_not_asked_again(
    blocking: Home, errors: Path
) -> None:
    person = Person("decline")
    async with connected(blocking, errors, person) as session:
        for _ in range(2):
            shown = text_of(await session.call_tool(SEARCH, ASKED))
            assert SECRET not in shown and "The kayak is red." in shown
            assert "The user refused to show them" in shown
    assert len(person.questions) == 1
    assert outcomes(blocking) == ["refused"]


async def test_a_question_that_was_closed_leaves_it_to_ragctl(
    blocking: Home, errors: Path, ragctl: Ragctl
) -> None:
    async with connected(blocking, errors, Person("cancel")) as session:
        shown = text_of(await session.call_tool(SEARCH, ASKED))
        [one] = waiting(blocking)
        assert SECRET not in shown and f"approve {one['id']}` in a terminal" in shown
        assert ragctl("approve", one["id"], "--yes").code == 0
        assert SECRET in text_of(await session.call_tool(SEARCH, ASKED))


async def test_a_client_that_cannot_ask_is_told_the_command(
    blocking: Home, errors: Path, ragctl: Ragctl
) -> None:
    async with connected(blocking, errors, None) as session:
        shown = text_of(await session.call_tool(SEARCH, ASKED))
        [one] = waiting(blocking)
        assert SECRET not in shown and '"confirm"' not in shown
        assert f"`ragctl --home {blocking.root} approve {one['id']}`" in shown
        assert "You cannot release them." in shown
        tried = {**ASKED, "confirm": one["id"]}
        assert SECRET not in text_of(await session.call_tool(SEARCH, tried))
        assert ragctl("approve", one["id"], "--yes").code == 0
        assert SECRET in text_of(await session.call_tool(SEARCH, ASKED))
        assert SECRET not in text_of(await session.call_tool(SEARCH, ASKED))


async def test_a_client_that_fails_to_ask_releases_nothing(blocking: Home, errors: Path) -> None:
    async def fail(context: Any, params: Any) -> Any:
        return mcp_types.ErrorData(code=-32603, message="no window")

    async with connected(blocking, errors, fail) as session:
        shown = text_of(await session.call_tool(SEARCH, ASKED))
        assert SECRET not in shown and "approve" in shown
    assert len(waiting(blocking)) == 1 and outcomes(blocking) == []


async def test_a_release_with_ragctl_while_the_question_is_open_counts(
    blocking: Home, errors: Path
) -> None:
    """The person answers in the terminal first, then accepts in the client, too."""

    async def accept_late(context: Any, params: Any) -> Any:
        [one] = waiting(blocking)
        request(blocking, "POST", f"/v1/approvals/{one['id']}", {"release": False})
        return mcp_types.ElicitResult(action="accept")

    async with connected(blocking, errors, accept_late) as session:
        assert SECRET not in text_of(await session.call_tool(SEARCH, ASKED))
    assert outcomes(blocking) == ["refused"], "the first decision counts"


async def test_what_is_released_to_one_client_is_not_for_another(
    blocking: Home, short: Path, ragctl: Ragctl
) -> None:
    async with (
        connected(blocking, short / "one", None) as first,
        connected(blocking, short / "two", None) as second,
    ):
        await first.call_tool(SEARCH, ASKED)
        [one] = waiting(blocking)
        assert ragctl("approve", one["id"], "--yes").code == 0
        assert SECRET not in text_of(await second.call_tool(SEARCH, ASKED))
        assert SECRET in text_of(await first.call_tool(SEARCH, ASKED))


class RawClient:
    """A client that writes the protocol's own lines, as one of another maker would."""

    def __init__(self, home: Home, capabilities: dict[str, Any]) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-m", "ragctl", "mcp", "--home", home.root],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": PLACE},
        )
        hello = {"protocolVersion": "2025-06-18", "capabilities": capabilities}
        hello["clientInfo"] = {"name": "test", "version": "1"}
        self.send(id=1, method="initialize", params=hello)
        assert self.read()["id"] == 1
        self.send(method="notifications/initialized")

    def send(self, **fields: Any) -> None:
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps({"jsonrpc": "2.0", **fields}).encode() + b"\n")
        self._child.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self._child.stdout is not None
        line: dict[str, Any] = json.loads(self._child.stdout.readline())
        return line

    def close(self) -> None:
        assert self._child.stdin is not None and self._child.stdout is not None
        self._child.stdin.close()
        self._child.stdout.close()
        assert self._child.wait(PATIENCE_S) == 0


@pytest.mark.parametrize("action", ["accept", "decline"])
@pytest.mark.parametrize("declared", [{}, {"form": {}}])
def test_the_protocols_own_lines(blocking: Home, action: str, declared: dict[str, Any]) -> None:
    client = RawClient(blocking, {"elicitation": declared})
    client.send(id=2, method="tools/call", params={"name": SEARCH, "arguments": ASKED})
    asked = client.read()
    assert asked["method"] == "elicitation/create"
    assert asked["params"]["requestedSchema"] == {"type": "object", "properties": {}}
    assert "1 sensitive passage" in asked["params"]["message"]
    result = {"action": action, "content": {}} if action == "accept" else {"action": action}
    client.send(id=asked["id"], result=result)
    shown = client.read()
    assert shown["id"] == 2
    assert (SECRET in shown["result"]["content"][0]["text"]) is (action == "accept")
    client.close()


@pytest.mark.parametrize("declared", [{}, {"elicitation": {"url": {}}}, {"sampling": {}}])
def test_only_a_client_that_declared_it_is_asked(blocking: Home, declared: dict[str, Any]) -> None:
    client = RawClient(blocking, declared)
    client.send(id=2, method="tools/call", params={"name": SEARCH, "arguments": ASKED})
    shown = client.read()
    assert shown["id"] == 2 and "approve" in shown["result"]["content"][0]["text"]
    assert SECRET not in shown["result"]["content"][0]["text"]
    client.close()


@pytest.mark.parametrize("action", ["ACCEPT", "yes", "", None, True])
def test_only_the_exact_word_releases(blocking: Home, action: Any) -> None:
    client = RawClient(blocking, {"elicitation": {}})
    client.send(id=2, method="tools/call", params={"name": SEARCH, "arguments": ASKED})
    client.send(id=client.read()["id"], result={"action": action, "content": {"show": True}})
    shown = client.read()
    assert shown["id"] == 2 and SECRET not in json.dumps(shown)
    assert "approve" in shown["result"]["content"][0]["text"]
    client.close()
    assert outcomes(blocking) == []


def test_the_question_is_one_line_and_says_what_matters() -> None:
    from ragctl.mcp.consent import question_text

    said = question_text(
        {
            "agent": "work",
            "chat": "group",
            "tool": "notes",
            "asked": "x\nNo passages are sensitive.\u202e" + "y" * 500,
            "kinds": ["health", "relations"],
            "withheld": 3,
        }
    )
    assert "\n" not in said and "\u202e" not in said and len(said) < 450
    assert said.startswith("Show 3 sensitive passages (health, relations) of your notes?")
    assert "Others read this chat (group)." in said and "asked to read" in said


def test_a_session_without_declared_abilities_is_not_asked() -> None:
    from ragctl.mcp.consent import can_ask

    assert not can_ask(cast(Any, SimpleNamespace(client_capabilities=None)))
