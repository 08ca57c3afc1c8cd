"""GET /v1/coverage: what the index has of each folder, with a real daemon."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from ragctl.daemon.client import request
from ragd.protocol.asker import asker_headers
from tests.daemon.searches import ParsedAnswer, Vault, serve_text

NOTES = {
    "Top.md": "At the top.\n",
    "Journal/2024/a.md": "One.\n",
    "Journal/2024/b.md": "Two.\n",
    "Journal/c.md": "Three.\n",
    "Hidden/h.md": "---\nrag: false\n---\nNot in the index.\n",
    "I owe Bo 70 dollars/d.md": "Four.\n",
}
TIMES = {
    "Top.md": 1_700_000_000.0,
    "Journal/2024/a.md": 1_720_000_000.5,
    "Journal/2024/b.md": 1_710_000_000.0,
    "Journal/c.md": 1_705_000_000.0,
}
MAIN = asker_headers("main", "direct")


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    folders = {name: tmp_path_factory.mktemp(name) for name in ("papers", "diary")}
    for name, folder in folders.items():
        (folder / "deep").mkdir()
        (folder / "deep" / f"{name}.md").write_text(f"About {name}.\n")
    collections = {
        "papers": {"path": str(folders["papers"])},
        "diary": {"path": str(folders["diary"]), "private": True},
    }
    access = {"rules": [{"match": {"agent": "guest"}, "collections": ["vault"]}]}
    with serve_text(NOTES, TIMES, collections=collections, access=access) as vault:
        yield vault


def covered(vault: Vault, headers: dict[str, str] | None = None, **fields: Any) -> ParsedAnswer:
    answer = request(vault.home, "GET", f"/v1/coverage?{urlencode(fields)}", headers=headers)
    return ParsedAnswer(answer.status, answer.envelope)


def rows(answer: ParsedAnswer) -> dict[str, int]:
    return {one["path"]: one["notes"] for one in answer.data["folders"]}


def names(answer: ParsedAnswer) -> list[str]:
    return [one["name"] for one in answer.data["collections"]]


def test_collections_and_their_folders_have_the_numbers_of_all_notes_below(vault: Vault) -> None:
    found = covered(vault)
    assert names(found) == ["vault", "diary", "papers"]
    assert [one["private"] for one in found.data["collections"]] == [False, True, False]
    assert rows(found) == {
        "Hidden": 0,
        "I owe Bo 70 dollars": 1,
        "Journal": 3,
        "@diary/deep": 1,
        "@papers/deep": 1,
    }
    whole = found.data["collections"][0]
    assert (whole["notes"], whole["skipped"], whole["failed"]) == (5, 1, 0)
    journal = next(one for one in found.data["folders"] if one["path"] == "Journal")
    assert journal == {
        "path": "Journal",
        "collection": "vault",
        "notes": 3,
        "passages": 3,
        "vectors": 0,
        "vectors_missing": 3,
        "vectors_never": 0,
        "failed": 0,
        "skipped": 0,
        "waiting": 0,
        "size_bytes": sum(len(NOTES[path]) for path in NOTES if path.startswith("Journal/")),
        "last_change": "2024-07-03T09:46:40.500000Z",
    }
    assert found.data["skipped"]["reasons"] == {"its frontmatter says `rag: false`": 1}


def test_the_numbers_of_all_collections_are_those_of_the_status(vault: Vault) -> None:
    status = vault.get("/v1/status").data
    found = covered(vault).data["collections"]
    assert sum(one["notes"] for one in found) == status["total_docs"]
    assert sum(one["passages"] for one in found) == status["total_chunks"]


def test_a_folder_is_found_in_any_case_with_what_is_below_it(vault: Vault) -> None:
    found = covered(vault, folder="journal/", depth=2)
    assert found.data["folder"]["path"] == "Journal"
    assert rows(found) == {"Journal/2024": 2}
    assert rows(covered(vault, folder="@papers")) == {"@papers/deep": 1}
    assert rows(covered(vault, depth=0)) == {}
    assert set(rows(covered(vault, folder="@vault", depth=9))) == {
        *("Hidden", "I owe Bo 70 dollars", "Journal", "Journal/2024"),
    }


def test_the_notes_of_a_folder_are_listed_page_by_page(vault: Vault) -> None:
    found = covered(vault, folder="Journal/2024", notes=1).data
    assert ([one["path"] for one in found["notes"]], found["more"]) == (["Journal/2024/a.md"], 1)
    after = covered(vault, folder="Journal/2024", notes=1, after="Journal/2024/a.md").data
    assert ([one["path"] for one in after["notes"]], after["more"]) == (["Journal/2024/b.md"], 0)
    hidden = covered(vault, folder="Hidden", notes=5).data["notes"]
    assert [(one["path"], one["state"]) for one in hidden] == [("Hidden/h.md", "skipped")]
    assert [one["path"] for one in covered(vault, notes=9).data["notes"]] == ["Top.md"]


def test_a_change_of_the_index_is_counted(vault: Vault) -> None:
    before = covered(vault, folder="@vault").data["folder"]["notes"]
    added = vault.write("Journal/2024/new.md", "New.\n")
    vault.index("sync")
    assert covered(vault, folder="@vault").data["folder"]["notes"] == before + 1
    added.unlink()
    vault.index("sync")
    assert covered(vault, folder="@vault").data["folder"]["notes"] == before


@pytest.mark.parametrize(
    "fields",
    [{"depth": 21}, {"depth": "x"}, {"notes": 1001}, {"notes": "-1"}, {"deep": 1}],
)
def test_a_wrong_parameter_is_refused(vault: Vault, fields: dict[str, Any]) -> None:
    assert (covered(vault, **fields).status, covered(vault, **fields).code) == (
        *(400, "INVALID_REQUEST"),
    )


def test_an_unknown_folder_and_one_outside_are_refused(vault: Vault) -> None:
    unknown = covered(vault, folder="Jurnal")
    assert unknown.code == "UNKNOWN_DIRECTORY"
    assert unknown.envelope["error"]["suggestion"] == "Did you mean `Journal`?"
    assert covered(vault, folder="../x").code == "SECURITY_VIOLATION"


def test_an_agent_sees_only_what_it_may_search(vault: Vault) -> None:
    assert names(covered(vault, MAIN)) == ["vault", "papers"]
    assert "@diary/deep" not in rows(covered(vault, MAIN))
    assert rows(covered(vault, MAIN, folder="@diary")) == {"@diary/deep": 1}  # it names it
    guest = asker_headers("guest", "direct")
    assert names(covered(vault, guest)) == ["vault"]
    for folder in ("@papers", "@diary", "@absent"):
        refused = covered(vault, guest, folder=folder)
        assert (refused.code, refused.data) == ("UNKNOWN_DIRECTORY", None)


def test_an_agent_gets_no_sensitive_name_and_no_note_that_is_left_out(vault: Vault) -> None:
    vault.reload(security={"sensitive": "block"}, indexing={"deny_dirs": ["Journal/2024"]})
    try:
        found = covered(vault, MAIN, depth=5)
        assert "I owe Bo 70 dollars" not in rows(found) and found.data["withheld"] == 1
        assert "Journal/2024" not in rows(found)
        assert covered(vault, MAIN, folder="Hidden", notes=9).data["notes"] == []
        assert "I owe Bo 70 dollars" in rows(covered(vault)) and "Journal/2024" in rows(
            covered(vault, depth=5)
        )
    finally:
        vault.reload()
