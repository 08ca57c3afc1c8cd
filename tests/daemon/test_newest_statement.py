"""The newest statement of a changing fact, in other words than the question."""

from datetime import datetime

import pytest

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


@pytest.mark.parametrize(("changed", "is_older"), [("2026-03-01", True), ("2026-06-01", False)])
def test_a_note_without_a_date_is_as_old_as_its_file_at_least(changed: str, is_older: bool) -> None:
    notes = {
        "People/Hana.md": "# Hana\n\nHana lives in Bern, and loves to live there.\n",
        "Journal/2026-05-02.md": "Hana lives in Graz now. We carried boxes all day long.\n",
    }
    moment = datetime.fromisoformat(changed).timestamp()
    with serve_text(notes, {"People/Hana.md": moment}) as vault:
        asked = vault.search("Where does Hana live?")
        newer, undated = sorted(asked.results, key=lambda result: result["source_file"])
        assert undated["superseded_by"] == (newer["citation"] if is_older else None)
        assert (asked.files[0] == newer["source_file"]) is is_older
