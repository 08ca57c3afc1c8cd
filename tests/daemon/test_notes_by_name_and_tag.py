"""Notes found by their tags and names, with a tool call: a real daemon."""

from collections.abc import Iterator

import pytest

from tests.daemon.searches import Vault, serve_text

LONG = "The kettle whistles while the tram waits. "
NOTES = {
    **{f"Ciphers/Cipher {number}.md": "#cryptography\n" for number in range(6)},
    "Ciphers/Enigma.md": "#cryptography\n\n# Rotors\nThe rotors turn with each letter.\n\n"
    "# Plugboard\nThe plugboard swaps pairs of letters.\n",
    "Other/Letters.md": "The plugboard swaps pairs of letters in a poem.\n",
    "dev/type_hints.md": "# Annotations\nSay what a function takes.\n",
    "dev/Testing.md": "# Type hints\nTests should have type hints, too. Type hints help.\n"
    "# More type hints\nType hints again.\n",
    "News/2024-03.md": "# Divergence\nA beam grows wider with distance; the angle is small.\n",
    "optics/Beam Divergence.md": "# Divergence\nA beam grows wider with distance; the angle is "
    "small.\n",
    "Days/2025-05-02.md": "Carried boxes in May.\n\n# Evening\n#mood\nSlept well in May.\n",
    "Days/2025-04-01.md": "Carried boxes in April.\n\n# Evening\n#mood\nSlept badly in April.\n",
    "optics/Laser.md": "---\naliases: [Light Amplifier]\n---\nBeam divergence of a laser: beam "
    "divergence is small. Beam divergence!\n",
}


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_text(NOTES) as vault:
        yield vault


def test_a_tag_belongs_to_the_whole_note(vault: Vault) -> None:
    found = vault.search("plugboard swaps letters", tags=["cryptography"])
    assert found.files[0] == "Ciphers/Enigma.md"
    assert "plugboard" in " ".join(one["chunk_text"] for one in found.results)
    assert "Other/Letters.md" not in found.files


def test_a_passage_that_carries_the_tag_comes_first(vault: Vault) -> None:
    found = vault.search("letters", tags=["cryptography"])
    texts = [one["chunk_text"] for one in found.results if one["source_file"][8:] == "Enigma.md"]
    assert len(texts) == 2 and "#cryptography" in texts[0]


def test_equal_passages_of_several_notes_are_several_results_of_a_filter(vault: Vault) -> None:
    for limit in ({"tags": ["cryptography"]}, {"directory_filter": ["Ciphers"]}):
        found = vault.search("cryptography", max_results=10, **limit)
        same = [one for one in found.results if one["chunk_text"] == "#cryptography"]
        assert len({one["source_file"] for one in same}) == len(same) == 6
        assert {one["also_in_total"] for one in same} == {0}


def test_without_a_filter_equal_passages_are_one_result(vault: Vault) -> None:
    found = vault.search("cryptography", max_results=10)
    (same,) = [one for one in found.results if one["chunk_text"] == "#cryptography"]
    assert (same["also_in_total"], same["places"]) == (5, 6)


def test_the_words_of_a_file_s_name_are_searched(vault: Vault) -> None:
    assert "dev/type_hints.md" in vault.search("hints").files


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("type hints", "dev/type_hints.md"),
        ("Type-Hints", "dev/type_hints.md"),
        ("Beam Divergence", "optics/Beam Divergence.md"),
        ("bëam divergence?", "optics/Beam Divergence.md"),
        ("light amplifier", "optics/Laser.md"),
        ("Annotations", "dev/type_hints.md"),
    ],
)
def test_a_note_asked_for_by_its_exact_name_is_first(
    vault: Vault, question: str, note: str
) -> None:
    found = vault.search(question)
    assert found.files[0] == note
    assert found.results[0]["score"] >= 0.5


def test_a_filter_may_leave_out_the_note_of_that_name(vault: Vault) -> None:
    found = vault.search("type hints", directory_filter=["optics"])
    assert "dev/type_hints.md" not in found.files
    assert vault.search("beam divergence", directory_filter=["News"]).files == ["News/2024-03.md"]


def test_a_copy_does_not_hide_the_note_that_is_asked_for(vault: Vault) -> None:
    first = vault.search("beam divergence").results[0]
    assert first["source_file"] == "optics/Beam Divergence.md"
    assert first["also_in"] == ["News/2024-03.md"]


def test_a_list_by_date_has_the_passages_that_carry_the_tag_before_all_others(
    vault: Vault,
) -> None:
    found = vault.search("What happened since March 2025?", tags=["mood"], max_results=10)
    assert [one["chunk_text"].splitlines()[-1] for one in found.results] == [
        "Slept well in May.",
        "Slept badly in April.",
        "Carried boxes in May.",
        "Carried boxes in April.",
    ]
