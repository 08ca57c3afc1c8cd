"""GET /v1/notes/recent: the notes that changed last, with a real daemon."""

from collections.abc import Iterator
from typing import Any

import pytest

from ragctl.daemon.client import request
from ragd.protocol.asker import asker_headers, assistant_headers
from tests.daemon.searches import Vault, serve_text

NOTES = {
    "Old.md": "An old note.\n",
    "Journal/New.md": "A new note.\n",
    "Middle.md": "Between the two.\n",
    "Hidden.md": "---\nrag: false\n---\nNot in the index.\n",
    "I owe Bo 70 dollars.md": "The name of this note is sensitive.\n",
}
TIMES = {
    "Old.md": 1_700_000_000.0,
    "Middle.md": 1_710_000_000.0,
    "Journal/New.md": 1_720_000_000.5,
    "I owe Bo 70 dollars.md": 1_690_000_000.0,
}
MAIN = asker_headers("main", "direct")


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_text(NOTES, TIMES) as vault:
        yield vault


def recent(vault: Vault, query: str = "", headers: dict[str, str] | None = None) -> Any:
    return request(vault.home, "GET", f"/v1/notes/recent{query}", headers=headers or MAIN)


def paths(answer: Any) -> list[str]:
    return [one["path"] for one in answer.data["notes"]]


def test_the_notes_of_the_index_come_newest_first(vault: Vault) -> None:
    listed = recent(vault)
    assert paths(listed) == ["Journal/New.md", "Middle.md", "Old.md", "I owe Bo 70 dollars.md"]
    assert listed.data["notes"][0] == {
        "path": "Journal/New.md",
        "kind": "markdown",
        "modified": "2024-07-03T09:46:40.500000Z",
    }
    assert paths(recent(vault, "?max=2")) == ["Journal/New.md", "Middle.md"]


@pytest.mark.parametrize("query", ["?max=0", "?max=101", "?max=x", "?most=3", "?max=-1"])
def test_a_number_out_of_range_is_refused(vault: Vault, query: str) -> None:
    refused = recent(vault, query)
    assert refused.status == 400
    assert refused.envelope["error"]["code"] == "INVALID_REQUEST"


def test_a_sensitive_name_is_withheld_from_a_model_but_not_from_the_user(vault: Vault) -> None:
    vault.reload(security={"sensitive": "block"})
    try:
        for asker in (MAIN, assistant_headers(None, None, "one")):
            listed = recent(vault, headers=asker)
            assert paths(listed) == ["Journal/New.md", "Middle.md", "Old.md"]
            assert listed.data["withheld"] == 1
        own = request(vault.home, "GET", "/v1/notes/recent")
        assert "I owe Bo 70 dollars.md" in paths(own) and "withheld" not in own.data
    finally:
        vault.reload()


def test_a_note_that_the_configuration_excludes_is_not_listed(vault: Vault) -> None:
    vault.reload(indexing={"deny_dirs": ["Journal"]})
    try:
        assert paths(recent(vault))[:2] == ["Middle.md", "Old.md"]
    finally:
        vault.reload()


def test_other_collections_are_listed_by_the_access_rules_and_private_ones_never(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folders = {name: tmp_path_factory.mktemp(name) for name in ("papers", "diary")}
    for name, folder in folders.items():
        (folder / f"{name}.md").write_text(f"About {name}.\n")
    collections = {
        "papers": {"path": str(folders["papers"])},
        "diary": {"path": str(folders["diary"]), "private": True},
    }
    access = {"rules": [{"match": {"agent": "guest"}, "collections": ["vault"]}]}
    with serve_text({"a.md": "A.\n"}, collections=collections, access=access) as vault:
        assert sorted(paths(recent(vault))) == ["@papers/papers.md", "a.md"]
        assert paths(recent(vault, headers=asker_headers("guest", "direct"))) == ["a.md"]
        owner = recent(vault, headers=assistant_headers(None, None, "one"))
        assert sorted(paths(owner)) == ["@papers/papers.md", "a.md"]
