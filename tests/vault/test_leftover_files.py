"""Temporary and backup files that programs leave."""

import pytest

from ragd.vault.leftover_files import CONFLICT, HIDDEN, PLACEHOLDER, placeholder_of, why_skipped


@pytest.mark.parametrize(
    "name",
    [
        "Note.sync-conflict-20240115-123456-ABCDEFG.md",
        "Note (Jane's conflicted copy 2024-01-15).md",
        "Note (Conflicted copy laptop 202401151230).md",
        "Note (conflicted copy 2024-01-15 123456).md",
        "Note (Case Conflict).md",
        "Note_conflict-20240115-123456.md",
        "Note_conf(1).md",
        "Note-DESKTOP-AB12CD3.md",
        "Note-LAPTOP-AB12CD3-2.md",
    ],
)
def test_conflict_copies_are_known(name: str) -> None:
    assert why_skipped(name) == CONFLICT


@pytest.mark.parametrize(
    "name",
    [
        "Conflict resolution.md",
        "How to solve a conflict (draft).md",
        "2024-01-15.md",
        "Note (1).md",
        "My-DESKTOP-setup.md",
        "Confirmation.md",
        "conflicted copy.md",
        "DESKTOP-PUBLISH notes.md",
    ],
)
def test_ordinary_names_are_notes(name: str) -> None:
    assert why_skipped(name) is None


def test_hidden_files_and_placeholders_are_distinguished() -> None:
    assert why_skipped(".note.md") == HIDDEN
    assert why_skipped("._note.md") == HIDDEN
    assert why_skipped(".note.md.icloud") == PLACEHOLDER
    assert placeholder_of(".note.md.icloud") == "note.md"
    assert placeholder_of("note.md.icloud") is None
    assert placeholder_of("..icloud") is None
