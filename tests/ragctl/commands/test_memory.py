"""`ragctl memory`, against a real daemon: it needs no index and no model."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragctl.commands import memory
from ragctl.daemon.client import request
from ragd.paths import Home

STORE = "/v1/tools/obsidian_rag_memory_store"


@pytest.fixture
def remember(ragctl: Any, home: Home) -> Any:
    """A daemon, and a way to store a memory as an assistant would."""
    assert ragctl("start").code == 0

    def store(key: str, value: str = "I owe Sreenivas $70.") -> None:
        body = {"key": key, "value": value, "source": "note.md"}
        assert request(home, "POST", STORE, body).data["stored"]

    return store


def test_memories_are_listed_newest_first_with_their_source(ragctl: Any, remember: Any) -> None:
    remember("debt_to_sreenivas")
    remember("doorbell", "first line\nsecond line")
    result = ragctl("memory", "list")
    assert result.code == 0 and result.err == ""
    assert result.lines[:3] == ["doorbell", "  first line", "  second line"]
    assert result.lines[3].startswith("  note.md ")
    assert "debt_to_sreenivas\n  I owe Sreenivas $70.\n" in result.out
    assert result.lines[-1] == "2 memories."


def test_an_empty_list_is_not_a_failure(ragctl: Any, remember: Any) -> None:
    result = ragctl("memory", "list")
    assert (result.code, result.out) == (0, "0 memories.\n")


def test_forgetting_says_where_a_copy_may_be(ragctl: Any, remember: Any) -> None:
    remember("a/b ü?")
    result = ragctl("memory", "forget", "a/b ü?")
    assert (result.code, result.out) == (0, "Forgotten: a/b ü?\n")
    assert "copy" in result.err and "memory/obsidian-rag.md" in result.err
    assert ragctl("memory", "list").out == "0 memories.\n"


def test_a_memory_can_be_stored_by_hand(ragctl: Any, home: Home, remember: Any) -> None:
    said = ragctl("memory", "store", "bell", "It rings at $5 -x", "note.md")
    assert (said.code, said.out, said.err) == (0, "Remembered: bell\n", "")
    again = ragctl("memory", "store", "bell", "It is silent.", "note.md", "--json")
    assert again.json["data"]["stored"] is True
    assert "It is silent." in ragctl("memory", "list").out
    whole = str(Path(home.root).parent / "vault" / "note.md")
    assert ragctl("memory", "store", "bell", "It hums.", whole).code == 0
    nowhere = ragctl("memory", "store", "bell", "x", "nowhere.md")
    assert nowhere.code != 0 and "nowhere.md" in nowhere.err and nowhere.out == ""


@pytest.mark.parametrize("key", ["..", ".", "%2e", "-x"])
def test_odd_keys_can_be_forgotten(ragctl: Any, remember: Any, key: str) -> None:
    remember(key)
    assert ragctl("memory", "forget", "--", key).code == 0


def test_an_unknown_key_is_exit_6_with_the_next_command(ragctl: Any, remember: Any) -> None:
    result = ragctl("memory", "forget", "nothing")
    assert (result.code, result.out) == (6, "")
    assert "`nothing`" in result.err and "`ragctl memory list`" in result.err


def test_json_is_the_daemons_envelope(ragctl: Any, remember: Any) -> None:
    remember("debt_to_sreenivas")
    listed = ragctl("memory", "list", "--json").json
    assert list(listed) == ["status", "data", "error", "meta"]
    [memory] = listed["data"]["memories"]
    flags = ["stale", "unverified", "sensitive"]
    assert list(memory) == ["key", "value", "source", "stored_at", *flags]
    gone = ragctl("memory", "forget", "debt_to_sreenivas", "--json")
    assert gone.code == 0 and gone.json["data"]["forgotten"] is True
    absent = ragctl("memory", "forget", "debt_to_sreenivas", "--json")
    assert absent.code == 6 and absent.json["data"]["forgotten"] is False


@pytest.mark.parametrize(
    "argv",
    [
        ("forget",),
        ("list", "x"),
        ("forget", ""),
        ("lst",),
        (),
        ("forget", "a", "b"),
        ("store", "a"),
    ],
)
def test_wrong_usage_is_a_sentence(ragctl: Any, argv: tuple[str, ...]) -> None:
    result = ragctl("memory", *argv)
    assert (result.code, result.out) == (2, "")


def test_a_damaged_store_is_reported_and_nothing_is_forgotten(
    ragctl: Any, remember: Any, home: Home
) -> None:
    Path(home.memories).write_bytes(b"no database " * 99)
    result = ragctl("memory", "list")
    assert (result.code, result.out) == (1, "")
    assert "damaged" in result.err and json.dumps(home.root)[1:-1] not in result.err


def test_an_agents_note_is_written_found_shown_and_erased(ragctl: Any, remember: Any) -> None:
    said = ragctl("memory", "write", "MEMORY.md", "The user likes strong tea.")
    assert (said.code, said.out) == (0, "Written: @memory/main/MEMORY.md\n")
    more = ragctl("memory", "write", "@memory/main/MEMORY.md", "And boats.", "--append", "--json")
    assert more.json["data"]["versions"] == 1
    earlier = ragctl("memory", "earlier", "@memory/main/MEMORY.md")
    assert earlier.out == "version 1\nThe user likes strong tea.\n\n"
    assert ragctl("memory", "earlier", "MEMORY.md").out == earlier.out, "without an agent's name"
    for path in ("@memory/main/../x.md", "@memory/main", "../x.md", "@memory/nobody/MEMORY.md"):
        assert ragctl("memory", "earlier", path).code == 6
    assert ragctl("memory", "search", "strong tea").code in (0, 6), "there is no index here"
    gone = ragctl("memory", "forget", "@memory/main/MEMORY.md")
    assert (gone.code, gone.out) == (0, "Forgotten: @memory/main/MEMORY.md\n")
    assert ragctl("memory", "earlier", "@memory/main/MEMORY.md").code == 6
    assert ragctl("memory", "forget", "@memory/main/MEMORY.md").code == 6


def test_facts_are_searched_without_an_index(ragctl: Any, remember: Any) -> None:
    remember("harbour", "Stralsund")
    found = ragctl("memory", "search", "Which harbour?")
    assert found.code == 0 and "Stralsund" in found.out
    assert ragctl("memory", "search", "zeppelin").code == 6


def test_without_a_question_the_newest_notes_are_listed(
    ragctl: Any, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come without their text."""
    data = {"memories": [], "notes": [{"source_file": "@memory/main/MEMORY.md"}]}
    answer = SimpleNamespace(data=data, body=b"")
    monkeypatch.setattr(memory, "call_daemon", lambda *_, **__: answer)
    said = ragctl("memory", "search", " ")
    assert (said.code, said.out) == (0, "@memory/main/MEMORY.md\n")
