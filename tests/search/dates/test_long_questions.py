"""Times are read at the beginning of a question; a long one takes no longer than its length."""

from datetime import date

import pytest

from ragd.search.dates import birthday_owners, find_time, named_events
from ragd.search.dates.time_phrases import MOST_CHARACTERS

TODAY = date(2026, 11, 19)
LONG = 100_000  # characters


@pytest.mark.parametrize(
    "piece",
    [
        *("5 de mayo ", "in May ", "hace tres días ", "el 5 de mayo ", "maandag ", "yesterday "),
        *("3日前", "先週", "5月2日", "вчера ", "с марта ", "the last week of May ", "“", "„", '"a'),
        *("a ", "my birthday ", "two days before the marathon ", "2024-05-01 ", "l'été dernier "),
        *(
            "entre marzo y ",
            "desde ",
            "двадцать ",
            "二十",
            "何",
            "wat ",
            "  ",
            "a'",
            "\0",
            "-",
            "é",
        ),
    ],
)
def test_a_question_that_repeats_a_time_is_read_within_the_time_out(piece: str) -> None:
    question = (f"¿Qué hice en {piece}" + piece * LONG)[:LONG]
    found = find_time(question, TODAY)
    assert "".join(found.rest.split()).endswith("".join(question[MOST_CHARACTERS:].split()))
    assert birthday_owners(question) in ([], ["my"])
    assert len(named_events(question)) <= LONG


def test_only_the_beginning_of_a_question_is_read_and_the_end_stays() -> None:
    words = "What did I cook for Ben and Mia, "
    late = words * 100 + "last week"
    assert find_time(late, TODAY).phrases == ()
    assert find_time(late, TODAY).rest == late
    early = "Last week " + words * 100 + "yesterday"
    found = find_time(early, TODAY)
    assert [phrase.words for phrase in found.phrases] == ["Last week"]
    assert found.rest == early.removeprefix("Last week ")


def test_a_word_that_is_cut_is_no_time() -> None:
    filler = "x " * ((MOST_CHARACTERS - 6) // 2)
    assert find_time(f"{filler}in May", TODAY).phrases
    assert find_time(f"{filler}in Mayfair", TODAY).phrases == ()


def test_a_quotation_that_begins_before_the_limit_hides_its_times() -> None:
    question = f'"in May {"x " * MOST_CHARACTERS}" last week'
    assert find_time(question, TODAY).phrases == ()
