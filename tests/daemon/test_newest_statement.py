"""The newest statement of a changing fact, in other words than the question."""

from tests.daemon.searches import serve_text

STREETS = {
    f"Streets/{number:03}.md": f"Hana played in the street, concert {number}.\n"
    for number in range(60)
}
NOTES = {
    **STREETS,
    "Journal/2019-03-02.md": "Hana lives at 4 Mill Street in Bern, a quiet street to live in.\n",
    "Journal/2021-09-05.md": "Hana sent a card with a new address, 17 Brewer Lane in Graz. "
    "The garden is large, the cat has found its way home twice, and the neighbours bake bread.\n",
}


def test_a_statement_is_found_by_its_subject_alone() -> None:
    """Many other passages have more words of the question than the newest one."""
    with serve_text(NOTES) as vault:
        asked = vault.search("Which street does Hana live in?")
        first, second = asked.results[:2]
        assert first["source_file"] == "Journal/2021-09-05.md"
        assert second["source_file"] == "Journal/2019-03-02.md"
        assert second["superseded_by"] == first["citation"]
