"""Marks where code was left out: they are shown, and nothing is found by them. A real daemon."""

from collections.abc import Iterator

import pytest

from tests.daemon.searches import Vault, serve_text

NOTES = {
    "Backup.md": "# Backup\nEvery night the disk is copied to the shelf.\n\n```python\n"
    "import restic\nrestic.run()\n```\n\nIt takes about an hour.\n",
    "Shelf.md": "# Shelf\nThe shelf is next to the door.\n",
}


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_text(NOTES) as vault:
        yield vault


def test_a_result_shows_where_code_was(vault: Vault) -> None:
    (found,) = vault.search("when is the disk copied").results[:1]
    assert found["chunk_text"] == (
        "# Backup\nEvery night the disk is copied to the shelf.\n\n[code: python, 2 lines]\n\n"
        "It takes about an hour."
    )
    assert found["citation"] == "Backup.md#L1-L9"
    assert found["injection_suspected"] is False


@pytest.mark.parametrize("word", ["python", "code", "lines", "restic"])
def test_no_word_of_a_mark_or_of_the_code_is_found(vault: Vault, word: str) -> None:
    assert vault.search(f'"{word}"').files == []
    assert vault.search(word).files == []
    assert "Backup.md" in vault.search(f"shelf -{word}").files


def test_the_note_itself_is_shown_with_its_code(vault: Vault) -> None:
    written = vault.get("/v1/notes?raw=1&path=Backup.md").data["text"]
    assert written == NOTES["Backup.md"].rstrip("\n")
    clean = vault.get("/v1/notes?path=Backup.md").data["text"].split("\n")
    assert clean[3:7] == ["[code: python, 2 lines]", "", "", ""]
    assert len(clean) == len(written.split("\n"))


def test_the_status_says_what_happened_to_code(vault: Vault) -> None:
    status = vault.get("/v1/status").data
    assert status["index"]["code_blocks"] == "remove"
    assert status["index"]["code_hint"] is None
    assert 0 < status["vault"]["code_percent"] < 50
