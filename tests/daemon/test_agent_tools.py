"""The tools of an agent's memory, and those that read on: with a real daemon."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragd.protocol.asker import asker_headers
from tests.daemon.searches import Vault, serve_vault

NOTES = {
    "Boat.md": "# Boat\n\nThe boat lies in the harbour of Stralsund. See [[Engine]].\n",
    "Engine.md": "# Engine\n\n"
    + "\n".join(f"Line {number} about the engine." for number in range(60)),
    "Crew.md": "# Crew\n\nLena and Jonas sail with me. [[Engine]] is Jonas's task.\n",
    "Secret/Plan.md": "The surprise is on Friday.\n",
}
MAIN = asker_headers("main", "direct")
OTHER = asker_headers("other", "direct")
GROUP = asker_headers("main", "group")


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_vault(NOTES) as vault:
        yield vault


def call(vault: Vault, tool: str, headers: Any = None, **arguments: Any) -> Any:
    return vault.post(f"/v1/tools/obsidian_rag_{tool}", arguments, headers=headers or MAIN)


def until_found(vault: Vault, query: str, word: str) -> None:
    """Search the memory until a note has the word."""

    def is_found() -> bool:
        notes = call(vault, "memory_search", query=query).data["notes"]
        return any(word in one["chunk_text"] for one in notes)

    vault.until(is_found)


def test_reading_on_gives_the_next_lines_and_says_how_many_follow(vault: Vault) -> None:
    first = call(vault, "read", path="Engine.md", lines=10).data
    assert (first["from"], first["to"], first["lines_after"]) == (1, 10, 52)
    second = call(vault, "read", path="Engine.md", **{"from": 11, "lines": 5}).data
    assert second["text"].splitlines()[0] == "Line 8 about the engine."
    assert call(vault, "read", path="Engine.md").data["lines_after"] == 0
    short = call(vault, "read", path="Engine.md", max_chars=200).data
    assert len(short["text"]) <= 200 and short["truncated"]
    cited = call(vault, "read", path="Engine.md#L3-L4").data
    assert (cited["from"], cited["to"]) == (3, 4)


def test_a_note_that_the_index_does_not_have_is_refused(vault: Vault) -> None:
    for path in ("../Engine.md", "/etc/passwd"):
        assert call(vault, "read", path=path).code == "SECURITY_VIOLATION"
    assert call(vault, "read", path="Nothing.md").code == "INVALID_REQUEST"
    assert call(vault, "related", path="Nothing.md").code == "INVALID_REQUEST"
    assert call(vault, "read", path="Engine.md", line=3).code == "INVALID_REQUEST"


def test_related_notes_come_with_their_reasons(vault: Vault) -> None:
    found = {
        one["path"]: one["why"] for one in call(vault, "related", path="Boat.md").data["related"]
    }
    assert "linked from “Boat”" in found["Engine.md"]
    assert any("also links to" in why for why in found["Crew.md"])
    assert "Boat.md" not in found
    back = {
        one["path"]: one["why"] for one in call(vault, "related", path="Engine.md").data["related"]
    }
    assert "links to “Engine”" in back["Boat.md"]


def test_scores_and_characters_have_limits_per_call(vault: Vault) -> None:
    whole = call(vault, "search", query="engine", max_results=3).data["results"]
    assert len(whole) > 1
    short = call(vault, "search", query="engine", max_results=3, max_chars=300).data["results"]
    assert sum(len(one["chunk_text"]) for one in short) <= 300
    assert short[-1]["truncated"] is True
    assert call(vault, "search", query="engine", min_score=1.0).data["results"] == [
        one for one in whole if one["score"] == 1.0
    ]
    meta = call(vault, "search", query="engine").meta
    assert meta["provider"] == "embedded" and meta["model"]


def test_a_note_of_an_agent_is_found_and_read_by_that_agent_alone(vault: Vault) -> None:
    path = "memory/2026-11-16.md"
    written = call(vault, "memory_write", path=path, text="The user likes strong tea.").data
    assert written["path"] == f"@memory/main/{path}"
    assert (written["created"], written["versions"]) == (True, 0)
    until_found(vault, "Which tea?", "strong tea")
    assert (
        call(vault, "read", path=f"@memory/main/{path}").data["text"]
        == "The user likes strong tea."
    )
    assert call(vault, "read", OTHER, path=f"@memory/main/{path}").code == "INVALID_REQUEST"
    assert call(vault, "memory_search", OTHER, query="Which tea?").data["notes"] == []
    results = call(vault, "search", query="Which tea?").data["results"]
    assert {one["collection"] for one in results} <= {"vault"}, "private, unless it is named"
    owner = vault.post("/v1/tools/obsidian_rag_memory_search", {"query": "Which tea?"})
    assert [one["source_file"] for one in owner.data["notes"]] == [f"@memory/main/{path}"]


def test_text_is_added_and_the_last_contents_are_kept(vault: Vault) -> None:
    for number in range(13):
        call(vault, "memory_write", path="LOG.md", text=f"Entry {number}.", append=True)
    found = call(vault, "memory_write", path="LOG.md", text="Start again.").data
    assert found["versions"] == 10
    versions = Path(vault.home.agent_note_versions) / "main" / "LOG.md"
    newest = sorted(versions.iterdir())[-1]
    assert newest.read_text().splitlines() == [f"Entry {number}." for number in range(13)]


def test_what_is_forgotten_is_in_no_file(vault: Vault) -> None:
    word = "zanzibarquokka"
    call(vault, "memory_write", path="Trip.md", text=f"The user plans {word} for spring.")
    call(vault, "memory_write", path="Trip.md", text=f"Moved {word} to autumn.")
    until_found(vault, f"plans {word}", word)
    gone = call(vault, "memory_forget", path="Trip.md").data
    assert (gone["forgotten"], gone["searchable"]) == (True, False)
    assert call(vault, "memory_forget", path="Trip.md").data["forgotten"] is False
    assert files_with(vault, word) == []
    assert call(vault, "memory_search", query=f"plans {word}").data["notes"] == []


def files_with(vault: Vault, word: str) -> list[str]:
    """The files of the home that have the word, without those of the index: its old files go after
    ten minutes (tests/store/lance/test_maintenance.py)."""
    found = []
    for path in Path(vault.home.root).rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            if path.is_file() and ".lance" not in str(path) and word.encode() in path.read_bytes():
                found.append(str(path))
    return found


def test_facts_are_listed_found_and_forgotten(vault: Vault) -> None:
    for key, value in (("harbour", "Stralsund"), ("crew", "Lena and Jonas")):
        call(vault, "memory_store", key=key, value=value, source="Boat.md")
    listed = call(vault, "memory_search").data
    assert [one["key"] for one in listed["memories"]][:2] == ["crew", "harbour"]
    assert listed["memories"][0]["stale"] is False
    found = call(vault, "memory_search", query="Where is the harbour?").data
    assert found["memories"][0]["source"] == "Boat.md"
    assert call(vault, "memory_forget", key="harbour").data["forgotten"] is True
    assert call(vault, "memory_forget", key="harbour").data["forgotten"] is False
    assert call(vault, "memory_forget").code == "INVALID_REQUEST"
    assert call(vault, "memory_forget", key="crew", path="X.md").code == "INVALID_REQUEST"


def test_in_a_group_nothing_of_the_memory_appears(vault: Vault) -> None:
    call(vault, "memory_write", path="Private.md", text="The user fears spiders.")
    call(vault, "memory_store", key="fear", value="spiders", source="Crew.md")
    until_found(vault, "What does the user fear?", "spiders")
    found = call(vault, "memory_search", GROUP, query="What does the user fear?").data
    assert found["notes"] == [] and found["memories"] == []
    listed = call(vault, "memory_search", GROUP).data
    assert listed == {"memories": [], "notes": [], "sensitive_detected": False}
    assert call(vault, "search", GROUP, query="What does the user fear?").data["memories"] == []
    assert call(vault, "read", GROUP, path="@memory/main/Private.md").code == "INVALID_REQUEST"
    assert call(vault, "memory_write", GROUP, path="A.md", text="x").code == "SECURITY_VIOLATION"
    assert call(vault, "memory_forget", GROUP, key="fear").code == "SECURITY_VIOLATION"


@pytest.mark.parametrize(
    "path",
    [
        "a.txt",
        ".hidden.md",
        "a/.b/c.md",
        "@memory/x.md",
        "../x.md",
        "/x.md",
        "a\nb.md",
        ".md",
        "CON.md",
    ],
)
def test_paths_that_no_note_may_have_are_refused(vault: Vault, path: str) -> None:
    refused = call(vault, "memory_write", path=path, text="text")
    assert refused.code in ("INVALID_REQUEST", "SECURITY_VIOLATION")


def test_an_agent_writes_into_its_own_memory_only(vault: Vault) -> None:
    refused = call(vault, "memory_write", path="@memory/other/A.md", text="text")
    assert refused.code == "INVALID_REQUEST"
    own = call(vault, "memory_write", path="@memory/main/A.md", text="text").data
    assert own["path"] == "@memory/main/A.md"
    nameless = call(vault, "memory_write", {"X-Ragd-Chat": "direct"}, path="A.md", text="text")
    assert nameless.code == "INVALID_REQUEST"
    owner = vault.post("/v1/tools/obsidian_rag_memory_write", {"path": "B.md", "text": "text"})
    assert owner.data["path"] == "@memory/main/B.md"
