"""A linked note takes a reserved place, with the reason: a real daemon, words only."""

from collections.abc import Iterator

import pytest

from tests.daemon.searches import Vault, serve_text

STRONG = "The telescope mirror was polished in the workshop; the telescope mirror shines."
NOTES = {
    **{f"Log/Mirror day {number}.md": f"{STRONG} Day {number}.\n" for number in range(9)},
    "Telescope mirror.md": f"# Work\n{STRONG}\n# More\nSee [[parts/Supplier|the shop]] and "
    "[[Gone]] and [[Weather]].\n",
    "parts/Supplier.md": "Glass blanks from Jena. He wants cash, and asks how the telescope is. "
    "The road is long, bring a sandwich, the dog bites, the bell is broken.\n",
    "Weather.md": "Rain all week, nothing about anything else.\n",
    "Trips.md": "---\naliases: [Journeys]\n---\nA coach to the coast. The mirror in the coach was "
    "cracked, see [[Telescope mirror]]. We ate herring, slept badly, walked home, sang songs.\n",
    "Private/Secret.md": "The mirror of [[Telescope mirror]] is hidden.\n",
}


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_text(NOTES, indexing={"deny_dirs": ["Private"]}) as vault:
        yield vault


def test_a_linked_note_takes_the_last_of_five_places_and_says_why(vault: Vault) -> None:
    found = vault.search("telescope mirror", max_results=5)
    assert found.files[0] == "Telescope mirror.md"
    assert len(found.results) == 5
    assert [one["via"] for one in found.results[:4]] == [None] * 4
    last = found.results[4]
    assert (last["source_file"], last["via"]) in [
        ("parts/Supplier.md", "linked from “Telescope mirror”"),
        ("Trips.md", "links to “Telescope mirror”"),
    ]


def test_what_has_nothing_to_do_with_the_question_gets_no_place(vault: Vault) -> None:
    found = vault.search("telescope mirror", max_results=20)
    assert "Weather.md" not in found.files
    assert "Private/Secret.md" not in found.files


def test_a_short_list_has_no_reserved_place(vault: Vault) -> None:
    found = vault.search("telescope mirror", max_results=4)
    assert [one["via"] for one in found.results] == [None] * 4


def test_a_filter_holds_for_linked_notes(vault: Vault) -> None:
    found = vault.search("telescope mirror", max_results=5, directory_filter=["Log"])
    assert all(path.startswith("Log/") for path in found.files)
