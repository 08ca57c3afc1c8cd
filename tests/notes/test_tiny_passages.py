"""Passages of a few words, which join a neighbour. Tested with whole notes."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragd.config.schema import MemorySettings, SecuritySettings
from ragd.guard.default_kinds import NotePart, default_kinds
from ragd.guard.rules import Rules
from ragd.guard.sensitive import categories
from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import parse_note
from ragd.notes.tiny_passages import count_words
from ragd.notes.wordpiece import WordPiece
from tests.notes.conftest import Parse

WORDS = "enough words for a passage"


def cut(parse: Parse, text: str) -> list[tuple[str | None, int, int]]:
    return [(chunk.section, chunk.start_line, chunk.end_line) for chunk in parse(text).chunks]


@pytest.mark.parametrize(
    "end",
    [
        "#draft",
        "#draft\nTODO",
        "## Later",
        "## Source\n[[Physics]]",
        "## Pictures\n![[heat.png]]\n![a heat engine](engine.png)",
        "## See also\n- [[Heat]]\n- [[Disorder]]\n- https://example.com/a/b",
        "## Status\nNot finished yet.",
        "## Usage\nExample:\n```python\nx = 1\n```",
    ],
)
def test_a_few_words_at_the_end_of_a_note_are_no_result_of_their_own(
    parse: Parse, end: str
) -> None:
    text = f"# Entropy\n{WORDS}\n\n{end}"
    (chunk,) = parse(text).chunks
    assert (chunk.section, chunk.start_line) == ("Entropy", 1)
    assert chunk.end_line == text.count("\n") + 1
    assert chunk.text.startswith(f"# Entropy\n{WORDS}\n\n{end.splitlines()[0]}")


def test_a_tiny_section_joins_the_next_one_below_the_same_heading(parse: Parse) -> None:
    text = f"# Recipe\n{WORDS}\n## Time\n20 minutes\n## Steps\n{WORDS}\n# Other\n{WORDS}"
    assert cut(parse, text) == [("Recipe", 1, 2), ("Steps", 3, 6), ("Other", 7, 8)]
    steps = parse(text).chunks[1]
    assert steps.text == f"## Time\n20 minutes\n## Steps\n{WORDS}"
    assert steps.heading_path == "Recipe > Steps"


def test_the_last_tiny_section_of_a_chapter_joins_the_one_before_it(parse: Parse) -> None:
    text = f"# A\n{WORDS}\n## Time\n20 minutes\n# B\n{WORDS}"
    assert cut(parse, text) == [("A", 1, 4), ("B", 5, 6)]


def test_tiny_sections_in_a_row_join_until_they_have_enough_words(parse: Parse) -> None:
    text = "\n".join(f"## Letter {letter}\nfirst {letter}, second" for letter in "abcdef")
    assert cut(parse, text) == [("Letter b", 1, 4), ("Letter d", 5, 8), ("Letter f", 9, 12)]


def test_a_whole_tiny_note_is_one_passage(parse: Parse) -> None:
    for text in ("#draft", "x", "# A\n## B", "# A\nx\n# B\ny", "![[picture.png]]"):
        (chunk,) = parse(text).chunks
        assert chunk.text.split() == text.replace("![[", "").replace("]]", "").split()


def test_text_before_the_first_heading_joins_what_is_below_it(parse: Parse) -> None:
    assert cut(parse, f"---\na: b\n---\nAcronym: FUSE\n# A\n{WORDS}") == [("A", 2, 6)]


def test_sections_of_different_dates_stay_apart(parse: Parse) -> None:
    note = parse("# Debts\n## 2024-03-01\nPaid $40.\n## 2024-03-02\nPaid $50.\n## Links\n[[Bo]]")
    assert [(chunk.date, chunk.start_line, chunk.end_line) for chunk in note.chunks] == [
        ("2024-03-01", 1, 3),
        ("2024-03-02", 4, 5),
        (None, 6, 7),
    ]


def test_an_embedded_file_joins_a_section_of_any_date(parse: Parse) -> None:
    text = "## 2024-03-01\nPaid the last $40.\n## Receipt\n![[receipt.png]]"
    assert [(chunk.date, chunk.end_line) for chunk in parse(text).chunks] == [("2024-03-01", 4)]


def test_tiny_sections_of_one_date_join(parse: Parse) -> None:
    note = parse("# 2024-03-01\n## Lunch\nSoup.\n## Dinner\nBread with cheese and olives.")
    assert [(chunk.section, chunk.date) for chunk in note.chunks] == [("Dinner", "2024-03-01")]


@pytest.mark.parametrize(
    "heading", ["#mentalhealth", "## Mental health", "# 2. Therapy", "## 病历"]
)
@pytest.mark.parametrize("tiny", ["first", "last"])
def test_a_sensitive_section_joins_no_other_one(parse: Parse, heading: str, tiny: str) -> None:
    private, other = (heading, "Better."), ("# Work", WORDS)
    if tiny == "last":
        private, other = (heading, WORDS), ("# Work", "Better.")
    for one, two in ((private, other), (other, private)):
        text = "\n".join((*one, *two))
        chunks = parse(text).chunks
        assert [chunk.text for chunk in chunks] == ["\n".join(one), "\n".join(two)]


def test_a_section_with_a_sensitive_tag_joins_no_other_one(parse: Parse) -> None:
    assert len(parse(f"# A\n{WORDS}\n# B\nLow. #mentalhealth").chunks) == 2
    assert len(parse(f"# A\n{WORDS}\n# B\nLow. #weather").chunks) == 1


def test_a_few_sensitive_words_join_no_section_without_any(parse: Parse) -> None:
    assert len(parse(f"# A\n{WORDS}\n# B\nPaid Bo $40.").chunks) == 2
    assert len(parse("# A\nPaid Ana $30 for the tickets.\n# B\nPaid Bo $40.").chunks) == 1
    assert len(parse(f"# A\n{WORDS}\n# B\n![[therapy.png]]").chunks) == 2
    assert len(parse("# A\nPaid Ana $30 for the tickets.\n# B\n![[a.png]]").chunks) == 1


def test_sections_of_the_same_sensitive_heading_join(parse: Parse) -> None:
    note = parse(f"# Therapy\n## Sleep\nBad.\n## Food\n{WORDS}")
    assert [chunk.heading_path for chunk in note.chunks] == ["Therapy > Food"]


def test_sections_below_different_hashtags_stay_apart(parse: Parse) -> None:
    note = parse(f"# Day\n#garden\n{WORDS}\n#kitchen\nSoup.")
    assert [chunk.tags for chunk in note.chunks] == [("#garden",), ("#kitchen",)]
    note = parse(f"# Day\n{WORDS}\n#kitchen\nSoup.")
    assert [chunk.tags for chunk in note.chunks] == [("#kitchen",)]


def test_a_tiny_section_that_does_not_fit_stays_alone(parse: Parse) -> None:
    text = "# A\n" + "word " * 96 + "\n# B\nvery tiny"
    assert len(parse(text, chunk_size=100, chunk_overlap=0).chunks) == 2
    assert len(parse(text, chunk_size=110, chunk_overlap=0).chunks) == 1


def test_kept_code_is_not_tiny(parse: Parse) -> None:
    text = f"# A\n{WORDS}\n# B\n```\nx\n```"
    assert len(parse(text, code_blocks="keep").chunks) == 2
    assert len(parse(text).chunks) == 1


def test_a_long_list_of_links_is_a_passage(parse: Parse) -> None:
    links = "\n".join(f"- [[Note {number}]]" for number in range(5))
    assert len(parse(f"# A\n{WORDS}\n# Map\n{links}").chunks) == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", 0),
        ("two words", 2),
        ("- [ ] #task buy milk", 2),
        ("## a heading of five words", 0),
        ("#one #two", 0),
        ("![[a picture of a cat.png|300]]", 0),
        ("[[a note with a long name]] and [more of it](https://example.com/x)", 3),
        ("https://example.com/a,b", 1),
        ("<b>bold</b> %%a hidden remark%%", 1),
        ("今日は天気がいい。", 4),
        ("买 牛奶", 2),
        ("한국어를 공부합니다", 2),
        ("--- *** | | —", 0),
    ],
)
def test_words_are_counted_as_a_reader_would(line: str, words: int) -> None:
    assert count_words([line]) == words


def test_the_kinds_that_keep_sections_apart_are_those_of_the_default_rules() -> None:
    rules = Rules.from_config(SecuritySettings(), MemorySettings())
    for heading in ("#mentalhealth", "1. Therapy", "病历", "Relations", "Work", "#draft"):
        part = NotePart("text", heading, heading)
        assert default_kinds(part) == set(categories(part, heading, rules))
    assert default_kinds(NotePart("text", "My mental health", "")) == {"health"}
    assert default_kinds(NotePart("text", None, "", ("#Relations/Amma",))) == {"relations"}
    assert default_kinds(NotePart("I owe him $5", None, "")) == {"financial_debt"}
    assert default_kinds(NotePart("text", "Work", "2024 > Work")) == set()


HEADINGS = st.sampled_from(
    ["# A", "## B", "### C", "#tag", "#mentalhealth", "## Therapy", "## 2024-01-15", "# 2024-02-01"]
)
BODIES = st.sampled_from(
    ["", "x", "two words", WORDS, "word " * 120, "![[p.png]]", "[[Note]]", "```py\ncode\n```", "字"]
)


@settings(max_examples=200, deadline=None)
@given(
    parts=st.lists(st.tuples(HEADINGS, BODIES), max_size=12),
    size=st.sampled_from([20, 60, 500]),
    code=st.sampled_from(["keep", "remove"]),
)
@example(parts=[("## Therapy", "x"), ("# A", "x"), ("#mentalhealth", "")], size=20, code="keep")
@example(parts=[("## Therapy", "x"), ("# A", "x"), ("## Therapy", "")], size=20, code="keep")
def test_nothing_is_lost_and_dates_and_sensitive_sections_are_not_mixed(
    wordpiece: WordPiece, parts: list[tuple[str, str]], size: int, code: str
) -> None:
    text = "\n".join(f"{heading}\n{body}" for heading, body in parts)
    note = parse_note("Note.md", text.encode(), ChunkOptions(size, 0, code), wordpiece.count)
    assert isinstance(note, Note)
    shown = " ".join(chunk.text for chunk in note.chunks)
    without_fences = re.sub("```py\ncode\n```", "", text)
    for word in re.findall(r"[#\w]+", without_fences):
        assert word in shown
    lines = [(chunk.start_line, chunk.end_line) for chunk in note.chunks]
    assert lines == sorted(lines)
    written = text.split("\n")
    for chunk in note.chunks:
        covered = written[chunk.start_line - 1 : chunk.end_line]
        bodies = [part for part in sections_of(covered) if part[1].strip("`pycode\n")]
        texts = [heading for heading, body in bodies if body.strip() != "![[p.png]]"]
        days = {found.group() for one in texts if (found := re.search(r"\d{4}-\d\d-\d\d", one))}
        assert len(days) <= 1
        if any("Therapy" in heading for heading, _ in bodies):
            part = NotePart(chunk.text, chunk.section, chunk.heading_path, chunk.tags)
            assert default_kinds(part) == {"health"}


def sections_of(lines: list[str]) -> list[tuple[str, str]]:
    """Each heading of these lines with the text below it."""
    found: list[tuple[str, str]] = []
    for line in lines:
        if line.startswith("#"):
            found.append((line, ""))
        elif found:
            found[-1] = (found[-1][0], f"{found[-1][1]}{line}\n")
    return found
