"""Excerpts lose no letter where dots stand for what is left out."""

import io

import pytest

from ragctl.views.excerpts import Highlighter, cell_width, excerpt
from ragctl.views.render import Ink

TEXT = " ".join("needle" if number == 60 else f"word{number}" for number in range(120))


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 120])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_every_word_of_an_excerpt_is_whole(columns: int, most: int) -> None:
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
