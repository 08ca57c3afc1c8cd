"""Words of deleted notes are not suggested for mistyped ones."""

from tests.daemon.searches import serve_text

NOTES = {
    "Secret.md": "The marzipanquilt lies in the attic.\n",
    "Open.md": "The attic is dusty, and the ladder creaks.\n",
}


def test_a_word_of_a_deleted_note_is_not_offered() -> None:
    """The words of the vault are counted every few minutes only."""
    with serve_text(NOTES) as vault:
        while not (asked := vault.search("marzipanquolt")).data["corrections"]:
            assert asked.status == 200  # until the words were counted for the first time
        assert asked.data["corrections"][0]["used"] == ["marzipanquilt"]
        (vault.root / "Secret.md").unlink()
        vault.index("sync")
        assert vault.search("marzipanquolt").data["corrections"] == []
