"""Fenced code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.notes.markdown.code_marks import without_marks
from ragd.notes.markdown.fences import CODE_LINE, code_characters, without_code


def removed(text: str) -> str:
    return without_marks(without_code(text, keep=False)[0])


def test_a_closed_block_is_blanked_line_for_line() -> None:
    assert removed("a\n```py\nx = 1\n```\nb") == "a\n\n\n\nb"


def test_an_unclosed_block_is_text() -> None:
    text = "a\n```py\nimportant\n\nmore"
    assert removed(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "````\n```\ncode\n```\n````",  # a longer fence holds a shorter one
        "~~~\n```\ncode\n~~~",
        "  ```\n  code\n  ```",
        "> ```\n> code\n> ```",
        "- ```\n  code\n  ```",
        "1. ```sh\n   code\n   ```",
        "```\ncode\n`````",
    ],
)
def test_all_kinds_of_fences_are_recognised(text: str) -> None:
    assert "code" not in removed(text)


@pytest.mark.parametrize(
    "text",
    [
        "```\ntext\n~~~",  # another character
        "````\ntext\n```",  # too short
        "```\ntext\n```py",  # an opener closes nothing
        "a ```text``` b",
        "``\ntext\n``",
        "> ```\n> text\n\nmore text\n\n> ```",  # the quotation ended
    ],
)
def test_text_after_a_fence_that_is_not_closed_stays(text: str) -> None:
    assert removed(text) == text


def test_kept_code_is_set_aside_by_line() -> None:
    text, code = without_code("a\n```\n  x\n```\nb\n~~~\ny\n~~~", keep=True)
    assert text.split("\n") == ["a", *[CODE_LINE] * 3, "b", *[CODE_LINE] * 3]
    assert code == {1: "```", 2: "  x", 3: "```", 5: "~~~", 6: "y", 7: "~~~"}


@given(st.lists(st.sampled_from(["```", "~~~", "````", "> ```", "text", "> text", "", "```py"])))
def test_the_number_of_lines_never_changes_and_nothing_outside_a_fence_goes(
    lines: list[str],
) -> None:
    before = "\n".join(lines)
    kept, code = without_code(before, keep=True)
    after = kept.split("\n")
    for number, line in enumerate(before.split("\n")):
        assert (code[number] if after[number] == CODE_LINE else after[number]) == line
    blanked = removed(before).split("\n")
    assert blanked == ["" if line == CODE_LINE else line for line in after]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a\n```py\nx = 1\n```\nb", "x=1"),
        ("no code at all", ""),
        ("```\nnot closed", ""),
        ("```\na\n```\n~~~\nb c\n~~~", "abc"),
        ("- ```\n  one\n  ```", "one"),
    ],
)
def test_the_characters_of_code_are_counted_without_spaces_and_fences(text: str, code: str) -> None:
    assert code_characters(text) == len(code)
