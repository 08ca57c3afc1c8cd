"""What a search of the memory leaves out: private collections, and sensitive text and names."""

from collections.abc import Iterator
from typing import Any

import pytest

from ragd.protocol.asker import asker_headers
from tests.daemon.searches import Vault, serve_text

MAIN = asker_headers("main", "direct")
NOTES = {"Boat.md": "# Boat\n\nThe boat lies in the harbour of Stralsund.\n"}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    diary = tmp_path_factory.mktemp("diary")
    (diary / "Plan.md").write_text("The surprise is a harbour cruise.\n")
    private = {"diary": {"path": str(diary), "private": True}}
    with serve_text(NOTES, collections=private) as vault:
        yield vault


def call(vault: Vault, tool: str, headers: Any = MAIN, **arguments: Any) -> Any:
    return vault.post(f"/v1/tools/obsidian_rag_{tool}", arguments, headers=headers)


def keys(answer: Any) -> list[str]:
    return [one["key"] for one in answer.data["memories"]]


def test_facts_of_a_private_collection_are_not_found_by_an_agent(vault: Vault) -> None:
    call(vault, "memory_store", key="harbour", value="Stralsund", source="Boat.md")
    call(vault, "memory_store", key="surprise", value="harbour cruise", source="@diary/Plan.md")
    assert keys(call(vault, "memory_search")) == ["harbour"]
    assert keys(call(vault, "memory_search", query="harbour cruise")) == ["harbour"]
    assert set(keys(call(vault, "memory_search", {}))) == {"harbour", "surprise"}, "the user's own"
    assert call(vault, "memory_forget", key="surprise").data["forgotten"], "it stored this itself"


def test_facts_from_its_own_notes_are_found_by_the_agent(vault: Vault) -> None:
    call(vault, "memory_write", path="Tea.md", text="The user likes strong tea.")
    path = "@memory/main/Tea.md"
    vault.until(lambda: bool(call(vault, "memory_search", query="tea").data["notes"]))
    call(vault, "memory_store", key="tea", value="strong", source=path)
    assert "tea" in keys(call(vault, "memory_search"))
    assert "tea" not in keys(call(vault, "memory_search", asker_headers("other", "direct")))


def test_listed_facts_have_the_flags_of_found_ones(vault: Vault) -> None:
    call(vault, "memory_store", key="health", value="has a depression", source="Boat.md")
    listed = call(vault, "memory_search").data
    found = call(vault, "memory_search", query="health depression").data
    first = {one["key"]: one for one in listed["memories"]}["health"]
    assert first == {one["key"]: one for one in found["memories"]}["health"]
    assert first["ask_first"] and listed["sensitive_detected"]


def test_a_sensitive_name_is_not_listed_while_sensitive_text_is_withheld(vault: Vault) -> None:
    for path in ("My depression.md", "Boats.md"):
        call(vault, "memory_write", path=path, text="Blue.")
    names = ["@memory/main/Boats.md", "@memory/main/My depression.md"]

    def listed(headers: Any = MAIN) -> Any:
        notes = call(vault, "memory_search", headers, max_results=50).data["notes"]
        return sorted(one["source_file"] for one in notes if one["source_file"] in names)

    vault.until(lambda: listed() == names)
    vault.reload(security={"sensitive": "block"})
    answer = call(vault, "memory_search").data
    assert listed() == names[:1] and answer["sensitive_detected"] and answer["withheld"] > 0
    assert listed({}) == names, "the user's own request"
