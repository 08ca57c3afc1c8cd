"""Questions that name a time: a real daemon, words only."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from tests.daemon.searches import Vault, serve_text

TODAY = datetime.now().astimezone().date()


def ago(days: int) -> str:
    return (TODAY - timedelta(days=days)).isoformat()


def journal(day: date | str) -> str:
    return f"Journal/{day}.md"


NOTES = {
    journal(ago(1)): "Repaired the bicycle.\n",
    journal(ago(2)): "Repaired the lamp, again.\n",
    journal(ago(9)): "Repaired the bicycle, for the first time.\n",
    journal(ago(400)): "Repaired the bicycle in the rain.\n",
    journal("2024-05-12"): "Baked a cake with cherries.\n",
    journal("2024-05-30"): "Baked a cake with nuts.\n",
    journal("2024-07-03"): "Swam in the lake with the dogs.\n",
    journal("2024-02-29"): "Painted the nursery yellow.\n",
    journal("2024-03-14"): "Elsie was born at four in the morning.\n",
    "Me.md": "- Birthday: 14 May\n- Shoes: 42\n",
    "People/Nora.md": "---\nbirthday: 1990-07-05\n---\nNora plays the viola.\n",
    "People/Jutta.md": "- Geburtstag: 17. Oktober\n",
    "Old.md": "How to repair a bicycle: patience.\n",
    "Tower.md": "The tower was built in 1969, of brick.\n",
    "Towers.md": "The tower was built in 1999, of wood. The tower was a tower.\n",
    "Fresh.md": "Sharpened the axe.\n",
    "Yesterday's papers.md": "A song about yesterday and last week, with a guitar.\n",
}


FILE_DAYS = {"Old.md": 3000, "Fresh.md": 1, "Yesterday's papers.md": 3000}


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    noon = datetime.combine(TODAY, datetime.min.time()) + timedelta(hours=12)
    file_times = {
        path: (noon - timedelta(days=days)).timestamp() for path, days in FILE_DAYS.items()
    }
    with serve_text(NOTES, file_times=file_times) as vault:
        yield vault


def phrases(data: dict[str, Any]) -> list[str]:
    return [one["words"] for one in data["understood"]["time"]["phrases"]]


def test_yesterday_and_nothing_else_lists_the_notes_of_that_day(vault: Vault) -> None:
    asked = vault.search("What did I do yesterday?")
    assert asked.files == [journal(ago(1)), "Fresh.md"]
    own, weak = asked.results
    assert (own["date"], own["date_source"], own["file_date"]) == (ago(1), "note", None)
    assert (weak["date"], weak["date_source"], weak["file_date"]) == (None, "file", ago(1))
    assert asked.data["understood"]["time"] == {
        "phrases": [
            {"words": "yesterday", "days": [{"from": ago(1), "to": ago(1)}], "every_year": False}
        ],
        "listed": True,
    }


def test_the_notes_of_a_span_are_listed_newest_first(vault: Vault) -> None:
    asked = vault.search("between May and July 2024")
    days = ("2024-07-03", "2024-05-30", "2024-05-12")
    assert asked.files == [journal(day) for day in days]


def test_the_words_of_a_time_phrase_are_not_searched(vault: Vault) -> None:
    asked = vault.search("What did I repair yesterday?", max_results=20)
    assert asked.files[0] == journal(ago(1))
    assert "Yesterday's papers.md" not in asked.files
    assert phrases(asked.data) == ["yesterday"]
    assert "Yesterday's papers.md" in vault.search('a song about "yesterday"').files


def test_the_preference_fades_with_distance(vault: Vault) -> None:
    asked = vault.search("bicycle a week ago", max_results=20)
    recent = [journal(ago(9)), journal(ago(1))]
    assert asked.files[:2] == recent
    assert asked.files.index(journal(ago(400))) > 1


def test_two_days_before_a_birthday_that_a_property_gives(vault: Vault) -> None:
    asked = vault.search("What did I do with the dogs two days before Nora's birthday?")
    assert asked.files[0] == journal("2024-07-03")
    assert phrases(asked.data) == ["two days before Nora's birthday"]


def test_two_days_before_a_birthday_that_the_notes_tell(vault: Vault) -> None:
    asked = vault.search("What did I bake two days before my birthday in 2024?")
    assert asked.files[0] == journal("2024-05-12")
    assert phrases(asked.data) == ["two days before my birthday in 2024"]
    event = vault.search("What did I do three days after the cake with nuts?")
    assert phrases(event.data) == ["three days after the cake with nuts"]
    unknown = vault.search("What did I bake two days before Kavya's birthday?")
    assert unknown.data["understood"]["time"] is None


def test_a_season_and_a_question_in_other_languages(vault: Vault) -> None:
    assert vault.search("lake in the summer of 2024").files[0] == journal("2024-07-03")
    assert vault.search("Was habe ich gestern gemacht?").files[0] == journal(ago(1))
    assert vault.search("昨天我做了什么？").files[0] == journal(ago(1))


def test_a_date_filter_that_leaves_nothing_says_how_many_notes_have_no_date(vault: Vault) -> None:
    asked = vault.search("bicycle", date_range={"from": "2019-01-01", "to": "2019-01-02"})
    assert asked.files == []
    assert "8 notes have no date" in asked.data["hint"]
    assert "file's name" in asked.data["hint"] and "by_file_time" in asked.data["hint"]
    found = vault.search("bicycle", date_range={"from": ago(1)})
    assert found.files == [journal(ago(1))]
    assert "hint" not in found.data


def test_a_time_without_notes_is_reported(vault: Vault) -> None:
    asked = vault.search("What happened in October 2019?")
    assert (asked.files, asked.data["hint"]) == ([], "No note is dated in October 2019.")
    assert "hint" not in vault.search("What was built in 1969?").data


def test_a_files_time_passes_a_date_filter_only_when_it_is_asked_for(vault: Vault) -> None:
    limits: dict[str, Any] = {"date_range": {"from": ago(3001), "to": ago(2999)}}
    assert vault.search("repair bicycle", **limits).files == []
    asked = vault.search("repair bicycle", by_file_time=True, **limits)
    assert asked.files == ["Old.md"]
    assert (asked.results[0]["date_source"], asked.results[0]["file_date"]) == ("file", ago(3000))


def test_a_year_of_which_no_note_is_stays_a_word(vault: Vault) -> None:
    """It is what the notes are about, not when they were written."""
    asked = vault.search("Which tower was built in 1969?")
    assert asked.files[0] == "Tower.md"


def test_a_question_without_a_time_says_that_none_was_understood(vault: Vault) -> None:
    asked = vault.search("bicycle")
    assert asked.data["understood"]["time"] is None
    assert {one["date_source"] for one in asked.results} <= {"note", None}


# The newest statement


DEBTS = {
    journal("2024-03-09"): "Paid Sreenivas $50 of the $120. I still owe Sreenivas $70.\n",
    journal("2025-01-04"): "Settled the last $70 with Sreenivas over lunch. We are even.\n",
    journal("2025-08-16"): "He paid the garage. So I owe Sreenivas $640.\n",
    journal("2025-09-27"): "Paid Sreenivas back $200. I still owe Sreenivas $440.\n",
    journal("2025-11-08"): "Paid Sreenivas another $150 of what I owe him for the car.\n",
    journal("2025-11-29"): "The rest for Sreenivas has to wait for the salary.\n",
    journal("2025-12-01"): "I owe Meera $30 for the vet.\n",
}


@pytest.fixture
def debts() -> Iterator[Vault]:
    with serve_text(DEBTS) as vault:
        yield vault


def test_the_latest_statement_comes_first_and_the_earlier_ones_say_so(debts: Vault) -> None:
    latest = journal("2025-11-08")
    asked = debts.search("How much do I owe Sreenivas?", max_results=20)
    assert asked.files[0] == latest
    old = {one["source_file"] for one in asked.results if one["superseded_by"]}
    assert old == {journal(day) for day in ("2024-03-09", "2025-01-04", "2025-08-16", "2025-09-27")}
    newer = {one["superseded_by"] for one in asked.results if one["superseded_by"]}
    assert newer == {f"{latest}#L1-L1"}
    assert asked.data["memory_suggestion"]["source"] not in old
    then = debts.search("How much did I owe Sreenivas in September 2025?")
    assert then.files[0] == journal("2025-09-27")
    assert all(one["superseded_by"] is None for one in then.results)
    # A newer note that is gone supersedes nothing.
    (debts.root / latest).unlink()
    left = debts.search("How much do I owe Sreenivas?", max_results=20)
    assert left.files[0] == journal("2025-09-27")
    assert left.results[0]["superseded_by"] is None


def test_days_before_a_birth_are_counted_from_the_day_that_a_note_states(vault: Vault) -> None:
    asked = vault.search("Two weeks before Elsie was born")
    assert asked.files == [journal("2024-02-29")]
    born = vault.search("What happened two days after Nora was born?")
    [phrase] = born.data["understood"]["time"]["phrases"]
    assert phrase["days"] == [{"from": "1990-07-07", "to": "1990-07-07"}]


def test_an_event_that_no_note_states_is_searched_as_words_and_reported(vault: Vault) -> None:
    asked = vault.search("Who played the viola two weeks before Otto was born?")
    assert asked.files[0] == "People/Nora.md"
    assert 'No note states the day of "Otto was born"' in asked.data["hint"]
    assert "hint" not in vault.search("Who played the viola?").data


def test_a_year_around_days_that_are_counted_from_an_event_adds_no_other_days(
    vault: Vault,
) -> None:
    asked = vault.search("What did we do in 2024 two weeks before Elsie was born?")
    assert asked.files == [journal("2024-02-29")]


def test_days_before_a_birth_are_found_across_english_and_german(vault: Vault) -> None:
    assert vault.search("zwei Wochen vor Elsies Geburt").files == [journal("2024-02-29")]
    hint = vault.search("Was war zwei Wochen vor der Hochzeit?").data["hint"]
    assert 'No note states the day of "der Hochzeit"' in hint
