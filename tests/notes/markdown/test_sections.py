"""Headers, paths and lines."""

from ragd.notes.markdown.sections import (
    LONGEST_HEADING,
    LONGEST_PATH,
    MOST_SECTIONS,
    Section,
    shown_path,
    split_sections,
)


def shape(text: str) -> list[tuple[str | None, str, int]]:
    return [(section.name, section.path, section.line) for section in split_sections(text, 1)]


def test_a_note_without_headers_is_one_section_without_a_name() -> None:
    assert split_sections("one\ntwo", 1) == [Section("one\ntwo", 1, 2)]


def test_headings_make_sections_with_their_path_and_line() -> None:
    text = "before\n\n# Year\n\n## January\nx\n### Plans\ny\n## February\nz"
    assert shape(text) == [
        (None, "", 1),
        ("Year", "Year", 3),
        ("January", "Year > January", 5),
        ("Plans", "Year > January > Plans", 7),
        ("February", "Year > February", 9),
    ]


def test_lines_are_counted_from_the_first_line_of_the_body() -> None:
    assert [section.line for section in split_sections("\n\n\ntext\n# H", 10)] == [13, 14]


def test_a_hashtag_alone_is_a_header() -> None:
    text = "# 2024-01-15\n#mentalhealth\nx\n#finance\ny"
    assert shape(text) == [
        ("2024-01-15", "2024-01-15", 1),
        ("#mentalhealth", "2024-01-15 > #mentalhealth", 2),
        ("#finance", "2024-01-15 > #finance", 4),
    ]
    assert [section.hashtags for section in split_sections(text, 1)][1:] == [
        ("#mentalhealth",),
        ("#finance",),
    ]


def test_a_deeper_heading_stays_under_its_hashtag_and_an_equal_one_does_not() -> None:
    text = "#mentalhealth\nx\n### Morning\ny\n# Other\nz"
    assert [path for _, path, _ in shape(text)] == [
        "#mentalhealth",
        "#mentalhealth > Morning",
        "Other",
    ]
    sibling = "# Day\n#work\nx\n## Evening\ny"
    assert shape(sibling)[-1][1] == "Day > Evening"


def test_the_date_of_a_heading_counts_for_the_sections_below_it() -> None:
    text = "# Log\n## 2024-01-15\nx\n### Later\ny\n## Other\nz"
    assert [section.date for section in split_sections(text, 1)] == [
        None,
        "2024-01-15",
        "2024-01-15",
        None,
    ]


def test_lines_that_are_not_headers_are_text() -> None:
    text = "#123\n#!/bin/sh\n#\n##\n    # code\n\t# code\n####### seven\n#one #two\n## ##"
    assert [section.name for section in split_sections(text, 1)] == [None]


def test_closing_hashes_and_link_addresses_are_not_part_of_the_name() -> None:
    text = "## Plans ##\n# [Docs](https://example.com/x#y)"
    assert [section.name for section in split_sections(text, 1)] == ["Plans", "Docs"]


def test_a_name_is_shortened_and_the_text_has_the_whole_heading() -> None:
    heading = "# " + "word " * 200
    section = split_sections(heading, 1)[0]
    assert section.name is not None
    assert len(section.name) <= LONGEST_HEADING + 1
    assert section.text == heading.strip()


def test_more_headers_than_any_note_has_become_one_long_section() -> None:
    sections = split_sections("# a\nb\n" * (MOST_SECTIONS + 50), 1)
    assert len(sections) == MOST_SECTIONS
    assert sections[-1].text.count("# a") == 51


def test_a_line_with_a_row_below_it_is_a_heading() -> None:
    text = "before\n\nYear\n====\nx\n\n# Other\nThe plan\n--\ny\n\n Last \n ---\nz"
    assert shape(text) == [
        (None, "", 1),
        ("Year", "Year", 3),
        ("Other", "Other", 7),
        ("The plan", "Other > The plan", 8),
        ("Last", "Other > Last", 12),
    ]
    whole = split_sections("Year\n===\n\nDay\n---\nx", 1)
    assert [section.bare for section in whole] == [True, False]
    assert whole[1].text == "Day\n---\nx"


def test_a_rule_is_not_a_heading() -> None:
    for text in (
        "a sentence.\n---\nx",
        "two lines\nof text\n---\nx",
        "- item\n---\nx",
        "1. item\n---\nx",
        "> quote\n---\nx",
        "| a |\n---\nx",
        "a | b\n--- | ---\nx",
        "    code\n---\nx",
        "text\n    ---\nx",
        "text\n\n---\nx",
        "text\n-\nx",
        "***\n---\nx",
        f"{'long ' * 30}\n---\nx",
    ):
        assert [section.name for section in split_sections(text, 1)] == [None], text
    assert [section.name for section in split_sections("# H\n---\nx", 1)] == ["H"]


def test_the_full_path_is_not_shortened() -> None:
    long = f"{'word ' * 80}end"
    text = "\n".join(f"{'#' * level} {long} {level}\nx" for level in range(1, 7))
    last = split_sections(text, 1)[-1]
    assert len(last.path) <= LONGEST_PATH + 1 and last.path.startswith("…")
    assert [f"end {level}" in last.full_path for level in range(1, 7)] == [True] * 6
    assert shown_path(last.full_path) == last.path
    assert shown_path("a > b") == "a > b"
