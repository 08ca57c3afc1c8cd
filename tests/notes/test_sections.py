"""Headers, paths and lines."""

from ragd.notes.sections import LONGEST_HEADING, MOST_SECTIONS, Section, split


def shape(text: str) -> list[tuple[str | None, str, int]]:
    return [(section.name, section.path, section.line) for section in split(text, 1)]


def test_a_note_without_headers_is_one_section_without_a_name() -> None:
    assert split("one\ntwo", 1) == [Section("one\ntwo", 1, 2)]


def test_headings_make_sections_with_their_path_and_line() -> None:
    text = "before\n\n# Year\n\n## January\nx\n### Plans\ny\n## February\nz"
    assert shape(text) == [
        (None, "", 1),
        ("Year", "Year", 3),
        ("January", "Year > January", 5),
        ("Plans", "Year > January > Plans", 7),
        ("February", "Year > February", 9),
    ]


def test_lines_count_from_the_body_s_first() -> None:
    assert [section.line for section in split("\n\n\ntext\n# H", 10)] == [13, 14]


def test_a_lone_hashtag_is_a_header() -> None:
    text = "# 2024-01-15\n#mentalhealth\nx\n#finance\ny"
    assert shape(text) == [
        ("2024-01-15", "2024-01-15", 1),
        ("#mentalhealth", "2024-01-15 > #mentalhealth", 2),
        ("#finance", "2024-01-15 > #finance", 4),
    ]
    assert [section.hashtags for section in split(text, 1)][1:] == [
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


def test_a_dated_heading_dates_what_is_below_it() -> None:
    text = "# Log\n## 2024-01-15\nx\n### Later\ny\n## Other\nz"
    assert [section.date for section in split(text, 1)] == [None, "2024-01-15", "2024-01-15", None]


def test_what_is_no_header_is_text() -> None:
    text = "#123\n#!/bin/sh\n#\n##\n    # code\n\t# code\n####### seven\n#one #two\n## ##"
    assert [section.name for section in split(text, 1)] == [None]


def test_closing_hashes_and_link_addresses_are_not_part_of_the_name() -> None:
    text = "## Plans ##\n# [Docs](https://example.com/x#y)"
    assert [section.name for section in split(text, 1)] == ["Plans", "Docs"]


def test_a_name_is_short_and_the_text_has_it_all() -> None:
    heading = "# " + "word " * 200
    section = split(heading, 1)[0]
    assert section.name is not None
    assert len(section.name) <= LONGEST_HEADING + 1
    assert section.text == heading.strip()


def test_more_headers_than_any_note_has_become_one_long_section() -> None:
    sections = split("# a\nb\n" * (MOST_SECTIONS + 50), 1)
    assert len(sections) == MOST_SECTIONS
    assert sections[-1].text.count("# a") == 51
