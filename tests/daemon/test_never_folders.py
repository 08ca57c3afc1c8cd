"""POST /v1/folders: a folder that is never indexed, with a real daemon."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragctl.daemon.client import request
from ragd.config.denied_folders import with_denied
from ragd.protocol.asker import asker_headers, assistant_headers
from tests.daemon.searches import ParsedAnswer, Vault, serve_text

NOTES = {
    "Open.md": "A heron at the weir.\n",
    "Private/Secret.md": "Another heron.\n",
    "Odd [1]/Note.md": "A third heron.\n",
    "Odd 1/Note.md": "A fourth heron.\n",
}


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_text(NOTES) as vault:
        yield vault


def never(vault: Vault, folder: str, on: bool = True) -> ParsedAnswer:
    return vault.post("/v1/folders", {"folder": folder, "never": on})


def found(vault: Vault) -> set[str]:
    return set(vault.search("heron", max_results=20).files)


def test_a_denied_folder_is_found_no_more_and_comes_back(vault: Vault) -> None:
    assert found(vault) == set(NOTES)
    answer = never(vault, "Private/")
    assert answer.data["folder"] == "Private" and "Private" in answer.data["deny_dirs"]
    assert ".obsidian" in answer.data["deny_dirs"]  # the defaults stay
    assert found(vault) == set(NOTES) - {"Private/Secret.md"}
    assert "Private" in vault.get("/v1/folders").data["deny_dirs"]
    assert never(vault, "private").data["deny_dirs"].count("private") == 1  # not listed twice
    assert "Private" not in never(vault, "Private", False).data["deny_dirs"]
    vault.until(lambda: found(vault) == set(NOTES))  # a sync starts by itself


def test_a_name_with_brackets_is_no_pattern(vault: Vault) -> None:
    try:
        never(vault, "Odd [1]")
        vault.until(lambda: found(vault) == set(NOTES) - {"Odd [1]/Note.md"})
    finally:
        never(vault, "Odd [1]", False)
        vault.until(lambda: found(vault) == set(NOTES))


def test_the_rest_of_the_file_stays_as_it_was(vault: Vault) -> None:
    before = json.loads(Path(vault.home.config).read_text())
    mode = Path(vault.home.config).stat().st_mode
    never(vault, "Nowhere")
    never(vault, "Nowhere", False)
    after = json.loads(Path(vault.home.config).read_text())
    assert {**after, "indexing": None} == {**before, "indexing": None}
    assert Path(vault.home.config).stat().st_mode == mode


@pytest.mark.parametrize("folder", ["../x", "/etc", "", ".", "a/../../b", "%2e%2e/x"])
def test_a_path_outside_the_vault_is_refused(vault: Vault, folder: str) -> None:
    before = Path(vault.home.config).read_bytes()
    assert never(vault, folder).status in (400, 403)
    assert Path(vault.home.config).read_bytes() == before


def test_only_a_person_may_do_it(vault: Vault) -> None:
    body = {"folder": "Private", "never": True}
    for headers in (asker_headers("main", "direct"), assistant_headers(None, None, "one")):
        assert request(vault.home, "POST", "/v1/folders", body, headers=headers).status == 403
    vault.until(lambda: "Private/Secret.md" in found(vault))


def test_entries_of_other_folders_stay() -> None:
    settings = with_denied({"indexing": {"deny_dirs": ["A", "b/C*"], "x": 1}}, "New", never=True)
    assert settings["indexing"] == {"deny_dirs": ["A", "b/C*", "New"], "x": 1}
    less = with_denied(settings, "a/", never=False)
    assert less["indexing"] == {"deny_dirs": ["b/C*", "New"], "x": 1}
