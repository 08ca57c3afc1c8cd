"""Markdown on a terminal: the markup is removed, and no word is lost."""

import pytest

from ragctl.views.excerpts import cell_width, truncate, wrap_line
from ragctl.views.markdown import StyledText, render_line


def shown(line: str) -> str | None:
    found = render_line(line, lambda sign: sign)
    return None if found is None else found.text


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("## Plans ##", "Plans"),
        ("a **bold** and __bold__ word", "a bold and bold word"),
        ("*slanted*, _slanted_ and ~~gone~~, ==seen==", "slanted, slanted and gone, seen"),
        ("**[Ada](https://a.example/x_(y)) said**", "Ada said"),
        ("see [[Beam Divergence]] and [[a/b#Part|that]]", "see Beam Divergence and that"),
        ("[[Note#Part]]", "Note > Part"),
        ("![a cat](cat.png) ![](x.png)<https://a.example>", "a cat https://a.example"),
        ("[](https://a.example)", "https://a.example"),
        ("- one", "• one"),
        ("  * two", "  • two"),
        ("- [ ] buy milk", "☐ buy milk"),
        ("1. [x] done", "☑ done"),
        ("3. third", "3. third"),
        ("> said", "│ said"),
        ("> [!warning]- Mind this", "│ Mind this"),
        ("> [!tip]", "│ Tip"),
        ("| a | b |", "a │ b"),
        ("|---|:-:|", None),
        ("```python", None),
        ("---", None),
        ("-", None),
        ("`x * y * z` and ``a`b``", "x * y * z and a`b"),
        ("words[^1] and a block ^a1b2", "words and a block"),
        (r"5 \* 3 \_x\_", "5 * 3 _x_"),
    ],
)
def test_a_line_is_shown_without_markup(line: str, read: str | None) -> None:
    assert shown(line) == read


@pytest.mark.parametrize(
    "line",
    [
        "2 * 3 * 4 = 24",
        "snake_case_name and __init__.py",
        "a [lone bracket",
        "it's 5 > 3",
        "**",
        "#tag",
        "[x] (y)",
        "~ about ~ that",
        "don't *stop",
        "[[",
        "![[",
        "a_b *c_d",
        "\\",
        "`",
        "| half a row",
    ],
)
def test_text_that_is_not_markdown_is_unchanged(line: str) -> None:
    assert shown(line) == line


def test_a_row_with_many_empty_cells_is_read_at_once() -> None:
    row = "| -- |" + "      |" * 40 + " n/a |"  # each cell took six times as long
    shown = render_line(row, str)
    assert shown is not None and "n/a" in shown.text


def test_a_line_is_styled_where_its_signs_were() -> None:
    found = render_line("a **b [c](d)** e", lambda sign: sign)
    assert found is not None and found.text == "a b c e"
    assert found.styles == ["", "", "bold", "bold", "bold", "", ""]


def test_wide_characters_take_two_cells() -> None:
    assert [cell_width(c) for c in "a日\u0301é"] == [1, 2, 0, 1]
    assert [part.text for part in wrap_line(StyledText("日本語の日記 of May"), 10)] == [
        "日本語の日",
        "記 of May",
    ]
    assert truncate("日本語", 5, "…") == "日本…" and truncate("日本", 4, "…") == "日本"


def test_lines_wrap_between_words_and_lose_none() -> None:
    text = "one two three four " + "x" * 30 + " end"
    parts = [part.text for part in wrap_line(StyledText(text), 12)]
    assert all(len(part) <= 12 for part in parts)
    assert "".join(parts).replace(" ", "") == text.replace(" ", "")
