"""`search.fallback: "none"` in a real daemon: no vectors, no answer."""

from typing import Any

import pytest

from ragctl.daemon.client import request
from ragd.embed.providers import local_model
from ragd.protocol.asker import asker_headers
from tests.daemon.searches import NOTES, TOOL, WITHIN_S, Vault, serve_text, serve_vault

NONE: dict[str, Any] = {"search": {"fallback": "none"}}
LINKED = {"Weir.md": "# Weir\n\nBefore I go there: [[Shopping]].\n"}
needs_model = pytest.mark.skipif(
    local_model.unavailable() is not None, reason="no embedded model here"
)


def test_without_a_provider_a_search_is_refused_with_the_next_step() -> None:
    with serve_text(NOTES, **NONE) as vault:
        said = vault.search("kingfisher")
        assert (said.status, said.code, said.data) == (503, "VECTORS_REQUIRED", None)
        assert said.envelope["status"] == "unavailable"
        assert "Ollama does not respond" in said.message and "nothing was searched" in said.message
        assert "ollama serve" in said.envelope["error"]["suggestion"]
        assert "full-text search still works" not in said.envelope["error"]["suggestion"]
        for_agent = _as_agent(vault, {"query": "kingfisher"})
        assert for_agent.status == 503 and b"weir" not in for_agent.body
        assert vault.search('tag:birds "kingfisher"').data is None, "an exact phrase has words too"
        listed = vault.search("tag:birds")
        assert listed.files == ["Journal/2025/2025-03-09.md"], "a list needs no vectors"
        vault.reload(search={"fallback": "full_text"})
        found = vault.search("kingfisher")
        assert found.meta["retrieval"] == "full_text" and found.files


def test_related_notes_and_the_memory_are_no_way_around() -> None:
    """By links or words alone, they would answer with less, too."""
    with serve_text(NOTES | LINKED, **NONE) as vault:
        for tool, body in (
            ("related", {"path": "Weir.md"}),
            ("memory_search", {"query": "Where is the kingfisher?"}),
        ):
            said = vault.post(f"/v1/tools/obsidian_rag_{tool}", body)
            assert (said.status, said.code, said.data) == (503, "VECTORS_REQUIRED", None), tool
        listed = vault.post("/v1/tools/obsidian_rag_memory_search", {})
        assert listed.code != "VECTORS_REQUIRED", "a list needs no vectors"
        vault.reload(search={"fallback": "full_text"})
        related = vault.post("/v1/tools/obsidian_rag_related", {"path": "Weir.md"})
        assert [one["path"] for one in related.data["related"]] == ["Shopping.md"]


def _as_agent(vault: Vault, body: dict[str, Any]) -> Any:
    return request(vault.home, "POST", TOOL, body, WITHIN_S, asker_headers("work", "direct"))


@needs_model
def test_with_all_vectors_it_is_answered_by_meaning_and_words() -> None:
    with serve_vault(NOTES, **NONE) as vault:
        found = vault.search("which bird did I see at the river?")
        assert found.meta["retrieval"] == "hybrid"
        assert found.files[0] == "Journal/2025/2025-03-09.md"
