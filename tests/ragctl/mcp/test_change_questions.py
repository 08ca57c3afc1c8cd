"""Changes of the memory and MCP clients: the person is asked first, if the client can ask."""

import sys
from pathlib import Path
from typing import Any

import pytest

from ragd.paths import Home
from tests.daemon.searches import NO_PROVIDER
from tests.ragctl.conftest import Ragctl
from tests.ragctl.mcp.test_consent import Person, RawClient, connected
from tests.ragctl.mcp.test_server import PLACE, text_of

mcp = pytest.importorskip("mcp")
mcp_types = pytest.importorskip("mcp_types")

WRITE, FORGET = "obsidian_rag_memory_write", "obsidian_rag_memory_forget"
NOTE = {"path": "Tea.md", "text": "\n# Tea\nLikes it strong."}
QUESTION = (
    "Write the note “Tea.md” of the assistant's memory, replacing what it has: “# Tea” … "
    "(1 more line)?"
)


@pytest.fixture
def errors(short: Path) -> Path:
    return short / "stderr"


@pytest.fixture
def served(ragctl: Ragctl, home: Home) -> Home:
    """A running daemon that makes no vectors."""
    ragctl("config", "set", "embedding.provider", NO_PROVIDER["provider"])
    ragctl("config", "set", "embedding.base_url", NO_PROVIDER["base_url"])
    ragctl("start")
    return home


def written(home: Home) -> list[str]:
    return [path.read_text() for path in Path(home.root).rglob("Tea.md") if path.is_file()]


async def test_nothing_is_written_or_erased_unless_the_person_accepts(
    served: Home, errors: Path
) -> None:
    for action in ("decline", "cancel"):
        person = Person(action)
        async with connected(served, errors, person) as session:
            refused = await session.call_tool(WRITE, NOTE)
            assert refused.is_error and "nothing was changed" in text_of(refused)
        assert person.questions == [QUESTION] and written(served) == []
    person = Person("accept")
    async with connected(served, errors, person) as session:
        assert "Written:" in text_of(await session.call_tool(WRITE, NOTE))
        assert person.questions == [QUESTION] and written(served) == [NOTE["text"]]
    async with connected(served, errors, Person("decline")) as session:
        assert (await session.call_tool(FORGET, {"path": "Tea.md"})).is_error
        assert written(served) == [NOTE["text"]]
    async with connected(served, errors, Person("accept")) as session:
        assert "Erased" in text_of(await session.call_tool(FORGET, {"path": "Tea.md"}))
    assert written(served) == []


async def test_a_client_that_fails_to_ask_changes_nothing(served: Home, errors: Path) -> None:
    async def fail(context: Any, params: Any) -> Any:
        return mcp_types.ErrorData(code=-32603, message="no window")

    async with connected(served, errors, fail) as session:
        assert (await session.call_tool(WRITE, NOTE)).is_error
    assert written(served) == []


@pytest.mark.parametrize("action", ["ACCEPT", "yes", "", None, True])
def test_only_the_exact_word_writes(served: Home, action: Any) -> None:
    client = RawClient(served, {"elicitation": {}})
    client.send(id=2, method="tools/call", params={"name": WRITE, "arguments": NOTE})
    asked = client.read()
    assert asked.get("method") == "elicitation/create"
    client.send(id=asked["id"], result={"action": action, "content": {"ok": True}})
    assert client.read()["result"]["isError"] is True
    client.close()
    assert written(served) == []


async def test_a_client_that_cannot_ask_leaves_it_to_the_host_and_the_model(
    served: Home, errors: Path
) -> None:
    async with connected(served, errors, None) as session:
        listed = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert "Written:" in text_of(await session.call_tool(WRITE, NOTE))
    for name in (WRITE, FORGET):
        assert listed[name].description.endswith("wait until they agree.")
        assert listed[name].annotations.destructive_hint is True
    async with connected(served, errors, Person("accept")) as session:
        asking = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert "wait until they agree" not in asking[WRITE].description


@pytest.mark.parametrize("action", ["accept", "decline"])
async def test_the_newest_protocol_gets_the_question_as_a_result(served: Home, action: str) -> None:
    person = Person(action)
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "ragctl", "mcp", "--home", served.root],
        env={"PYTHONPATH": PLACE},
    )
    newest = mcp_types.version.LATEST_MODERN_VERSION
    async with mcp.Client(server, mode=newest, elicitation_callback=person) as client:
        result = await client.call_tool(WRITE, NOTE)
    assert person.questions == [QUESTION]
    assert result.is_error is (action == "decline")
    assert (written(served) == [NOTE["text"]]) is (action == "accept")


def test_the_question_is_one_line_and_says_what_changes() -> None:
    from ragctl.mcp.change_questions import change_question

    long = {"path": "x" * 500, "text": "One\u202e\x1b[2J" + "y" * 500 + "\nTwo", "append": True}
    said = change_question(WRITE, long)
    assert said.startswith("Add to the note “xxx") and said.endswith("… (1 more line)?")
    hidden = ("\n", "\x1b", "\u202e")
    assert not any(character in said for character in hidden) and len(said) < 450
    assert change_question(FORGET, {"key": "tea"}) == "Erase this remembered fact for good: “tea”?"
    note = "Erase this note of the assistant's memory for good: “Tea.md”?"
    assert change_question(FORGET, {"path": "Tea.md"}) == note
