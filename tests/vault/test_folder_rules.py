"""Which folders are read."""

import pytest

from ragd.vault.folder_rules import (
    DENIED,
    HIDDEN,
    NOT_ALLOWED,
    TEMPLATES,
    FolderRules,
    template_folders,
)

DENY = (".obsidian", ".trash", "zzz-Archive", ".git", ".logseq")


@pytest.mark.parametrize(
    ("folder", "reason"),
    [
        ("Journal", None),
        ("Journal/2024", None),
        ("zzz-Archive", DENIED),
        ("Projects/zzz-Archive", DENIED),
        ("ZZZ-archive", DENIED),
        (".git", HIDDEN),
        ("Journal/.hidden", HIDDEN),
        ("zzz-Archive-not", None),
    ],
)
def test_denied_names_and_hidden_folders_are_left_out_at_any_depth(
    folder: str, reason: str | None
) -> None:
    assert FolderRules(deny=DENY).why_skipped(folder) == reason


def test_a_path_on_the_deny_list_holds_only_there() -> None:
    rules = FolderRules(deny=["Work/Private/", ".\\Old"])
    assert rules.why_skipped("Work/Private") == DENIED
    assert rules.why_skipped("Private") is None
    assert rules.why_skipped("Other/Work/Private") is None
    assert rules.why_skipped("Old") == DENIED


def test_a_pattern_on_the_deny_list_holds() -> None:
    rules = FolderRules(deny=["archive-*", "Work/20??"])
    assert rules.why_skipped("x/Archive-2020") == DENIED
    assert rules.why_skipped("Work/2020") == DENIED
    assert rules.why_skipped("Other/2020") is None


def test_composed_and_decomposed_names_are_the_same() -> None:
    assert FolderRules(deny=["Caf\u00e9"]).why_skipped("Cafe\u0301") == DENIED


def test_with_an_allow_list_only_these_folders_are_entered() -> None:
    rules = FolderRules(allow=["Journal", "Work/Notes"])
    assert rules.why_skipped("Journal") is None
    assert rules.why_skipped("Journal/2024") is None
    assert rules.why_skipped("Work") is None  # on the way
    assert rules.why_skipped("Work/Notes/Deep") is None
    assert rules.why_skipped("Work/Other") == NOT_ALLOWED
    assert rules.why_skipped("Other/Journal") == NOT_ALLOWED
    assert not rules.holds_notes("")
    assert not rules.holds_notes("Work")
    assert rules.holds_notes("Work/Notes")


@pytest.mark.parametrize(
    ("note", "permitted"),
    [
        ("Journal/a.md", True),
        ("Journal/x/y/a.md", True),
        ("Journal/.x/a.md", False),
        ("Journal/Private/a.md", False),
        ("a.md", False),
        ("Other/a.md", False),
    ],
)
def test_a_note_is_asked_about_by_its_whole_path(note: str, permitted: bool) -> None:
    rules = FolderRules(allow=["Journal"], deny=["private"])
    assert rules.permits(note) is permitted
    assert rules.permits(note) is permitted  # remembered


def test_without_lists_everything_but_the_hidden_is_permitted() -> None:
    assert FolderRules().permits("a.md")
    assert FolderRules().permits("x/y.md")
    assert not FolderRules().permits(".x/y.md")


def test_template_folders_are_read_from_obsidian_s_settings() -> None:
    found = template_folders(
        [b'{"folder": "Templates"}', b'{"templates_folder": "Meta/T", "more": [1]}']
    )
    assert found == ("Templates", "Meta/T")
    rules = FolderRules(templates=found)
    assert rules.why_skipped("Templates") == TEMPLATES
    assert rules.why_skipped("Meta") is None
    assert rules.why_skipped("Meta/T") == TEMPLATES
    assert not rules.permits("Templates/Daily.md")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"folder": 1}',
        b'{"folder": ""}',
        b'{"folder": "/"}',
        b"\xff",
        b"[" * 9999,
    ],
)
def test_broken_settings_and_the_vault_itself_are_no_template_folder(data: bytes) -> None:
    assert template_folders([data]) == ()
