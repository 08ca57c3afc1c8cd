"""Excerpts: dots replace only whole words."""

import io

import pytest

from ragctl.views.excerpts import Highlighter, cell_width, excerpt
from ragctl.views.render import Ink

TEXT = " ".join("needle" if number == 60 else f"word{number}" for number in range(120))


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 120])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_word_of_an_excerpt_is_cut(columns: int, most: int) -> None:
    ink = Ink(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    ink.columns = columns
    lines = excerpt(TEXT, Highlighter("needle"), ink, most)
    words = [word for line in lines for word in line.text.split() if word != "…"]
    first = TEXT.split().index(words[0])
    assert words == TEXT.split()[first : first + len(words)]
    assert "needle" in words
    assert all(sum(map(cell_width, line.text)) <= columns - 3 for line in lines)
    assert lines[0].text.startswith("… ") and lines[-1].text.endswith(" …")


def test_what_comes_after_the_last_match_is_shown() -> None:
    ink = Ink(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    ink.columns = 40
    lines = [
        "aliases: Sreeni",
        "Sreenivas",
        "Met in 2019.",
        "His birthday is on",
        "3 May.",
        "Rain.",
    ]
    shown = excerpt("\n".join(lines), Highlighter("Sreenivas birthday"), ink, 4)
    assert "3 May. …" in [line.text for line in shown]


@pytest.mark.parametrize(
    ("best_part", "expected"), [(0.05, "word0"), (0.5, "needle"), (1.0, "word119")]
)
def test_without_words_of_the_question_the_nearest_part_is_shown(
    best_part: float, expected: str
) -> None:
    ink = Ink(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    ink.columns = 60
    shown = excerpt(TEXT, Highlighter("quite different words"), ink, 3, best_part)
    assert expected in " ".join(line.text for line in shown).split()


def test_words_of_the_question_count_more_than_the_nearest_part() -> None:
    ink = Ink(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    ink.columns = 60
    shown = excerpt(TEXT, Highlighter("needle"), ink, 3, best_part=0.0)
    assert "needle" in " ".join(line.text for line in shown).split()


@pytest.mark.parametrize(
    "question", ["how long does coffee stay?", "Wie lange bleibt coffee?", "when is coffee gone?"]
)
def test_a_question_for_a_number_shows_a_line_with_a_number(question: str) -> None:
    ink = Ink(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    ink.columns = 40
    filler = [f"Nothing of interest {letter}." for letter in "abcdefgh"]
    lines = ["About coffee.", *filler, "After seven hours coffee is gone.", *filler, "coffee"]
    shown = excerpt("\n".join(lines), Highlighter(question), ink, 3)
    assert "seven hours" in " ".join(line.text for line in shown)


def test_among_equal_matches_the_nearest_part_is_shown() -> None:
    ink = Ink(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    ink.columns = 40
    lines = [f"museum {number}" if number % 10 == 5 else f"word {number}" for number in range(40)]
    shown = excerpt("\n".join(lines), Highlighter("museum"), ink, 3, best_part=0.63)
    assert "museum 25" in " ".join(line.text for line in shown)


def test_a_link_that_is_broken_over_two_lines_is_rendered() -> None:
    ink = Ink(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    text = "By the [centre for political\nbeauty](https://example.org/) in Berlin\nand others [x] y"
    shown = [line.text for line in excerpt(text, Highlighter("centre"), ink, None)]
    assert shown == ["By the centre for political beauty in Berlin", "and others [x] y"]


def test_the_best_sentence_is_shown_also_without_words_of_the_question() -> None:
    ink = Ink(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    ink.columns = 60
    best = ["word90 word91 word92 **word93**", "word70 word71"]
    shown = excerpt(TEXT, Highlighter("needle"), ink, 3, 0.5, best)
    words = " ".join(line.text for line in shown).split()
    assert {"word90", "word91", "word92", "word93"} <= set(words)
    assert "needle" not in words


def test_as_much_as_possible_of_the_next_best_sentences_is_shown_with_it() -> None:
    ink = Ink(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    ink.columns = 60
    for other, follows in (("word80 word81", False), ("word100 word101", True)):
        shown = excerpt(TEXT, Highlighter("x"), ink, 3, None, ["word90 word91", other])
        words = " ".join(line.text for line in shown).split()
        assert "word90" in words
        assert ("word101" in words, "word80" in words) == (follows, not follows)
