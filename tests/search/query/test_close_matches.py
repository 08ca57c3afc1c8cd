"""The notes whose names are closest to a typed name."""

from ragd.search.query.close_matches import closest_notes

KNOWN = ["Projects/Doorbell.md", "Old/doorbell.md", "Journal/2024-01-15.md", "Küche.md"]


def test_the_same_name_in_another_folder_or_case_comes_first() -> None:
    assert closest_notes("DOORBELL", KNOWN) == ["Old/doorbell.md", "Projects/Doorbell.md"]
    assert closest_notes("Journal/Doorbell.md", KNOWN)[0] == "Old/doorbell.md"


def test_a_typo_still_finds_the_note() -> None:
    assert closest_notes("Projects/Dorbell.md", KNOWN) == [
        "Old/doorbell.md",
        "Projects/Doorbell.md",
    ]
    assert closest_notes("kuche.md", KNOWN) == ["Küche.md"]


def test_a_name_unlike_any_other_has_no_match() -> None:
    assert (
        closest_notes("/etc/passwd", KNOWN)
        == closest_notes("", KNOWN)
        == closest_notes("x", [])
        == []
    )
