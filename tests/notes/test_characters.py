"""Removing invisible characters."""

from hypothesis import given
from hypothesis import strategies as st

from ragd.notes.characters import collapse_spaces, one_line, visible


def test_line_ends_of_all_systems_become_line_feeds() -> None:
    assert visible("a\r\nb\rc\nd") == "a\nb\nc\nd"


def test_a_control_character_between_words_becomes_a_space() -> None:
    assert visible("one\x00two\x07three\x9ffour") == "one two three four"


def test_direction_overrides_and_invisible_tags_are_removed() -> None:
    assert visible("a\u202eb\u2066c\u200bd\U000e0041\ufeffe\xad") == "abcde"


def test_visible_joiners_stay() -> None:
    assert visible("👩\u200d💻 ❤\ufe0f می\u200cخواهم") == "👩\u200d💻 ❤\ufe0f می\u200cخواهم"


def test_unusual_spaces_become_spaces() -> None:
    assert visible("a\u00a0b\u3000c\u2003d\u2028e") == "a b c d e"


def test_surrogates_are_removed() -> None:
    assert visible("a\ud800b") == "ab"


def test_runs_of_spaces_are_collapsed_and_line_breaks_stay() -> None:
    assert collapse_spaces("  a \t  b  \n\n   c\t\n") == "a b\n\nc\n"


def test_a_name_is_one_short_line() -> None:
    assert one_line(" a\n b\u202e  c ", 4) == "a b"


@given(st.text())
def test_the_number_of_lines_never_changes(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    assert visible(text).count("\n") == lines
    assert collapse_spaces(visible(text)).count("\n") == lines


@given(st.text())
def test_visible_text_is_valid_and_stays_unchanged(text: str) -> None:
    seen = visible(text)
    assert visible(seen) == seen
    seen.encode()
