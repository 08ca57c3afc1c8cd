"""The language of a question, which often has only names."""

import pytest

from ragd.search.query.query_terms import query_terms
from ragd.search.query.question_language import question_language

ENGLISH, BOTH = ("en",), ("en", "de")


@pytest.mark.parametrize(
    "question",
    [
        *("Ben", "Ben last week", "Ada Lovelace", "Dan and Ada", "Che Guevara", "Los Angeles"),
        *("hat size", "nas backup", "non-dairy milk", "come home", "KDE server", "sans serif"),
    ],
)
@pytest.mark.parametrize("notes", [(), ENGLISH, BOTH])
def test_names_and_english_words_do_not_make_a_question_foreign(
    question: str, notes: tuple[str, ...]
) -> None:
    assert question_language(question, notes) in (None, "en")


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("¿Dónde está la llave de la casa?", "es"),
        ("las llaves de la casa", "es"),
        ("quando è nata Elsie", "it"),
        ("où est Ben", "fr"),
        ("Wann war ich beim Zahnarzt?", "de"),
        ("Was war mit Ben?", "de"),
        ("Ben çok iyi", "tr"),
        ("本上周做了什么", "zh"),
        ("Где живёт Бен and who is he?", "ru"),
    ],
)
def test_a_question_in_a_language_that_no_note_has_is_recognised(question: str, code: str) -> None:
    assert question_language(question, ENGLISH) == code


def test_a_word_that_is_also_a_name_counts_if_all_notes_are_in_its_language() -> None:
    assert question_language("Ben kimim", ("tr",)) == "tr"
    assert question_language("Ben kimim", ("tr", "en")) is None
    assert question_language("Hut oder Hat", ("de",)) == "de"


def test_an_english_word_is_no_question_in_english_if_no_note_is() -> None:
    assert question_language("Will Smith", ("de",)) is None
    assert question_language("Will Smith", BOTH) == "en"
    assert question_language("Where is the key?", ("de",)) == "en"


def test_words_of_a_question_are_looked_up_in_the_form_of_its_language() -> None:
    terms = query_terms("die Rechnungen", len, "Wo sind die Rechnungen?", "de")
    assert terms.full_text_words(()) == "rechnung"
    assert query_terms("Ben", len).full_text_words(("de",)).split() == ["Ben"]
