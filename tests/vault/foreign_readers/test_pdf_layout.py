"""From printed lines to text."""

import pytest

from ragd.vault.foreign_readers.pdf_layout import (
    Sizes,
    blocks,
    join_lines,
    known_words,
    sizes_of,
    without_running_lines,
)
from ragd.vault.foreign_readers.pdf_page import PdfLine

NONE: frozenset[str] = frozenset()


def line(text: str, y: float = 700, size: float = 10, left: float = 72) -> PdfLine:
    return PdfLine(text, size, left, left + len(text) * size / 2, y)


@pytest.mark.parametrize(
    ("first", "second", "words", "joined"),
    [
        ("the depar-", "ture of", NONE, "the departure of"),
        ("the depar\x02", "ture of", NONE, "the departure of"),
        ("a well-", "known man", frozenset(["well-known"]), "a well-known man"),
        ("a well-", "known man", frozenset(["well-known", "wellknown"]), "a wellknown man"),
        ("Müller-", "Meier says", NONE, "Müller-Meier says"),
        ("from 1990-", "1995", NONE, "from 1990- 1995"),
        ("no hyphen", "here", NONE, "no hyphen here"),
        ("a dash -", "and more", NONE, "a dash - and more"),
        ("-", "alone", NONE, "- alone"),
        ("half\x02", "(bracket)", NONE, "half- (bracket)"),
    ],
)
def test_lines_are_joined(first: str, second: str, words: frozenset[str], joined: str) -> None:
    assert join_lines(first, second, words) == joined


def test_a_word_at_the_end_of_a_line_is_no_example_of_how_it_is_written() -> None:
    assert known_words([[line("a well-known fact about depar-")]]) == {
        "a",
        "well-known",
        "fact",
        "about",
    }


def test_short_lines_stay_lines() -> None:
    """An address, a poem, the rows of a table."""
    rows = ["Sreenivas Rao", "12 Harbour Road", "a very much longer line than all the others"]
    found = list(
        blocks([line(text, 700 - 13 * at) for at, text in enumerate(rows)], NO_SIZES, NONE)
    )
    assert [block.text for block in found] == ["\n".join(rows)]


NO_SIZES = Sizes(10, {})


def test_items_of_a_list_are_apart() -> None:
    rows = ["• one of the items in the list", "• two of the items in the list"]
    found = list(
        blocks([line(text, 700 - 13 * at) for at, text in enumerate(rows)], NO_SIZES, NONE)
    )
    assert [block.text for block in found] == rows


def test_a_table_of_contents_keeps_its_lines_and_loses_its_dots() -> None:
    rows = ["1 Boats " + ". " * 20 + "3", "2 Nets. " + ". " * 20 + "4"]
    [found] = blocks([line(text, 700 - 13 * at) for at, text in enumerate(rows)], NO_SIZES, NONE)
    assert found.text == "1 Boats … 3\n2 Nets … 4"


def test_a_heading_of_two_lines_is_one() -> None:
    lines = [line("A long crossing", 700, 20), line("to the island", 676, 20), line("Text.", 640)]
    found = list(blocks(lines, Sizes(10, {20.0: 1}), NONE))
    assert [(block.level, block.text) for block in found] == [
        (1, "A long crossing to the island"),
        (0, "Text."),
    ]


def test_the_body_is_the_size_of_most_text() -> None:
    pages = [[line("Title", size=20), *[line("words " * 10)] * 9, line("1", size=30)]]
    assert sizes_of(pages) == Sizes(10, {20: 1})


def test_a_page_of_large_print_has_no_headings() -> None:
    pages = [[*[line("words and words", size=20)] * 5, *[line("words and words " * 2)] * 3]]
    assert sizes_of(pages).levels == {}


def test_without_pages_there_are_no_sizes() -> None:
    assert sizes_of([]) == Sizes(0, {})
    assert sizes_of([[]]) == Sizes(0, {})


def test_left_and_right_pages_may_have_different_headers() -> None:
    pages = [
        [line("Boats" if at % 2 else "Nets", 830), line(f"text {chr(97 + at)}", 400)]
        for at in range(8)
    ]
    kept = without_running_lines(pages, [842] * 8)
    assert [len(page) for page in kept] == [2, 2, 1, 1, 1, 1, 1, 1]


def test_two_pages_are_too_few_to_tell_what_repeats() -> None:
    pages = [[line("Boats", 830), line("text", 400)]] * 2
    assert without_running_lines(pages, [842] * 2) == pages


def test_a_number_that_is_not_a_page_number_makes_a_line_different() -> None:
    sums = (310, 95, 1_200, 44, 7)
    pages = [
        [line(f"Balance {amount}", 30), line(f"text {amount}", 400), line(f"Page {at + 3}", 20)]
        for at, amount in enumerate(sums)
    ]
    kept = without_running_lines(pages, [842] * 5)
    assert [[one.text for one in page] for page in kept[1:]] == [
        [f"Balance {amount}", f"text {amount}"] for amount in sums[1:]
    ]


def test_roman_page_numbers_are_dropped() -> None:
    pages = [[line(text, 30), line(f"text {text}", 400)] for text in ("i", "ii", "iii", "iv")]
    assert [len(page) for page in without_running_lines(pages, [842] * 4)] == [1, 1, 1, 1]
