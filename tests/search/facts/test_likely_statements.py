"""Passages that probably state the asked fact: which ones, and the newest of them moves up."""

import pytest

from ragd.search.facts.likely_statements import likelihood, mark_likely_newest
from ragd.search.facts.question_subject import find_asked_fact, guess_asked_fact
from ragd.search.facts.superseding import newest_first
from ragd.search.ranking.fusion import Candidate
from ragd.search.statement_weights import statement_model


def likely(question: str, text: str, title: str = "") -> float:
    wanted = find_asked_fact(question)
    assert wanted is not None
    return likelihood(wanted, text, title)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("bruno weight?", "Bruno hopped on the scale by himself. 28.9, good boy"),
        ("How much does Deshawn owe me?", "Deshawn down to 310 bucks."),
        ("What does Netflix cost us?", "Netflix email... they want 17.99 starting this month"),
        ("What does Netflix cost us?", "Netflix 17.99/mo"),
        ("What's in the kitty?", "Kitty: 760!!! Two weddings in a row, that makes a new total"),
        ("Where does Auntie Joy live?", "Auntie Joy settled into Rosewood House, room 16."),
        ("What is Gloria's job?", "Coffee with Gloria. She runs the front office these days."),
        ("How old is Theo?", "Theo's birthday, five candles"),
        ("what do i weigh", "scale says 82.1 this morning"),
        ("what dose of amlodipine am i on", "She put the amlodipine up to 10"),
        ("Wie viel wiegt Minka?", "Minka beim Tierarzt, 4,1"),
        ("What is the status of Heron?", "Heron is stuck at the lawyer's"),
    ],
)
def test_a_subject_with_a_value_and_a_word_for_the_fact_is_likely(question: str, text: str) -> None:
    assert likely(question, text) == 1


def test_a_value_alone_is_less_likely() -> None:
    assert 0 < likely("What does a haircut at Sal's cost?", "Haircut at Sal's, 14 + tip") < 1


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How much does Deshawn owe me?", "Deshawn's cousin paid 2,300 for a truck."),
        ("bruno weight?", "Bought a 12 kg sack for Bruno."),
        ("bruno weight?", "Bruno slept on the scale"),
        ("How much do I owe Bo?", "Paid Lin 40 euros back"),
        ("What does Netflix cost us?", "Jo says we should cancel Netflix, 29.99 is too much now"),
        ("What does the gym cost?", "Gym now: 8 km on the treadmill"),
    ],
)
def test_other_passages_about_the_subject_are_not(question: str, text: str) -> None:
    assert likely(question, text) == 0


def passages(*said: tuple[str | None, str, float]) -> list[Candidate]:
    return [
        Candidate(f"{at}", f"{at}.md", text=text, date=date, weight=weight)
        for at, (date, text, weight) in enumerate(said)
    ]


def marks(question: str, ranked: list[Candidate], last_day: str = "2026-01-01") -> list[float]:
    mark_likely_newest(find_asked_fact(question), ranked, last_day)
    return [one.likely_newest for one in ranked]


DAYS = passages(
    ("2021-05-02", "Rain. Slipped Declan 250 at the mart, leaves 650. Soup.", 0.9),
    ("2021-08-22", "Handed Declan another two hundred, four fifty to go. Hay is in.", 0.9),
    ("2021-10-09", "Declan's eldest got married. A bottle of Powers, 34. Good band.", 1.0),
    (
        "2021-11-02",
        "Frost. Met Declan at the vet. Then a long walk by the river with the dog, who was sick "
        "twice on the way back, and we paid the milkman 12.",
        1.0,
    ),
)


@pytest.mark.parametrize("question", ["how much do I owe Declan?", "outstanding with Declan"])
def test_a_sentence_is_judged_without_the_rest_of_its_day(question: str) -> None:
    wanted = guess_asked_fact(question, statement_model())
    assert mark_likely_newest(wanted, DAYS, "2026-01-01", statement_model())
    newest = [one.likely_newest for one in DAYS]
    assert newest.index(max(newest)) == 1
    assert newest[2] == newest[3] == 0


def test_a_guess_calls_nothing_outdated() -> None:
    wanted = guess_asked_fact("outstanding with Declan", statement_model())
    assert wanted is not None and wanted.is_guess
    assert newest_first(wanted, DAYS) == DAYS
    assert not any(one.is_superseded for one in DAYS)


def test_words_of_a_guess_that_no_note_has_do_not_count() -> None:
    wanted = guess_asked_fact("which halls or flat is kwame in now", statement_model())
    assert wanted is not None and len(wanted.subject) > 1
    found = passages(("2024-09-14", "kwame has moved into the flat at 52 Larkspur Road", 1.0))
    assert mark_likely_newest(wanted, found, "2026-01-01", statement_model())


def test_the_newest_of_the_likely_ones_is_preferred_most() -> None:
    found = passages(
        ("2023-01-01", "Bruno at the vet, 31 kg", 1.0),
        ("2025-01-01", "Bruno at the vet, 28 kg", 0.9),
        ("2024-01-01", "Bruno at the vet, 30 kg", 0.8),
        ("2025-06-01", "Bruno chased a fox", 0.7),
    )
    assert marks("bruno weight?", found) == [0, 1, pytest.approx(0.5**0.5), 0]


def test_a_passage_without_a_date_is_as_new_as_its_file() -> None:
    found = passages(
        ("2023-01-01", "Bruno at the vet, 31 kg", 1.0),
        ("2024-01-01", "Bruno at the vet, 30 kg", 1.0),
        *((None, "Bruno at the vet, 29 kg", 0.9) for _ in range(3)),
    )
    found[2].file_day, found[3].file_day = "2023-06-01", "2025-01-01"
    assert marks("bruno weight?", found) == [0, 1, 0, 1, 1]
    without = passages(*((None, "Bruno at the vet, 29 kg", 0.9) for _ in range(2)))
    assert marks("bruno weight?", without) == [0, 0]


def test_far_and_future_passages_are_not_preferred() -> None:
    found = passages(
        ("2023-01-01", "Bruno at the vet, 31 kg", 1.0),
        ("2027-01-01", "Bruno at the vet, 28 kg", 0.9),
        ("2025-01-01", "Bruno at the vet, 27 kg", 0.4),
    )
    assert marks("bruno weight?", found) == [1, 0, 0]


def test_a_question_for_nothing_that_changes_marks_nothing() -> None:
    found = passages(("2025-01-01", "Bruno at the vet, 28 kg", 1.0))
    assert not mark_likely_newest(find_asked_fact("What did Bruno chase?"), found, "2026-01-01")
    assert not mark_likely_newest(find_asked_fact("bruno weight?"), [], "2026-01-01")
    assert not mark_likely_newest(find_asked_fact("How much did Bruno weigh?"), found, "2026-01-01")
