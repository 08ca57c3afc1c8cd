"""Searching, as a tool call sees it: a real daemon, a real index, the embedded model."""

from collections.abc import Iterator
from typing import Any

import pytest

from ragd.adapters import embedded
from tests.daemon.searches import NOTES, Vault, serving

pytestmark = [
    pytest.mark.skipif(embedded.unavailable() is not None, reason="no embedded model here"),
    pytest.mark.timeout(90),
]


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    """Indexed once; the tests here leave it as it is."""
    with serving() as vault:
        yield vault


def test_a_question_in_other_words_finds_the_note(vault: Vault) -> None:
    asked = vault.search("What do I need from the supermarket?")
    assert asked.files[0] == "Shopping.md"
    assert (asked.status, asked.code) == (200, None)
    assert asked.envelope["status"] == "healthy"
    assert asked.meta["retrieval"] == "hybrid"
    assert asked.meta["embedded_share"] == 1.0
    assert asked.meta["stale_since"] is None


def test_a_result_has_every_field_of_the_contract(vault: Vault) -> None:
    found = vault.search("when do I solder the board?", max_results=1).results[0]
    assert found["source_file"] == "Projects/Doorbell.md"
    assert 0 < found.pop("score") <= 1
    assert found.pop("tags") == ["#Electronics"]
    assert found == {
        "chunk_text": "## Plan\n\nSolder the board on Sunday.",
        "source_file": "Projects/Doorbell.md",
        "section": "Plan",
        "date": None,
        "chunk_index": 1,
        "title": "Doorbell",
        "heading_path": "Doorbell > Plan",
        "start_line": 10,
        "end_line": 12,
        "citation": "Projects/Doorbell.md#L10-L12",
        "link": "obsidian://open?vault=My%20vault&file=Projects%2FDoorbell.md",
        "trust": "untrusted-note",
        "injection_suspected": False,
        "sensitive": [],
        "stale": False,
        "unverified": False,
    }
    lines = NOTES["Projects/Doorbell.md"].splitlines()
    assert lines[9] == "## Plan" and lines[11].startswith("Solder")


@pytest.mark.parametrize(
    ("limits", "files"),
    [
        ({"directory_filter": ["Journal"]}, {p for p in NOTES if p.startswith("Journal/")}),
        ({"directory_filter": ["journal/"]}, {p for p in NOTES if p.startswith("Journal/")}),
        ({"directory_filter": ["Journal/2025"]}, {"Journal/2025/2025-03-09.md"}),
        (
            {"directory_filter": ["Journal/2025", "Ideen"]},
            {"Journal/2025/2025-03-09.md", "Ideen/Küche.md"},
        ),
        (
            {"date_range": {"from": "2024-01-15", "to": "2024-02-01"}},
            {"Journal/2024-01-15.md", "Journal/2024-02-01.md"},
        ),
        (
            {"date_range": {"from": "2024-02-01"}},
            {"Journal/2024-02-01.md", "Journal/2025/2025-03-09.md"},
        ),
        ({"date_range": {"to": "2024-01-15"}}, {"Journal/2024-01-15.md"}),
        ({"tags": ["birds"]}, {"Journal/2025/2025-03-09.md"}),
        ({"tags": ["#Birds/River"]}, {"Journal/2025/2025-03-09.md"}),
        (
            {"tags": ["electronics", "#finance"]},
            {"Projects/Doorbell.md", "Journal/2024-02-01.md"},
        ),
        ({"tags": ["bird"]}, set()),
        ({"tags": ["finance"], "directory_filter": ["Ideen"]}, set()),
    ],
)
def test_filters_let_through_what_they_say(
    vault: Vault, limits: dict[str, Any], files: set[str]
) -> None:
    query = "therapist dollars kingfisher relay board Regal bread"
    asked = vault.search(query, max_results=50, **limits)
    assert set(asked.files) <= files
    assert bool(asked.files) == bool(files)
    assert len(asked.files) <= asked.meta["chunks_scanned"]
    assert asked.meta["chunks_scanned"] >= len(files)
