"""Why a passage was found, and why a note was not: POST /v1/explain, with a real daemon."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragctl.daemon.client import request
from ragd.embed.providers import local_model
from ragd.protocol.asker import asker_headers
from tests.daemon.searches import ParsedAnswer, Vault, serve_text, serve_vault

pytestmark = [
    pytest.mark.skipif(local_model.unavailable() is not None, reason="no embedded model here"),
]

SAME = "The boat shed key hangs behind the green door.\n"
NOTES = {
    "Projects/Doorbell.md": "---\ntags: [electronics]\n---\n# Doorbell\n\nSolder the board.\n",
    "Journal/2024-02-01.md": "I owe Sreenivas 120 dollars for the tickets to Hampi.\n",
    "Journal/2025-03-09.md": "I owe Sreenivas 40 dollars for the tickets to Hampi.\n",
    "Birds.md": "A kingfisher is back at the weir.\n",
    "Shed.md": SAME,
    "Copy of Shed.md": SAME,
    "Plans/Board.md": "A board of directors meets.\n",
    "Old/Board.md": "A board to skate on.\n",
    "Hidden.md": "---\nrag: false\n---\nSolder the board secretly.\n",
    "Broken.md": "---\ntitle: x\n---\nThe vicar.\n",
    **{f"Filler/{n}.md": f"The board number {n} was soldered by hand.\n" for n in range(40)},
}
QUESTION = "when do I solder the board?"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    diary: Path = tmp_path_factory.mktemp("diary")
    (diary / "Secret.md").write_text("I solder a board at night.\n")
    private = {"diary": {"path": str(diary), "private": True}}
    with serve_vault(NOTES, collections=private) as vault:
        yield vault


def explain(vault: Vault, query: str, expect: str = "", **more: Any) -> ParsedAnswer:
    return vault.post("/v1/explain", {"query": query, "expect": expect, **more})


def expected(vault: Vault, query: str, expect: str, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = explain(vault, query, expect, **more).data["expected"]
    return found


def test_each_result_says_in_words_what_decided_its_place(vault: Vault) -> None:
    best = explain(vault, QUESTION).results[0]
    told, numbers = best["explanation"], best["evidence"]
    assert told["matched"] == ["solder", "board"] and told["missing"] == []
    assert f"cosine {numbers['cosine']:.2f}" in told["sentences"][0]
    assert told["sentences"][1].endswith("it has “solder” and “board”.")
    assert told["sentences"][-1].endswith("place 1 of all candidates.")
    assert numbers["place"] == 1


def test_the_parts_add_up_to_the_weight(vault: Vault) -> None:
    found = explain(vault, "how much do I owe Sreenivas in 2024?", max_results=4).results
    assert len(found) > 1
    for one in found:
        total = sum(one["explanation"]["parts"].values())
        assert total == pytest.approx(one["evidence"]["weight"], abs=0.001)


def test_words_that_a_passage_lacks_are_named(vault: Vault) -> None:
    told = explain(vault, "kingfisher on the moon").results[0]["explanation"]
    assert told["matched"] == ["kingfisher"] and told["missing"] == ["moon"]


def test_a_time_in_and_outside_the_named_one_is_told(vault: Vault) -> None:
    found = explain(vault, "what did I owe in March 2025?", max_results=20).results
    told = {one["source_file"]: one["explanation"]["sentences"] for one in found}
    inside = "Time: 2025-03-09 is in the time that the question names."
    outside = "Time: 2024-02-01 is outside the time that the question names, so it counts less."
    assert inside in told["Journal/2025-03-09.md"]
    assert outside in told["Journal/2024-02-01.md"]


def test_a_search_without_an_expected_note_says_nothing_about_one(vault: Vault) -> None:
    assert "expected" not in explain(vault, QUESTION).data
    assert "explanation" not in vault.search(QUESTION).results[0]


@pytest.mark.parametrize(
    "name", ["Doorbell", "Projects/Doorbell.md", "[[Doorbell]]", "Projects/Doorbell.md#L1-L2"]
)
def test_a_note_that_was_found_has_the_number_of_its_result(vault: Vault, name: str) -> None:
    told = expected(vault, "Doorbell board", name)
    assert (told["stage"], told["path"]) == ("found", "Projects/Doorbell.md")
    assert told["rank"] >= 1 and told["explanation"]["matched"]


def test_an_outranked_note_has_its_rank_and_what_helps(vault: Vault) -> None:
    told = expected(vault, QUESTION, "Plans/Board", max_results=2)
    assert told["stage"] == "outranked" and told["rank"] > 2
    assert f"`--max {told['rank']}`" in told["suggestion"]
    again = expected(vault, QUESTION, "Plans/Board", max_results=told["rank"])
    assert again["stage"] == "found"


@pytest.mark.parametrize(
    ("limits", "filters"),
    [
        ({"directory_filter": ["Journal"]}, ["folder Journal"]),
        ({"tags": ["electronics"]}, ["tag #electronics"]),
        ({"date_range": {"from": "2025-01-01"}}, ["days from 2025-01-01"]),
    ],
)
def test_the_filter_that_leaves_a_note_out_is_named(
    vault: Vault, limits: dict[str, Any], filters: list[str]
) -> None:
    told = expected(vault, "kingfisher", "Birds", **limits)
    assert (told["stage"], told["filters"]) == ("filtered", filters)


def test_of_several_filters_only_those_that_leave_it_out_are_named(vault: Vault) -> None:
    told = expected(vault, 'kingfisher -"weir" -folder:Journal', "Birds")
    assert (told["stage"], told["filters"]) == ("filtered", ["not phrase weir"])


def test_a_note_with_the_text_of_a_result_is_a_duplicate(vault: Vault) -> None:
    found = vault.search("boat shed key", max_results=1).results[0]
    (other,) = found["also_in"]
    told = expected(vault, "boat shed key", other, max_results=1)
    assert (told["stage"], told["rank"]) == ("duplicate", 1)


def test_a_note_about_something_else_is_below_the_floor(vault: Vault) -> None:
    told = expected(vault, "kingfisher at the weir", "Filler/7.md", max_results=1)
    assert told["stage"] == "below_floor"
    assert "relevance" in told["reason"]


def test_several_notes_with_one_name_are_listed(vault: Vault) -> None:
    told = expected(vault, QUESTION, "Board")
    assert told["stage"] == "ambiguous"
    assert told["candidates"] == ["Old/Board.md", "Plans/Board.md"]


def test_a_note_that_hides_itself_is_not_indexed(vault: Vault) -> None:
    told = expected(vault, QUESTION, "Hidden")
    assert (told["stage"], told["path"]) == ("not_indexed", "Hidden.md")
    assert "rag: false" in told["reason"]


def test_a_note_that_does_not_exist_is_not_found(vault: Vault) -> None:
    for name in (
        "Nothing like it",
        "Nothing/like it.md",
        "../etc/passwd",
        "%2e%2e/x.md",
        "@x/y.md",
    ):
        told = expected(vault, QUESTION, name)
        assert told["stage"] in ("not_found", "not_indexed"), name
        assert told["passages"] == 0


def test_a_note_that_was_not_read_yet_is_told(vault: Vault) -> None:
    note = vault.write("Fresh.md", "Solder the board again.\n")
    try:
        assert expected(vault, QUESTION, "Fresh.md")["stage"] == "not_indexed"
    finally:
        note.unlink()


def test_a_note_that_was_deleted_is_gone(vault: Vault) -> None:
    note = vault.root / "Broken.md"
    text = note.read_text()
    note.unlink()
    try:
        assert expected(vault, "vicar", "Broken")["stage"] == "gone"
    finally:
        note.write_text(text)


def test_a_private_collection_is_searched_only_by_name(vault: Vault) -> None:
    told = expected(vault, QUESTION, "Secret")
    assert (told["stage"], told["path"]) == ("private", "@diary/Secret.md")
    assert "`--collection diary`" in told["suggestion"]
    assert expected(vault, QUESTION, "Secret", collections=["diary"])["stage"] == "found"
    named = expected(vault, QUESTION, "Birds", collections=["diary"])
    assert named["stage"] == "other_collection"


def test_a_withheld_note_is_told_as_withheld(vault: Vault) -> None:
    vault.reload(security={"sensitive": "block"})
    try:
        told = expected(vault, "how much do I owe Sreenivas?", "Journal/2025-03-09.md")
        assert told["stage"] == "withheld"
    finally:
        vault.reload()


def test_a_score_below_the_request_s_limit_is_told(vault: Vault) -> None:
    told = expected(vault, "kingfisher", "Birds", min_score=1.0)
    assert told["stage"] == "beyond_limits"


def test_a_note_without_a_vector_is_told() -> None:
    with serve_text({"Birds.md": "A kingfisher.\n", "Tea.md": "Strong tea.\n"}) as vault:
        told = expected(vault, "kingfisher", "Tea")
        assert (told["stage"], told["vectors"], told["passages"]) == ("not_near", 0, 1)
        assert explain(vault, "kingfisher").results[0]["explanation"]["sentences"][0] == (
            "Meaning: not compared, because the question has no vector."
        )


def test_only_the_user_is_told_where_a_note_fell_out(vault: Vault) -> None:
    body = {"query": QUESTION, "expect": "Hidden"}
    refused = request(
        vault.home, "POST", "/v1/explain", body, headers=asker_headers("main", "direct")
    )
    assert refused.status == 403 and b"Hidden" not in refused.body


def test_a_wrong_field_is_refused_by_its_name(vault: Vault) -> None:
    refused = vault.post("/v1/explain", {"query": "x", "expected": "y"})
    assert (refused.status, refused.code) == (400, "INVALID_REQUEST")
