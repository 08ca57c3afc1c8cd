"""Notes that share a passage word for word, and searches that run out of time: a real daemon."""

import time
from collections.abc import Iterator

import pytest

from ragctl.daemon.client import is_listening
from tests.daemon.processes import start_modified
from tests.daemon.searches import Vault, serve_text

TEMPLATE = "## Gratitude\n\n- What am I grateful for today?\n- What would make today great?\n"
DAYS = 150  # three times as many as are looked up at first
QUESTION = "What am I grateful for today?"


def day(number: int) -> str:
    return f"Daily/2024-{number // 28 + 1:02}-{number % 28 + 1:02}.md"


NOTES = {
    **{day(number): f"This is entry number {number}.\n\n{TEMPLATE}" for number in range(DAYS)},
    "Private/Copy.md": TEMPLATE,
    "Line.md": "The river runs past the weir and the kingfisher waits. " * 4000,  # one line
    "Kestrel one.md": "",
    "Kestrel two.md": "",
    "Shed.md": "Be grateful for the shed.\n",
}


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    with serve_text(NOTES) as vault:
        yield vault


def test_an_untouched_template_is_one_result_that_names_its_other_notes(vault: Vault) -> None:
    found = vault.search(QUESTION)
    [shared] = [one for one in found.results if one["chunk_text"] == TEMPLATE.strip()]
    assert "Shed.md" in found.files
    assert (shared["also_in_total"], shared["places"]) == (DAYS, DAYS + 1)
    assert len(shared["also_in"]) == 5
    assert set(shared["also_in"]) <= set(NOTES) - {shared["source_file"]}


def test_a_long_line_is_one_result_with_the_number_of_its_places(vault: Vault) -> None:
    found = vault.search("kingfisher at the weir")
    of_line = [one for one in found.results if one["source_file"] == "Line.md"]
    assert len(of_line) == len({one["chunk_text"] for one in of_line})
    assert max(one["places"] for one in of_line) > 50
    assert all(one["also_in"] == [] and one["also_in_total"] == 0 for one in of_line)


def test_empty_notes_are_found_by_their_names_and_are_not_equal(vault: Vault) -> None:
    found = vault.search("kestrel")
    assert set(found.files) == {"Kestrel one.md", "Kestrel two.md"}
    assert all(one["also_in"] == [] for one in found.results)


def test_the_other_notes_pass_the_filters_too(vault: Vault) -> None:
    found = vault.search(QUESTION, date_range={"from": "2024-01-01", "to": "2024-01-03"})
    [shared] = [one for one in found.results if one["chunk_text"] == TEMPLATE.strip()]
    assert {shared["source_file"], *shared["also_in"]} == {day(0), day(1), day(2)}
    assert (shared["also_in_total"], shared["places"]) == (2, 3)


def test_deleted_and_denied_notes_are_not_named(vault: Vault) -> None:
    kept = {day(0), day(1)}
    for number in range(2, DAYS):
        (vault.root / day(number)).unlink()
    vault.reload(indexing={"deny_dirs": ["Private"]})
    try:
        found = vault.search(QUESTION)
        [shared] = [one for one in found.results if one["chunk_text"] == TEMPLATE.strip()]
        assert {shared["source_file"], *shared["also_in"]} == kept
        assert (shared["also_in_total"], shared["places"]) == (1, 2)
    finally:
        vault.reload()
        for number in range(2, DAYS):
            vault.write(day(number), NOTES[day(number)])


def test_when_the_time_is_up_what_was_found_is_served(vault: Vault) -> None:
    assert vault.process is not None
    vault.process.kill()
    vault.process = start_modified(vault.home, "lancedb", "search_within=2", "deep_search_hangs")
    deadline = time.monotonic() + 60
    while not is_listening(vault.home) or vault.search_once(QUESTION).code == "STARTING":
        assert time.monotonic() < deadline
        time.sleep(0.02)
    found = vault.search_once(QUESTION)
    assert (found.status, found.envelope["status"], found.code) == (200, "degraded", "TIMEOUT")
    assert TEMPLATE.strip() in [one["chunk_text"] for one in found.results]
    assert "found until then" in found.message
    vault.reload(search={"fallback": "none", "vector_weight": 0, "text_weight": 1})
    refused = vault.search_once(QUESTION)
    assert (refused.code, refused.data) == ("TIMEOUT", None), "no part of an answer either"
