"""Words for people."""

import pytest

from ragctl.views.render import (
    Ink,
    ago,
    clean,
    clean_lines,
    counted,
    format_duration,
    format_fields,
    local_time,
    since,
)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0 s"),
        (0.9, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_725, "1 h 2 min"),
        (90_000, "1 d 1 h"),
        (86_401, "1 d 1 s"),
    ],
)
def test_a_length_of_time_has_two_units(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words


def test_a_moment_that_is_none_is_shown_as_it_is() -> None:
    assert local_time("soon") == ago("soon") == since("soon") == "soon"
    assert local_time("\x1b[2J") == "\\x1b[2J"


def test_a_moment_in_the_future_is_just_now() -> None:
    assert ago("2999-01-01T12:00:00Z").startswith("just now (2999-01-01 ")
    assert since("2999-01-01T12:00:00Z").startswith("since 2999-01-01 ")


def test_one_is_not_many() -> None:
    assert [counted(n, "note") for n in (0, 1, 3421)] == ["0 notes", "1 note", "3,421 notes"]
    assert counted(2, "crash", "crashes") == "2 crashes"


def test_nothing_a_terminal_would_obey_gets_through() -> None:
    assert clean("a\x1b[2Jb\x07\r\n\u202e\u2028") == "a\\x1b[2Jb\\x07\\r\\n\\u202e\\u2028"
    assert clean("日記 ü 🙂") == "日記 ü 🙂"
    assert clean_lines("a\nb\x1b") == "a\nb\\x1b"


def test_fields_are_short() -> None:
    shown = format_fields(
        {"n": 3, "none": None, "text": "two words", "empty": "", "many": [1, 2], "b": True}
    )
    assert shown == 'n=3 none=null text="two words" empty="" many=[2] b=true'
    assert format_fields({"one": ["x"], "nested": {"k": "v"}}) == "one=[x] nested={k=v}"


def test_sentences_fit_the_terminal() -> None:
    ink = Ink()
    text = "Start it with ollama serve and pull the model"
    assert ink.wrap(text, 4) == text
    ink.columns = 24
    assert ink.wrap(text, 4) == "Start it with ollama\n    serve and pull the\n    model"
    ink.columns = 5
    assert ink.wrap("unbreakable", 4) == "unbreakable"
