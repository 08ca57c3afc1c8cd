"""Why a note is not among the results: at which step of a real search it fell out."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from ragd.events import FileChange, FileFailed, FilesChanged, FileSkipped
from ragd.protocol.tool_schemas import DateRange
from ragd.search import expected_note
from ragd.store.lance import ChunkRow, LanceStore
from ragd.store.lance.reader import TableReader
from tests.search.searched_vault import SearchedVault, passage
from tests.store.lance.drafts import identity, note

QUESTION = "kingfisher at the weir"
TAGGED = {"tags": ("#birds",), "note_tags": ("#birds",)}


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[SearchedVault]:
    """Three notes about the question, each further from it than the one before, and one is not."""
    store = LanceStore(tmp_path / "index")
    index = await store.create(identity())
    vault = SearchedVault(tmp_path, index)
    await vault.add(
        passage("Birds.md", "A kingfisher is back at the weir.", 0.9, **TAGGED),
        passage("Journal/Walk.md", "At the weir with Ila.", 0.7, date="2026-03-01"),
        passage("Journal/Rain.md", "A kingfisher in the rain.", 0.6, date="2026-04-01"),
        passage("Tea.md", "Strong tea with milk.", 0.0),
        passage("@diary/Secret.md", "I saw a kingfisher.", 0.8, collection="diary"),
    )
    yield vault
    index.close()
    store.close()


# Found, and by which name


@pytest.mark.parametrize(
    "name", ["Walk", "walk", "Journal/Walk.md", "[[Walk]]", "[[Walk|Ila]]", "Journal/Walk.md#L1-L9"]
)
async def test_a_note_that_was_found_has_the_number_of_its_result(
    vault: SearchedVault, name: str
) -> None:
    told = await vault.expect(name, QUESTION)
    assert (told.stage, told.path, told.rank) == ("found", "Journal/Walk.md", 2)
    assert told.citation == "Journal/Walk.md#L1-L9"
    assert (told.passages, told.vectors) == (1, 1)
    assert told.explanation is not UNSET and told.explanation.matched == ("weir",)


async def test_a_note_is_also_known_by_an_alias(vault: SearchedVault) -> None:
    await vault.add(passage("Notes/x1.md", "The kingfisher album.", 0.8, names=("Blue bird",)))
    assert (await vault.expect("blue bird", QUESTION)).path == "Notes/x1.md"


async def test_several_notes_with_one_name_are_listed(vault: SearchedVault) -> None:
    await vault.add(passage("Old/Walk.md", "An old walk.", 0.1))
    told = await vault.expect("Walk", QUESTION)
    assert (told.stage, told.reason) == ("ambiguous", "2 notes have this name.")
    assert told.candidates == ("Journal/Walk.md", "Old/Walk.md")
    assert told.path is None
    assert (await vault.expect("Journal/Walk.md", QUESTION)).stage == "found"


# Not in the index


async def test_each_reason_for_a_note_that_is_not_indexed_is_named(vault: SearchedVault) -> None:
    vault.record(FileSkipped(path="Hidden.md", reason="its frontmatter says `rag: false`"))
    vault.record(FileFailed(path="Broken.md", code="INTERNAL", detail="it is not text"))
    vault.record(FilesChanged(changes=[FileChange("Sub/New.md", "added")]))
    vault.file("Unread.md").write_text("Nothing has noticed it yet.")
    for name, path, reason in (
        ("Hidden", "Hidden.md", "its frontmatter says `rag: false`"),
        ("Broken.md", "Broken.md", "it is not text"),
        ("New", "Sub/New.md", "not in the index yet"),
        ("Denied/Plan.md", "Denied/Plan.md", "configuration leaves this path out"),
        ("movie.mkv", "movie.mkv", "not a kind of file"),
        ("../outside.md", "../outside.md", "configuration leaves this path out"),
        ("Unread.md", "Unread.md", "it was not read yet"),
    ):
        told = await vault.expect(name, QUESTION)
        assert (told.stage, told.path, told.passages) == ("not_indexed", path, 0), name
        assert reason in told.reason


@pytest.mark.parametrize("name", ["Nothing like it", "Nothing.md", "Journal/Nothing.md"])
async def test_a_note_that_does_not_exist_is_not_found(vault: SearchedVault, name: str) -> None:
    told = await vault.expect(name, QUESTION)
    assert (told.stage, told.path, told.passages) == ("not_found", None, 0)


# Out of scope, hidden or gone


async def test_a_note_of_another_collection_says_how_it_is_searched(vault: SearchedVault) -> None:
    told = await vault.expect("Secret", QUESTION)
    assert (told.stage, told.path) == ("private", "@diary/Secret.md")
    assert told.suggestion == "Search in it: `--collection diary`."
    assert (await vault.expect("Secret", QUESTION, ("diary",))).stage == "found"
    told = await vault.expect("Birds", QUESTION, ("diary",))
    assert (told.stage, told.path) == ("other_collection", "Birds.md")
    assert "--collection vault" in (told.suggestion or "")


async def test_a_note_that_hides_itself_now_is_not_shown_any_more(vault: SearchedVault) -> None:
    vault.record(FileSkipped(path="Birds.md", reason="it is too large"))
    told = await vault.expect("Birds", QUESTION)  # its passages are still stored
    assert (told.stage, told.passages) == ("hidden", 1)
    assert "it is too large" in told.reason


async def test_a_note_that_the_configuration_leaves_out_now_is_not_shown(
    vault: SearchedVault,
) -> None:
    await vault.add(passage("Denied/Old.md", "A kingfisher long ago.", 0.9))
    told = await vault.expect("Denied/Old.md", QUESTION)
    assert (told.stage, told.path) == ("hidden", "Denied/Old.md")
    assert "configuration leaves it out" in told.reason
    assert (await vault.expect("Rain", QUESTION, max_results=1)).rank == 3  # as before


async def test_a_note_that_was_deleted_is_gone(vault: SearchedVault) -> None:
    vault.file("Birds.md").unlink()
    told = await vault.expect("Birds", QUESTION)
    assert (told.stage, told.passages) == ("gone", 1)


# Filters


@pytest.mark.parametrize(
    ("query", "limits", "filters"),
    [
        (QUESTION, {"directory_filter": ["Journal"]}, ("folder Journal",)),
        (QUESTION, {"date_range": DateRange(start="2026-01-01")}, ("days from 2026-01-01",)),
        (f"{QUESTION} -tag:birds", {}, ("not tag #birds",)),
        (f'{QUESTION} -"is back" -folder:Journal', {}, ("not phrase is back",)),
    ],
)
async def test_the_filters_that_leave_a_note_out_are_named(
    vault: SearchedVault, query: str, limits: dict[str, Any], filters: tuple[str, ...]
) -> None:
    told = await vault.expect("Birds", query, **limits)
    assert (told.stage, told.filters) == ("filtered", filters)
    assert "; ".join(filters) in told.reason


async def test_filters_that_leave_it_out_together_are_all_named(vault: SearchedVault) -> None:
    """Each passage passes one of them, and none both."""
    await vault.add(
        note("Two.md", "A kingfisher in the reeds.", "An otter on the bank.", note_tags=("#two",))
    )
    told = await vault.expect("Two", 'kingfisher "in the reeds" "on the bank"')
    assert told.stage == "filtered"
    assert told.filters == ("phrase in the reeds", "phrase on the bank")
    assert told.suggestion == "Leave out one of the filters."


# Ranks


async def test_an_outranked_note_has_its_rank_and_what_helps(vault: SearchedVault) -> None:
    told = await vault.expect("Rain", QUESTION, max_results=1)
    assert (told.stage, told.rank) == ("outranked", 3)
    assert told.reason == "It is number 3; 1 are shown."
    assert told.suggestion == "Ask for at least 3 results: `--max 3`."
    assert told.citation == "Journal/Rain.md#L1-L9"
    assert (await vault.expect("Rain", QUESTION, max_results=3)).stage == "found"


async def test_a_note_about_something_else_is_below_the_floor(vault: SearchedVault) -> None:
    told = await vault.expect("Tea", QUESTION)
    assert (told.stage, told.rank) == ("below_floor", 4)
    assert "its relevance is 0.00, and 0.1 is needed" in told.reason


async def test_a_linked_note_takes_a_place_so_one_more_result_is_needed(
    vault: SearchedVault,
) -> None:
    await vault.add(
        passage("Birds.md", "A kingfisher is back at the weir.", 0.9, links=("Bank",)),
        passage("Bank.md", "Steep, and full of holes, just below that weir.", 0.5),
        *(passage(f"{n}.md", f"Kingfisher {n} at the weir.", 0.8 + n / 100) for n in range(3)),
    )
    answer = await vault.ask(QUESTION)
    assert answer.found[-1][1].via is not None, "the fifth place"
    told = await vault.expect("Journal/Walk.md", QUESTION)
    assert (told.stage, told.rank) == ("outranked", 6)
    assert told.suggestion == "Ask for at least 7 results: `--max 7`."
    assert (await vault.expect("Journal/Walk.md", QUESTION, max_results=7)).stage == "found"


async def test_a_note_with_the_text_of_a_result_is_shown_once(vault: SearchedVault) -> None:
    await vault.add(passage("Copy.md", "A kingfisher is back at the weir.", 0.9))
    answer = await vault.ask(QUESTION, max_results=1)
    (row, result), other = answer.found[0], answer.found[0][1].also_in
    assert {row.source_file, *other} == {"Birds.md", "Copy.md"}
    told = await vault.expect(other[0], QUESTION, max_results=1)
    assert (told.stage, told.rank) == ("duplicate", 1)
    assert told.reason == "It has the same text as result 1, which is shown once."
    assert result.citation.startswith(row.source_file)


async def test_a_duplicate_of_a_passage_that_is_not_shown_says_how_to_see_it(
    vault: SearchedVault,
) -> None:
    await vault.add(passage("Rain copy.md", "A kingfisher in the rain.", 0.6))
    first, second = ("Journal/Rain.md", "Rain copy.md")
    told = [await vault.expect(path, QUESTION, max_results=1) for path in (first, second)]
    assert sorted(one.stage for one in told) == ["duplicate", "outranked"]
    (duplicate,) = [one for one in told if one.stage == "duplicate"]
    assert duplicate.reason == "Another note has the same text, as number 3; it is shown once."
    assert duplicate.suggestion == "Ask for at least 3 results: `--max 3`."


async def test_a_note_without_a_vector_is_compared_by_its_words(vault: SearchedVault) -> None:
    await vault.add(passage("New.md", "A kingfisher, just now."))
    told = await vault.expect("New", QUESTION, max_results=1)
    assert (told.stage, told.vectors, told.passages) == ("no_vector", 0, 1)
    assert "only its words counted" in told.reason
    vault.vectors.vector = None  # then no note was compared by meaning
    assert (await vault.expect("New", QUESTION, max_results=1)).stage == "outranked"


async def test_an_older_value_of_the_same_fact_says_so(vault: SearchedVault) -> None:
    await vault.add(
        passage("2024-02-01.md", "I owe Sreenivas 120 dollars.", 0.9, date="2024-02-01"),
        passage("2025-03-09.md", "I owe Sreenivas 40 dollars.", 0.9, date="2025-03-09"),
    )
    told = await vault.expect("2024-02-01", "how much do I owe Sreenivas?", max_results=1)
    assert (told.stage, told.rank) == ("outranked", 2)
    assert "a newer passage has another value of the same fact" in told.reason


async def test_a_list_of_everything_says_that_the_note_comes_later(vault: SearchedVault) -> None:
    told = await vault.expect("Walk", "folder:Journal", max_results=1)
    assert (told.stage, told.rank) == ("outranked", None)
    assert "newest first" in told.reason
    assert (await vault.expect("Rain", "folder:Journal", max_results=1)).stage == "found"


async def test_a_linked_note_may_take_the_place_of_a_better_one(vault: SearchedVault) -> None:
    await vault.add(
        passage("Birds.md", "A kingfisher is back at the weir.", 0.9, links=("Reeds",)),
        passage("Reeds.md", "Reeds grow there.", 0.5),
        *(passage(f"More/{n}.md", f"The weir, day {n}.", 0.68) for n in range(3)),
    )
    answer = await vault.ask(QUESTION, max_results=5)
    shown = [row.source_file for row, _ in answer.found]
    assert "Reeds.md" in shown
    lost = [
        (path, told)
        for path in ("Journal/Rain.md", "Journal/Walk.md", *(f"More/{n}.md" for n in range(3)))
        if (told := await vault.expect(path, QUESTION, max_results=5)).stage != "found"
    ]
    ranks = {told.rank: told.reason for _, told in lost}
    assert "a note that is linked with the best results has a place" in ranks[5]


# Far away


@pytest.fixture
def shallow(monkeypatch: pytest.MonkeyPatch) -> None:
    """No place is looked for below the first 50 candidates."""
    monkeypatch.setattr(expected_note, "DEEPEST", 50)


async def add_crowd(vault: SearchedVault, count: int = 60) -> None:
    await vault.add(
        *(passage(f"Crowd/{n}.md", f"The weir and a kingfisher, {n}.", 0.8) for n in range(count))
    )


async def test_a_note_that_no_lookup_found_is_compared_alone(
    vault: SearchedVault, shallow: None
) -> None:
    await add_crowd(vault)
    told = await vault.expect("Tea", QUESTION)
    assert (told.stage, told.rank) == ("not_near", None)
    assert "not among the 50 nearest passages" in told.reason
    assert told.citation == "Tea.md#L1-L9"
    assert told.evidence is not UNSET and told.explanation is not UNSET
    assert list(told.evidence) == ["cosine"]  # it has no ranks
    assert told.explanation.missing == ("kingfisher", "weir")
    assert (told.explanation.parts, told.explanation.sentences) == ({}, ())


async def test_its_place_is_looked_for_deeper_and_deeper(vault: SearchedVault) -> None:
    await add_crowd(vault, 80)
    told = await vault.expect("Rain", QUESTION, max_results=1)
    assert (told.stage, told.rank) == ("outranked", 83)
    assert told.suggestion is None  # no search shows as many


async def test_a_note_with_neither_vector_nor_words_says_what_is_missing(
    vault: SearchedVault, shallow: None
) -> None:
    await vault.add(passage("Milk.md", "Two pints."))
    told = await vault.expect("Milk", QUESTION)
    assert (told.stage, told.vectors) == ("no_vector", 0)
    assert "none of the question's words" in told.reason
    vault.vectors.vector = None
    told = await vault.expect("Milk", QUESTION)
    assert (told.stage, told.reason) == ("not_near", "It has none of the question's words.")


async def test_a_passage_that_changes_meanwhile_is_gone(
    vault: SearchedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The note is stored again between the ranking and the reading of its passage."""
    read = TableReader.read_chunks

    async def read_all_but_rain(reader: TableReader, ids: Sequence[str]) -> list[ChunkRow]:
        return [row for row in await read(reader, ids) if row.source_file != "Journal/Rain.md"]

    monkeypatch.setattr(TableReader, "read_chunks", read_all_but_rain)
    told = await vault.expect("Rain", QUESTION, max_results=1)
    assert (told.stage, told.suggestion) == ("gone", "Search again.")
