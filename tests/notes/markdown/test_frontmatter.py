"""The properties at the top of a note."""

import pytest

from ragd.notes.markdown import frontmatter
from ragd.notes.markdown.frontmatter import (
    NOT_A_MAPPING,
    NOT_YAML,
    TOO_DEEP,
    TOO_LARGE,
    UNFILLED,
    read,
)


def block(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "body"])


def test_title_aliases_tags_and_dates_are_read() -> None:
    found = read(
        block(
            "title: A Title",
            "aliases:",
            "  - One",
            '  - "[[Two]]"',
            "tags: [work, '#health/sleep']",
            "date: 2024-01-15",
            "created: 2023-12-01T10:00",
        )
    )
    assert found.title == "A Title"
    assert found.aliases == ("One", "Two")
    assert found.tags == ("#work", "#health/sleep")
    assert found.date == "2024-01-15"
    assert found.created == "2023-12-01T10:00"
    assert not found.hidden
    assert found.warning is None


def test_the_body_begins_after_the_block() -> None:
    text = block("a: b")
    assert text[read(text).end :] == "body"


@pytest.mark.parametrize(
    "text", ["", "---", "---\n", "---\na: b\n", "text\n---\n---\n", "----\na\n---"]
)
def test_a_block_that_is_not_closed_or_not_at_the_top_is_body(text: str) -> None:
    assert read(text).end == 0


def test_values_stay_as_written() -> None:
    found = read(block("title: 2024-01-15", "tags: [no, 1e3, 007]"))
    assert found.title == "2024-01-15"
    assert found.tags == ("#no", "#1e3", "#007")


def test_tags_in_one_line_are_split() -> None:
    assert read(block("tags: one, two three")).tags == ("#one", "#two", "#three")


def test_keys_are_found_in_any_case() -> None:
    assert read(block("Tags: [a]", "Alias: b")).aliases == ("b",)


@pytest.mark.parametrize("value", ["false", "False", "no", "off", '"false"'])
def test_a_note_can_hide_itself(value: str) -> None:
    assert read(block(f"rag: {value}")).hidden


def test_a_note_with_rag_false_is_hidden_even_if_the_rest_is_broken() -> None:
    found = read(block("rag: false", "a: [unclosed", "b: : :"))
    assert found.warning == NOT_YAML
    assert found.hidden


@pytest.mark.parametrize("value", ["true", "yes", "", "falsehood", "not false"])
def test_anything_else_does_not_hide_it(value: str) -> None:
    assert not read(block(f"rag: {value}")).hidden


def test_broken_yaml_is_a_warning() -> None:
    found = read(block("a: [1, 2", "b: }"))
    assert found.warning == NOT_YAML
    assert found.block == "a: [1, 2\nb: }"
    assert found.end


def test_a_list_is_not_frontmatter() -> None:
    assert read(block("- a", "- b")).warning == NOT_A_MAPPING


def test_an_unfilled_template_is_reported_and_its_tags_are_read() -> None:
    found = read(block("created: {{date}}", "tags:", "  - to-read"))
    assert found.warning == UNFILLED
    assert found.tags == ("#to-read",)


def test_an_alias_is_not_followed() -> None:
    bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    bomb += [
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    found = read(block(*bomb, "tags: *i", "title: *a", "aliases: [one, *i]"))
    assert found.tags == ()
    assert found.title is None
    assert found.aliases == ("one",)


def test_deep_nesting_is_refused_before_parsing() -> None:
    assert read(block("a: " + "[" * 60_000)).warning == TOO_DEEP
    assert read(block(*["  " * depth + "a:" for depth in range(80)])).warning == TOO_DEEP


def test_a_block_of_many_short_lists_is_not_deep() -> None:
    found = read(block("links:", *["  - [[Note]]"] * 500, "title: T"))
    assert found.title == "T"
    assert found.warning is None


def test_a_block_that_is_too_large_is_body() -> None:
    found = read(block(*["key: value"] * 10_000))
    assert found.end == 0
    assert found.warning == TOO_LARGE


def test_names_are_short_single_and_clean() -> None:
    found = read(block('title: "a\\tb <b>c</b>\\u202E\\n' + "x" * 900 + '"'))
    assert found.title is not None
    assert found.title.startswith("a b c x")
    assert len(found.title) <= frontmatter.LONGEST_TITLE


SPELLINGS = [
    "rag: false",
    "rag: False",
    "rag: FALSE",
    "rag: no",
    "rag: Off",
    "rag : false",
    "RAG: false",
    '"rag": false',
    "'rag': 'no'",
    "rag: false # not for the index",
    "rag: !!bool false",
    "rag: &flag false",
    "rag:\n  false",
    "rag: >-\n  false",
    "rag: [false]",
    "? rag\n: false",
]


@pytest.mark.parametrize("line", SPELLINGS)
def test_rag_false_hides_a_note_even_in_broken_or_huge_frontmatter(line: str) -> None:
    filler = [f"key{number}: {'word ' * 20}" for number in range(1_000)]
    assert len("\n".join(filler)) > frontmatter.MOST_CHARACTERS
    large = read(block(*filler[:500], line, *filler[500:]))
    assert (large.hidden, large.warning) == (True, TOO_LARGE)
    assert read(block(line, *filler)).hidden and read(block(*filler, line)).hidden
    broken = read(block("a: [unclosed", line, "b: : :"))
    assert (broken.hidden, broken.warning) == (True, NOT_YAML)
    deep = read(block(line, f"a: {'[' * 100}"))
    assert (deep.hidden, deep.warning) == (True, TOO_DEEP)
    assert read(block("a: 1", line, "b: 2")).hidden


def test_an_alias_hides_in_doubt() -> None:
    assert read(block("off: &x false", "rag: *x")).hidden
    assert read(block("base: &b {rag: false}", "<<: *b")).hidden
    assert not read(block("base: &b {other: false}", "<<: *b")).hidden


@pytest.mark.parametrize(
    "line",
    ["rag: true", "drag: false", "rag: nothing", "rags: no", "text: rag is off", "rag: falsework"],
)
def test_other_keys_and_values_hide_nothing(line: str) -> None:
    filler = [f"key{number}: {'word ' * 20}" for number in range(1_000)]
    for text in (block(line), block(*filler, line), block("a: [unclosed", line)):
        assert not read(text).hidden


@pytest.mark.parametrize("bit", ["rag:", "\nrag: ", "\nrag:\n ", "{", ",", "\n", " ", "rag : !a "])
def test_a_huge_frontmatter_takes_linear_time(bit: str) -> None:
    """Quadratic time would take minutes and fail by the test's time limit."""
    assert read(block(bit * (4_000_000 // len(bit)))) is not None
