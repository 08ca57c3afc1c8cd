"""No input takes more than linear time: otherwise each of these would run for hours."""

import pytest

from ragd.notes.markdown import frontmatter
from ragd.notes.model import ChunkOptions
from ragd.notes.parse import parse_note
from ragd.notes.wordpiece import WordPiece
from ragd.vault.containment import contained_path

UNITS = [
    "a", "a ", "a\n", "\n", " ", "\t", "\r", "# a\n", "#a\n", "# a\nb\n", "## a ##\n", "#", "#t ",
    "字", "字。", "ส", "𠀀", "e\u0301", "👩\u200d💻", "\u202e", "한국어를 ",
    "`", "``", "```\n", "```x\n", "~~~x\n", "> ```\n", "> ```\n\n", "- ```\n",
    "<", "<a ", "<a '", '<a b="', "<b>", "<b", "<<b>>", "<!--", "<script>", "</style ", "<![CDATA[",
    "[[", "[[a|", "![[a", "%%", "%%%", "%", "(#a", "[x](", ";base64,", "http://a.b/c?d=e&",
    ". ", ".)", "-", "---\n", "a: [", "2024-01-15", "20240115", "1. ",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_no_repetition_takes_super_linear_time(wordpiece: WordPiece, unit: str) -> None:
    text = unit * (250_000 // len(unit))
    frontmatter.read(f"---\n{text}\n---\n")
    frontmatter.read(f"---\n{text[:60_000]}\n---\n")
    parse_note("Note.md", text.encode(), ChunkOptions(code_blocks="keep"), wordpiece.count)


def test_fences_of_falling_length_take_linear_time(wordpiece: WordPiece) -> None:
    text = "\n".join("`" * (3 + (4000 - number) % 400) for number in range(4000))
    parse_note("Note.md", text.encode(), ChunkOptions(), wordpiece.count)


def test_tags_in_tags_take_linear_time(wordpiece: WordPiece) -> None:
    for text in ("<a" * 60_000 + ">" * 60_000, "<" * 60_000 + "b>" * 60_000):
        parse_note("Note.md", text.encode(), ChunkOptions(), wordpiece.count)


def test_a_name_of_many_brackets_or_dots_takes_linear_time() -> None:
    frontmatter.read("---\ntitle: " + "[" * 60_000 + "\n---\n")
    frontmatter.read("---\n" + "a: {" * 15_000 + "\n---\n")
    for path in (". " * 2000 + "x", "%25" * 1300, "%" * 4000, "a/" * 2000):
        try:
            contained_path(path)
        except Exception as refused:
            assert type(refused).__name__ == "RagdError"
