"""From sections to passages, tested with whole notes."""

import re

import pytest

from ragd.notes.markdown.code_marks import readable
from ragd.notes.wordpiece import WordPiece
from tests.notes.conftest import Parse

WORDS = "enough words for a passage"  # with fewer, it joins its neighbour

JOURNAL = """---
mood: 3
---
Woke up early.

# 2024-01-15
#mentalhealth
Slept badly, felt better after a walk.

#finance
Paid Sreenivas back. #debt

## Evening
Cooked.
"""


def test_a_journal_is_split_at_its_hashtags(parse: Parse) -> None:
    note = parse(JOURNAL, "Journal/Log.md")
    assert [(chunk.section, chunk.text) for chunk in note.chunks] == [
        (None, "mood: 3\n\nWoke up early."),
        ("#mentalhealth", "# 2024-01-15\n#mentalhealth\nSlept badly, felt better after a walk."),
        ("#finance", "#finance\nPaid Sreenivas back. #debt"),
        ("Evening", "## Evening\nCooked."),
    ]


def test_the_chunks_of_a_journal_have_their_lines_paths_days_and_tags(parse: Parse) -> None:
    chunks = parse(JOURNAL, "Journal/Log.md").chunks
    assert [(chunk.start_line, chunk.end_line) for chunk in chunks] == [
        (2, 4),
        (6, 8),
        (10, 11),
        (13, 14),
    ]
    assert [chunk.heading_path for chunk in chunks] == [
        "",
        "2024-01-15 > #mentalhealth",
        "2024-01-15 > #finance",
        "2024-01-15 > Evening",
    ]
    assert [chunk.date for chunk in chunks] == [None, *["2024-01-15"] * 3]
    assert [chunk.tags for chunk in chunks] == [(), ("#mentalhealth",), ("#finance", "#debt"), ()]


def test_every_window_of_a_hashtag_s_section_has_its_tag(parse: Parse) -> None:
    note = parse("#mentalhealth\n" + "I felt tired and went home. " * 300)
    assert len(note.chunks) > 3
    assert {chunk.tags for chunk in note.chunks} == {("#mentalhealth",)}
    assert {chunk.section for chunk in note.chunks} == {"#mentalhealth"}


def test_text_before_the_first_header_has_no_section(parse: Parse) -> None:
    note = parse("five words before the header\n# H\nfive words after the header")
    assert [chunk.section for chunk in note.chunks] == [None, "H"]


def test_a_heading_without_text_joins_the_first_section_below_it(parse: Parse) -> None:
    note = parse(f"# Book\n\n## One\n{WORDS}\n## Two\n## Three\n{WORDS}\n# End")
    assert [(chunk.section, chunk.text, chunk.start_line) for chunk in note.chunks] == [
        ("One", f"# Book\n\n## One\n{WORDS}", 1),
        ("Three", f"## Two\n## Three\n{WORDS}\n# End", 5),
    ]


def test_an_empty_heading_at_the_end_of_a_chapter_stays_in_it(parse: Parse) -> None:
    note = parse(f"# A\n{WORDS}\n## Later\n\n# B\n{WORDS}")
    assert [(chunk.section, chunk.text, chunk.end_line) for chunk in note.chunks] == [
        ("A", f"# A\n{WORDS}\n## Later", 3),
        ("B", f"# B\n{WORDS}", 6),
    ]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("#draft\n\n# Title\ntext", "#draft\n\n# Title\ntext"),
        ("#draft #idea\n\n# Title\ntext", "#draft #idea\n\n# Title\ntext"),
        ("# Title\ntext\n\n#draft", "# Title\ntext\n\n#draft"),
        ("# Title\ntext\n## Links\n- [ ]\n---\n#a", "# Title\ntext\n## Links\n- [ ]\n---\n#a"),
        ("#mentalhealth\n#finance\nPaid.", "#mentalhealth\n#finance\nPaid."),
        ("# Ideas\n## Buy milk\n## Paint", "# Ideas\n## Buy milk\n## Paint"),
    ],
)
def test_a_section_without_words_joins_its_neighbour(parse: Parse, text: str, whole: str) -> None:
    (chunk,) = parse(text).chunks
    assert (chunk.text, chunk.start_line, chunk.end_line) == (whole, 1, text.count("\n") + 1)
    assert set(chunk.tags) == set(re.findall("#[a-z]+", text))


def test_a_note_that_is_only_a_tag_has_a_chunk(parse: Parse) -> None:
    (chunk,) = parse("#cryptography").chunks
    assert (chunk.text, chunk.tags) == ("#cryptography", ("#cryptography",))


def test_every_passage_has_all_tags_of_its_note(parse: Parse) -> None:
    note = parse(f"---\ntags: [a]\n---\n# One\n{WORDS} #B\n# Two\n{WORDS} #b #c\n# Three\n{WORDS}")
    assert [chunk.tags for chunk in note.chunks] == [("#B", "#a"), ("#b", "#c", "#a"), ("#a",)]
    assert [set(chunk.note_tags) for chunk in note.chunks] == [
        {"#a", "#B", "#c"},
        {"#a", "#b", "#c"},
        {"#a", "#B", "#c"},
    ]


def test_the_tags_repeated_in_each_passage_are_limited(parse: Parse) -> None:
    note = parse("\n".join(f"# Part {n}\n{WORDS} #t{n}" for n in range(300)))
    assert len(note.chunks) == 300
    assert all(chunk.tags[0] in chunk.note_tags for chunk in note.chunks)
    assert max(len(chunk.note_tags) for chunk in note.chunks) == 201


def test_properties_too_long_to_go_with_the_text_are_chunks_of_their_own(parse: Parse) -> None:
    people = "\n".join(f"  - Person number {number}" for number in range(150))
    note = parse(f"---\npeople:\n{people}\ncolour: '#fff'\n---\n# H\n{WORDS}")
    assert note.chunks[-1].text == f"# H\n{WORDS}"
    assert note.chunks[-1].start_line == 155
    assert len(note.chunks) > 2
    assert all(chunk.tags == () for chunk in note.chunks)


def test_properties_begin_the_first_window_of_a_long_text(parse: Parse) -> None:
    """Alone, they would be a result without words of its own."""
    note = parse("---\npeople:\n  - Luna\ntags: [day]\n---\n" + "We talked about films. " * 300)
    first, second, *_ = note.chunks
    assert first.text.startswith("people:\n- Luna\ntags: [day]\n")
    assert first.text.endswith("films.") and len(first.text) > 1_000
    assert (first.start_line, first.tags) == (2, ("#day",))
    assert "Luna" not in second.text


def test_code_is_removed_by_default(parse: Parse) -> None:
    note = parse("before\n```python\n# not a heading\n#not_a_tag\n```\nafter #tag")
    assert [(readable(chunk.text), chunk.tags) for chunk in note.chunks] == [
        ("before\n[code: python, 2 lines]\n\nafter #tag", ("#tag",))
    ]
    assert note.chunks[0].end_line == 6


def test_the_mark_for_code_is_neither_searched_nor_embedded(parse: Parse) -> None:
    (marked,) = parse("# H\nbefore\n```python\nx\n```\nafter\n~~~\ny\nz\n~~~").chunks
    (bare,) = parse("# H\nbefore\n\n\n\nafter").chunks
    assert (marked.search_text, marked.embed_text) == (bare.search_text, bare.embed_text)
    assert (marked.content_hash, marked.chunk_id) == (bare.content_hash, bare.chunk_id)
    assert readable(marked.text).endswith("after\n[code, 2 lines]")
    for word in ("code", "python", "lines", "2"):
        assert word not in marked.text


def test_a_passage_that_ends_with_code_ends_where_the_code_ends(parse: Parse) -> None:
    text = f"# A\n{WORDS}\n```sh\none\n\ntwo\n```\n\n# B\n```\nx\n```\n{WORDS}\n"
    lines = [(chunk.start_line, chunk.end_line) for chunk in parse(text).chunks]
    assert lines == [(1, 7), (9, 13)]


def test_a_long_section_of_code_blocks_has_no_passage_without_words(parse: Parse) -> None:
    text = f"# A\n{WORDS}\n" + "```py\nx\n```\n\n" * 400
    chunks = parse(text).chunks
    assert len(chunks) == 1
    assert readable(chunks[0].text).count("[code: py, 1 line]") > 50


def test_kept_code_is_unchanged_and_has_neither_headings_nor_tags(parse: Parse) -> None:
    code = "```python\n# not a heading\nif x:\n    #not_a_tag\n```"
    note = parse(f"before\n{code}\nafter #tag", code_blocks="keep")
    assert [(chunk.text, chunk.tags) for chunk in note.chunks] == [
        (f"before\n{code}\nafter #tag", ("#tag",))
    ]


def test_long_kept_code_is_cut_at_its_lines(parse: Parse, wordpiece: WordPiece) -> None:
    lines = [f"    call(number_{number})  #tag{number}" for number in range(200)]
    note = parse("\n".join(["```", *lines, "```"]), code_blocks="keep")
    shown = {line.strip() for chunk in note.chunks for line in chunk.text.split("\n")}
    assert shown == {"```", *[line.strip() for line in lines]}
    assert all(chunk.tags == () for chunk in note.chunks)
    raw = ["```", *lines, "```"]
    for chunk in note.chunks:
        assert chunk.text.split("\n")[0].strip() == raw[chunk.start_line - 1].strip()
        assert chunk.text.split("\n")[-1].strip() == raw[chunk.end_line - 1].strip()


def test_code_within_a_comment_does_not_come_back(parse: Parse) -> None:
    note = parse("%%\n```\nsecret\n```\n%%\nshown", code_blocks="keep")
    assert [chunk.text for chunk in note.chunks] == ["shown"]


def test_blank_lines_are_collapsed_and_line_breaks_stay(parse: Parse) -> None:
    note = parse("a   b\n\n\n\n\nc\nd")
    assert note.chunks[0].text == "a b\n\nc\nd"
    assert (note.chunks[0].start_line, note.chunks[0].end_line) == (1, 7)


def test_an_empty_note_is_one_chunk_without_text(parse: Parse) -> None:
    for text in ("", "\n \n\t", "---\n---\n", "%%hidden%%", "```\n\n```"):
        (chunk,) = parse(text, "2024/2024-01-15 Kitchen shelf.md").chunks
        assert (chunk.text, chunk.start_line, chunk.end_line) == ("", 1, 1)
        assert chunk.search_text == chunk.embed_text == "2024-01-15 Kitchen shelf"
        assert chunk.date == "2024-01-15"


def test_a_note_that_is_only_code_shows_that(parse: Parse) -> None:
    (chunk,) = parse("\n```sql\nselect 1\n```\n", "Query.md").chunks
    assert readable(chunk.text) == "[code: sql, 1 line]"
    assert (chunk.start_line, chunk.end_line) == (2, 4)
    assert chunk.search_text == chunk.embed_text == "Query"


def test_an_empty_note_with_an_invisible_name_has_no_chunks(parse: Parse) -> None:
    assert parse("", "\u200b.md").chunks == ()
