"""Mistyped words and their corrections."""

import pytest

from ragd.search.query.typos import (
    Correction,
    Vocabulary,
    apply_corrections,
    maybe_mistyped,
    normalised,
)

WORDS = Vocabulary(
    {"kingfisher": 3, "board": 5, "bored": 1, "divergence": 2, "manana": 1, "собака": 2}
    | {"therapist": 4, "sensor": 9, "cart": 50}
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("kingfsher", ["kingfisher"]),
        ("kingfihser", ["kingfisher"]),
        ("kngfishr", ["kingfisher"]),
        ("kignfihser", ["kingfisher"]),
        ("bord", ["board", "bored"]),
        ("сабака", ["собака"]),
        ("sensro", ["sensor"]),
        ("snsro", []),
        ("xyzzyplugh", []),
        ("zensor", []),
        ("obard", ["board"]),
        ("zherapist", []),
        ("otherapist", []),
        ("hterapist", ["therapist"]),
    ],
)
def test_the_nearest_words_are_found(typed: str, meant: list[str]) -> None:
    assert WORDS.words_near(normalised(typed)) == meant


def test_only_long_words_that_no_note_has_may_be_mistyped() -> None:
    assert maybe_mistyped("Mañana: the kingfsher's Bord, 机器学习 at 12 o'clock", WORDS) == [
        "kingfsher",
        "Bord",
        "clock",
    ]


def test_function_words_of_any_language_and_words_in_capitals_are_not_mistyped() -> None:
    assert maybe_mistyped("Warum COBOL, también jeszcze when BOARDS?", WORDS) == []


def test_a_mistyped_function_word_stands_for_nothing_else() -> None:
    words = Vocabulary({"which": 900, "witch": 4, "where": 300, "wheel": 600})
    assert words.words_near("wich") == ["which"]
    assert words.words_near("wheer") == ["wheel", "where"]


def test_a_word_that_may_be_right_is_not_corrected_by_another_letter() -> None:
    words = Vocabulary({"must": 3, "mess": 2, "musst": 1, "kingfisher": 1})
    assert words.words_near("muss") == ["must", "mess"]
    assert words.words_near("muss", may_be_right=True) == ["musst"]
    assert words.words_near("kngfishr", may_be_right=True) == []


def test_words_are_replaced_in_place() -> None:
    fixes = [Correction("bord", ["board", "bored"])]
    assert apply_corrections("a bord, Xbord bord", fixes) == "a board bored, Xbord board bored"
