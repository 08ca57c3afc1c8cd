"""Lines of a note: numbered as in the file, clean or as written, with their sections."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.notes.documents.model import Document, Heading, Place
from ragd.notes.excerpt import (
    AROUND,
    OVERLAP,
    PIECE,
    Excerpt,
    ExcerptLimits,
    document_excerpt,
    excerpt,
    split_pieces,
)
from ragd.notes.parse import HIDDEN, Unparsable

NOTE = b"""---
tags: [diary]
# not a heading
---
# Monday

<!-- a secret comment -->
Slept <b>well</b>.

## #mentalhealth

```
# no heading either
```
Talked to the [[Dr Rao|doctor]]. #therapy
"""


def cut(
    data: bytes, first: int = 1, last: int | None = None, raw: bool = False, code: bool = False
) -> Excerpt:
    found = excerpt("a.md", data, first, last, raw=raw, code=code)
    assert isinstance(found, Excerpt)
    return found


def test_raw_lines_are_those_of_the_file() -> None:
    found = cut(NOTE, raw=True)
    assert found.lines == NOTE.decode().splitlines()
    assert (found.first, found.last, found.total) == (1, 15, 15)


def test_clean_lines_have_the_same_numbers_and_no_markup() -> None:
    found = cut(NOTE)
    assert found.total == len(found.lines) == 15
    assert found.lines[6].strip() == "" and found.lines[7] == "Slept well."
    assert found.lines[11:14] == ["[code, 1 line]", "", ""]
    assert found.lines[14] == "Talked to the doctor. #therapy"
    assert cut(NOTE, code=True).lines[12] == "# no heading either"


def test_a_range_ends_at_the_end_of_the_note() -> None:
    assert cut(NOTE, 8, 8).lines == ["Slept well."]
    assert cut(NOTE, 14, 99).last == 15
    assert cut(NOTE, 16, 20).lines == []


def test_each_part_has_its_section_and_its_tags() -> None:
    parts = cut(NOTE).parts
    assert [part.section for part in parts] == [None, "Monday", "#mentalhealth"]
    assert parts[2].heading_path == "Monday > #mentalhealth"
    assert set(parts[2].tags) == {"#diary", "#mentalhealth", "#therapy"}
    inner = cut(NOTE, 15, 15).parts
    assert len(inner) == 1 and inner[0].section == "#mentalhealth"


def test_the_raw_text_is_inspected() -> None:
    assert "a secret comment" in cut(NOTE, 7, 7).parts[0].chunk_text


def test_markup_in_a_word_does_not_hide_it_from_inspection() -> None:
    for word in ("dep<b>res</b>sion", "depres<!-- -->sion", "dep[[x|ression]]"):
        found = cut(f"I have {word}.\n".encode())
        assert found.lines == ["I have depression."]
        assert word in found.parts[0].chunk_text and found.lines[0] in found.parts[0].chunk_text


def test_every_line_is_in_exactly_one_part() -> None:
    spaced = NOTE.replace(b"\n", b"\n\n")
    for first in range(1, 31):
        for last in range(first, 31):
            parts = cut(spaced, first, last, raw=True)
            assert "\n".join(part.chunk_text for part in parts.parts) == "\n".join(parts.lines)


def inspected(data: bytes, first: int, last: int, characters: int = 10_000) -> str:
    room = ExcerptLimits(100, characters)
    found = excerpt("a.md", data, first, last, raw=False, code=False, room=room)
    assert isinstance(found, Excerpt)
    return "\n".join(part.chunk_text for part in found.parts)


def test_lines_are_inspected_with_the_rest_of_their_paragraphs() -> None:
    data = b"# One\n\nfirst\nsecond\nthird\n\nfourth\nfifth\n# Two\nsixth\n"
    assert inspected(data, 4, 4) == "first\nsecond\nthird"
    assert inspected(data, 5, 7) == "first\nsecond\nthird\n\nfourth\nfifth"
    assert inspected(data, 6, 6) == ""
    assert inspected(data, 9, 9) == "# Two\nsixth", "a paragraph ends with its section"


def test_a_long_paragraph_is_inspected_as_far_as_a_passage_reaches() -> None:
    data = b"a" * 3 * AROUND + b"\nmiddle\n" + b"z" * 3 * AROUND + b"\n"
    assert inspected(data, 2, 2) == "a" * AROUND + "\nmiddle\n" + "z" * AROUND
    many = b"one line\n" * AROUND
    assert len(inspected(many, AROUND // 2, AROUND // 2)) < 3 * AROUND


def test_a_word_that_is_cut_off_is_inspected_as_a_whole() -> None:
    data = b"x" * 190 + b" depression " + b"y" * 5 * AROUND
    found = inspected(data, 1, 1, characters=200)
    assert "depression" in found and len(found) < 4 * AROUND


def test_unusual_notes() -> None:
    assert cut(b"").lines == [""] and cut(b"\n\n").total == 2
    assert cut(b"---\na: 1\n---").lines == ["---", "a: 1", "---"]
    assert cut(b"---\na: 1\n---\n").total == 3
    assert cut(b"one\r\ntwo\rthree").lines == ["one", "two", "three"]
    assert cut("a\x1b[2Jb\u202ec".encode(), raw=True).lines == ["a [2Jbc"]
    assert cut("größe".encode("latin-1")).lines == ["größe"]


def test_hidden_notes_and_binary_files_are_not_shown() -> None:
    hidden = excerpt("a.md", b"---\nrag: false\n---\nx\n", 1, None, raw=True, code=False)
    assert hidden == Unparsable(HIDDEN)
    assert isinstance(excerpt("a.md", bytes(range(256)) * 9, 1, 2, raw=True, code=True), Unparsable)


# Limits

TEN = b"\n".join(b"line %d" % number for number in range(1, 11))


def test_lines_are_limited() -> None:
    found = excerpt("a.md", TEN, 3, None, raw=True, code=False, room=ExcerptLimits(4, 1000))
    assert isinstance(found, Excerpt)
    assert (found.first, found.last, found.total, found.is_cut) == (3, 6, 10, False)
    assert "\n".join(found.lines) in found.parts[0].chunk_text


def test_characters_are_limited() -> None:
    found = excerpt("a.md", TEN, 1, 10, raw=True, code=False, room=ExcerptLimits(100, 21))
    assert isinstance(found, Excerpt)
    assert found.lines == ["line 1", "line 2", "line 3"]
    assert not found.is_cut


@pytest.mark.parametrize("raw", [True, False])
def test_a_line_that_is_too_long_is_cut_and_inspected_as_shown(raw: bool) -> None:
    data = b"<b>" * 20 + b"secret" + b"x" * 100 + b"\nnext\n"
    found = excerpt("a.md", data, 1, None, raw=raw, code=False, room=ExcerptLimits(100, 50))
    assert isinstance(found, Excerpt)
    assert (found.last, found.total, found.is_cut) == (1, 2, True)
    assert len(found.lines[0]) == 50
    assert found.lines[0] in found.parts[0].chunk_text


def test_a_note_within_the_limits_is_whole() -> None:
    found = excerpt("a.md", NOTE, 1, None, raw=False, code=False, room=ExcerptLimits(100, 10_000))
    assert found == cut(NOTE)


@given(st.text(max_size=4 * PIECE))
def test_pieces_overlap_and_cover_the_text(text: str) -> None:
    found = list(split_pieces(text))
    assert found[0] + "".join(piece[OVERLAP:] for piece in found[1:]) == text
    assert all(len(piece) <= PIECE + OVERLAP for piece in found)


PAPER = Document(
    "one\ntwo #3\n\nMethods\nthree",
    headings=(Heading(4, 1, "Methods"),),
    places=(Place(1, "page=1"), Place(4, "page=2")),
)


def test_a_place_of_a_document_is_shown_without_blank_lines_at_its_end() -> None:
    found = document_excerpt("a.pdf", PAPER, 1, None, place="page=1")
    assert found is not None
    assert (found.lines, found.first, found.last, found.until) == (["one", "two #3"], 1, 2, 2)
    assert found.places == (Place(1, "page=1"),)
    assert document_excerpt("a.pdf", PAPER, 1, None, place="page=3") is None


def test_lines_of_a_document_have_their_places_and_parts() -> None:
    found = document_excerpt("a.pdf", PAPER, 2, 9)
    assert found is not None
    assert (found.lines, found.until) == (["two #3", "", "Methods", "three"], 5)
    assert [place.name for place in found.places] == ["page=1", "page=2"]
    assert [(part.section, part.chunk_text) for part in found.parts] == [
        (None, "one\ntwo #3\n"),
        ("Methods", "Methods\nthree"),
    ]


def test_a_long_document_is_shown_as_far_as_it_fits() -> None:
    found = document_excerpt("a.pdf", PAPER, 1, None, room=ExcerptLimits(2, 100))
    assert found is not None
    assert (found.last, found.until, found.total) == (2, 5, 5)
    assert [place.name for place in found.places] == ["page=1"]


@given(st.text(), st.integers(1, 20), st.integers(1, 20))
def test_any_lines_of_any_document_are_shown(text: str, first: int, line: int) -> None:
    document = Document(text, places=(Place(1, "page=1"), Place(line, "page=2")))
    found = document_excerpt("a.pdf", document, first, None)
    assert found is not None and found.total >= 1
