"""No input takes more than linear time: otherwise each of these would run for hours."""

import json

import pytest

from ragd.notes.documents.read_document import READERS
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


DOCUMENT_UNITS = [
    "a ", "\n", "* a\n", "*", ":PROPERTIES:\n", ":END:\n", "#+a:\n", "[[a][b]]", "[[", "==\n",
    "a\n===\n", ".. ", "<", "<h1>", "<h1 ", "</h1>", "<script>", "<title>", "<svg ", "<!--", "<a ",
    "<meta ", "<a href='", "&", "&lt;", "&#", "{", "[", '"', '{"a":', "## Text Elements\n", " ^a\n",
    "```json\n", "%%\n", "==⚠\n", "\x02", "\x022",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("suffix", sorted(READERS))
def test_no_document_takes_super_linear_time(wordpiece: WordPiece, suffix: str) -> None:
    for unit in DOCUMENT_UNITS:
        text = unit * (250_000 // len(unit))
        parse_note(f"a{suffix}", text.encode(), ChunkOptions(), wordpiece.count)


@pytest.mark.slow
def test_a_canvas_of_many_groups_takes_linear_time(wordpiece: WordPiece) -> None:
    box = {"x": 0, "y": 0, "width": 9, "height": 9, "label": "a b c d", "text": "a b c d"}
    for kind in ("group", "text"):
        nodes = [{"id": str(n), "type": kind, **box} for n in range(20_000)]
        nodes += [{"id": f"g{n}", "type": "group", **box} for n in range(500)]
        data = json.dumps({"nodes": nodes}).encode()
        parse_note("a.canvas", data, ChunkOptions(), wordpiece.count)


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
