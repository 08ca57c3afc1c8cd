"""One reader for all roots: which root a path belongs to, by the configuration in force."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragd.clock import SystemClock
from ragd.config.live_settings import Settings
from ragd.config.load import parse
from ragd.paths import Home
from ragd.vault.collection_paths import VAULT
from ragd.vault.files import NoteMissing
from ragd.vault.folder_rules import NAME_TAKEN
from ragd.vault.note_reader import NoteReader, VaultGone


class Reading:
    """A reader of a vault and `papers`, and its settings."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.recorded: set[str] = set()
        for root in ("vault", "papers"):
            (place / root).mkdir()
            (place / root / "n.md").write_text(f"In {root}.\n")
        self.settings = Settings(Home(str(place / "home")), self._config("papers"))
        self.notes = NoteReader(
            self.settings, SystemClock(), recorded_collections=lambda: self.recorded
        )

    def _config(self, *names: str, **more: Any) -> Any:
        listed = {name: {"path": str(self.place / name), **more} for name in names}
        values = {"vault_path": str(self.place / "vault"), "collections": listed}
        return parse(json.dumps(values).encode(), str(self.place))

    def configure(self, *names: str, **more: Any) -> None:
        self.settings.current = self._config(*names, **more)


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    return Reading(tmp_path)


def test_a_path_is_read_from_its_root(reading: Reading) -> None:
    assert reading.notes.read_bytes("n.md")[0] == b"In vault.\n"
    assert reading.notes.read_bytes("@papers/n.md")[0] == b"In papers.\n"
    with pytest.raises(NoteMissing):
        reading.notes.read_bytes("@other/n.md")


def test_a_scan_finds_notes_by_their_paths_among_all_collections(reading: Reading) -> None:
    (reading.place / "papers" / "Über.md").write_text("Not plain.\n")
    found = reading.notes.scan("papers", may_be_empty=False)
    assert {note.path for note in found.notes} == {"@papers/n.md", "@papers/Über.md"}
    assert sum(found.languages.values()) <= 2


def test_a_folder_of_the_vault_may_begin_with_the_same_sign(reading: Reading) -> None:
    folder = reading.place / "vault" / "@people"
    folder.mkdir()
    (folder / "Ann.md").write_text("Ann.\n")
    assert reading.notes.split("@people/Ann.md") == (VAULT, "@people/Ann.md")
    assert reading.notes.read_bytes("@people/Ann.md")[0] == b"Ann.\n"
    assert reading.notes.split("@vault/n.md") == (VAULT, "@vault/n.md")


def test_a_folder_of_the_vault_with_a_collections_name_is_reported(reading: Reading) -> None:
    folder = reading.place / "vault" / "@papers"
    folder.mkdir()
    (folder / "hidden.md").write_text("Hidden.\n")
    scanned = reading.notes.scan(VAULT, may_be_empty=False)
    assert [note.path for note in scanned.notes] == ["n.md"]
    assert [(one.path, one.reason) for one in scanned.skipped] == [("@papers", NAME_TAKEN)]


def test_a_change_of_the_configuration_takes_effect_at_once(reading: Reading) -> None:
    assert list(reading.notes.collections) == [VAULT, "papers"]
    assert reading.notes.includes("@papers/n.md")
    reading.configure("papers", patterns=["*.pdf"])
    assert not reading.notes.includes("@papers/n.md")
    assert reading.notes.includes("n.md")
    reading.configure()
    assert list(reading.notes.collections) == [VAULT]
    with pytest.raises(VaultGone):
        reading.notes.root("papers")


def test_notes_of_a_removed_collection_are_not_mistaken_for_notes_of_the_vault(
    reading: Reading,
) -> None:
    reading.recorded.add("papers")
    reading.configure()
    assert reading.notes.collection_of("@papers/n.md") == "papers"
    assert not reading.notes.includes("@papers/n.md")
    assert not reading.notes.includes_folder("@papers")
    assert reading.notes.stat_notes("papers", ["@papers/n.md"]) == {"@papers/n.md": None}
    assert reading.notes.kinds("papers", ["@papers/n.md"]) == {}
    reading.recorded.clear()
    assert reading.notes.includes("@papers/n.md"), "a folder of the vault now"


def test_a_lost_root_is_named(reading: Reading) -> None:
    assert reading.notes.why_gone("papers") is None
    (reading.place / "papers").rename(reading.place / "away")
    assert (reading.notes.why_gone("papers"), reading.notes.why_gone()) == ("missing", None)
    with pytest.raises(VaultGone) as gone:
        reading.notes.read_bytes("@papers/n.md")
    assert gone.value.collection == "papers"


def test_a_root_is_remembered_when_its_rules_change_and_not_when_its_folder_does(
    reading: Reading,
) -> None:
    reading.notes.scan("papers", may_be_empty=False)
    for path in (reading.place / "papers").iterdir():
        path.unlink()
    reading.configure("papers", patterns=["*.md"])
    with pytest.raises(VaultGone):
        reading.notes.verify_root("papers")


def test_chunks_name_their_collection(reading: Reading) -> None:
    found = reading.notes.read("papers", ["@papers/n.md"], {})
    assert [chunk.collection for file in found.files for chunk in file.note.chunks] == ["papers"]


def test_a_link_names_the_folder_as_obsidian_does(reading: Reading) -> None:
    assert reading.settings.folder_and_file("@papers/2024/a.md") == ("papers", "2024/a.md")
    assert reading.settings.folder_and_file("@people/a.md") == ("vault", "@people/a.md")
