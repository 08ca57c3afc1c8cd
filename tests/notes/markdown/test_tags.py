"""Tags in text."""

import pytest

from ragd.notes.markdown.tags import inline_tags, lone_tag, merge_tags


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#one and #two", ["#one", "#two"]),
        ("#health/sleep/deep", ["#health/sleep/deep"]),
        ("#日本語 #été #Über-alles", ["#日本語", "#été", "#Über-alles"]),
        ("#한국어 #emoji🎉", ["#한국어", "#emoji🎉"]),
        ("#y1984 #2024-01", ["#y1984", "#2024-01"]),
        ("(#in) **#bold** #end.", ["#in", "#bold", "#end"]),
        ("#twice #twice", ["#twice"]),
        ("#trailing/", ["#trailing"]),
        ("line\n#next", ["#next"]),
        ("#标签，后面", ["#标签"]),
    ],
)
def test_tags_are_found(text: str, found: list[str]) -> None:
    assert inline_tags(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "#123",
        "# heading",
        "a#b",
        "https://example.com/#part",
        "[shown](#address)",
        "`#code` and ``#more ` code``",
        "##",
        "#!/bin/sh",
        "C# and F#",
    ],
)
def test_text_that_is_not_a_tag_is_not_found(text: str) -> None:
    assert inline_tags(text) == []


@pytest.mark.parametrize(
    ("line", "tag"),
    [("#mentalhealth", "#mentalhealth"), ("#health/sleep  ", "#health/sleep"), ("#健康", "#健康")],
)
def test_a_line_of_one_tag_alone(line: str, tag: str) -> None:
    assert lone_tag(line) == tag


@pytest.mark.parametrize("line", ["#one #two", "#one text", "# one", "#123", "#", "text", ""])
def test_any_other_line_is_not_a_lone_tag(line: str) -> None:
    assert lone_tag(line) is None


def test_tags_are_merged_in_any_case() -> None:
    assert merge_tags(("#Work",), ["#work", "#Home"], ("#HOME", "#x")) == ("#Work", "#Home", "#x")
