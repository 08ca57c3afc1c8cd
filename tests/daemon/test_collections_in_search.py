"""Collections and contexts in answers: a real daemon with a vault and two collections."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragctl.daemon.client import request
from ragd.protocol.asker import AGENT_HEADER, asker_headers
from tests.daemon.searches import TOOL, WITHIN_S, Vault, serve_text
from tests.daemon.wire import ask

NOTES = {
    "Journal/2024-01-15.md": "A heron at the weir.\n",
    "Lists/Shopping.md": "A heron feather for the hat.\n",
    "@todo/Later.md": "Ask about the heron.\n",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    folder = tmp_path_factory.mktemp("places")
    for name, text in (("papers", "Herons in winter.\n"), ("diary", "I dreamt of a heron.\n")):
        (folder / name / "2024").mkdir(parents=True)
        (folder / name / "2024" / "Heron.md").write_text(text)
    with serve_text(NOTES, **settings(folder)) as vault:
        yield vault


def settings(folder: Path) -> dict[str, Any]:
    return {
        "collections": {
            "papers": {"path": str(folder / "papers"), "context": "What others wrote"},
            "diary": {"path": str(folder / "diary"), "private": True},
        },
        "contexts": {"/": "All of mine", "Journal": "My days", "@diary/2024": "Written at night"},
        "access": {"rules": [{"match": {"agent": "guest"}, "collections": ["papers"]}]},
    }


def found(vault: Vault, **fields: Any) -> set[str]:
    return set(vault.search(fields.pop("query", "heron"), max_results=20, **fields).files)


def test_without_names_all_but_the_private_ones_are_searched(vault: Vault) -> None:
    assert found(vault) == {*NOTES, "@papers/2024/Heron.md"}


def test_collections_limit_a_search(vault: Vault) -> None:
    assert found(vault, collections=["papers"]) == {"@papers/2024/Heron.md"}
    assert found(vault, collections=["vault"]) == set(NOTES)
    assert found(vault, collections=["diary", "papers"]) == {
        "@diary/2024/Heron.md",
        "@papers/2024/Heron.md",
    }
    assert found(vault, query="heron collection:diary") == {"@diary/2024/Heron.md"}
    assert found(vault, query="heron -collection:vault") == {"@papers/2024/Heron.md"}
    assert found(vault, query="collection:papers") == {"@papers/2024/Heron.md"}
    assert found(vault, directory_filter=["@diary/2024"]) == {"@diary/2024/Heron.md"}
    assert found(vault, directory_filter=["@todo"]) == {"@todo/Later.md"}


def test_a_collection_in_the_question_is_one_of_the_understood_filters(vault: Vault) -> None:
    asked = vault.search("heron collection:papers")
    assert asked.data["understood"]["filters"] == ["collection papers"]


def test_an_unknown_collection_is_refused_with_the_nearest_name(vault: Vault) -> None:
    asked = vault.search("heron", collections=["paper"])
    assert (asked.status, asked.code, asked.data) == (400, "UNKNOWN_COLLECTION", None)
    assert asked.envelope["error"]["suggestion"] == "Did you mean `papers`?"


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [("paper", "Did you mean `papers`?"), ("zzz", "collection list` shows the names.")],
)
def test_a_job_for_an_unknown_collection_is_refused_and_accepts_nothing(
    vault: Vault, name: str, suggestion: str
) -> None:
    """The advice must not be to leave the name out: that accepts the deletions of all."""
    asked = vault.post("/v1/jobs", {"mode": "sync", "accept_deletions": True, "accept_in": [name]})
    assert (asked.status, asked.code) == (400, "UNKNOWN_COLLECTION")
    assert asked.message == f"There is no collection `{name}`."
    assert asked.envelope["error"]["suggestion"].endswith(suggestion)


def test_results_have_their_collection_and_the_nearest_context(vault: Vault) -> None:
    asked = vault.search("heron", collections=["vault", "papers", "diary"], max_results=20)
    about = {one["source_file"]: (one["collection"], one["context"]) for one in asked.results}
    assert about == {
        "Journal/2024-01-15.md": ("vault", "My days"),
        "Lists/Shopping.md": ("vault", "All of mine"),
        "@todo/Later.md": ("vault", "All of mine"),
        "@papers/2024/Heron.md": ("papers", "What others wrote"),
        "@diary/2024/Heron.md": ("diary", "Written at night"),
    }


def test_a_shown_note_has_them_too(vault: Vault) -> None:
    shown = vault.get("/v1/notes?path=@diary/2024/Heron.md").data
    assert (shown["collection"], shown["context"]) == ("diary", "Written at night")
    assert "dreamt" in shown["text"]


def test_a_name_alone_does_not_lead_into_a_private_collection(vault: Vault) -> None:
    assert vault.get("/v1/notes?path=Heron").data["path"] == "@papers/2024/Heron.md"


def test_the_collections_are_listed_for_each_asker(vault: Vault) -> None:
    papers = {"name": "papers", "context": "What others wrote", "private": False}
    assert vault.get("/v1/collections").data["collections"] == [
        {"name": "vault", "context": "All of mine", "private": False},
        papers,
        {"name": "diary", "context": "", "private": True},
    ]
    described = vault.get("/v1/status").data["collections"]
    assert [one["context"] for one in described] == ["All of mine", "What others wrote", ""]
    answer = request(
        vault.home, "GET", "/v1/collections", None, WITHIN_S, asker_headers("Guest", "group")
    )
    assert answer.data["collections"] == [papers]


def test_an_agent_without_any_collection_gets_nothing(vault: Vault) -> None:
    rules = {"default": "deny", "rules": []}
    vault.reload(access=rules)
    try:
        headers = asker_headers("guest")
        refused = request(vault.home, "POST", TOOL, {"query": "heron"}, WITHIN_S, headers)
        assert (refused.status, refused.envelope["error"]["code"]) == (403, "SECURITY_VIOLATION")
        status = request(vault.home, "GET", "/v1/status", None, WITHIN_S, headers).data
        assert (status["total_docs"], status["vault"], status["collections"]) == (0, None, [])
    finally:
        vault.configure()
        assert vault.post("/v1/reload", {}).status == 200


def test_a_context_is_in_use_at_once(vault: Vault) -> None:
    vault.reload(contexts={"Journal": "My nights"})
    try:
        [result] = vault.search("heron", directory_filter=["Journal"]).results
        assert result["context"] == "My nights"
    finally:
        vault.configure()
        assert vault.post("/v1/reload", {}).status == 200


async def test_headers_that_are_not_valid_are_refused(vault: Vault) -> None:
    for headers in (
        (f"{AGENT_HEADER}: a", f"{AGENT_HEADER}: b"),
        (f"{AGENT_HEADER}: %ff",),
        (f"{AGENT_HEADER}: {'a' * 201}",),
    ):
        reply = await ask(vault.home.socket, "GET", "/v1/status", None, *headers)
        assert (reply.status, reply.code) == (400, "INVALID_REQUEST")
        assert AGENT_HEADER in reply.message
