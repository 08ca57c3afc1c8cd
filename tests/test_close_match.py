"""Names that resemble a mistyped one."""

from ragd.close_match import WORD_MAX_CHARACTERS, close_matches, closest

VERBS = ("search", "status", "start", "stop", "sync")


def test_the_closest_name_comes_first() -> None:
    assert closest("serach", VERBS) == "search"
    assert close_matches("sta", VERBS, most=2) == ["start", "status"]


def test_a_word_that_resembles_nothing_has_no_match() -> None:
    assert closest("xylophone", VERBS) is None
    assert closest("search", ()) is None


def test_only_the_beginning_of_a_huge_word_is_compared() -> None:
    assert closest("x" * 5_000_000, ["x" * WORD_MAX_CHARACTERS]) == "x" * WORD_MAX_CHARACTERS
