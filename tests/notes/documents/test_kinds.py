"""The kinds of documents, by file name."""

import pytest

from ragd.notes.documents.kinds import (
    KINDS,
    MARKDOWN,
    count_kinds,
    default_patterns,
    kind_of,
    known_kind,
    with_kinds,
)
from ragd.protocol.kind_names import KIND_NAMES, count_phrase, counts_phrase
from ragd.vault.file_patterns import NotePatterns


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.md", "markdown"),
        ("A.MARKDOWN", "markdown"),
        ("Boards/a.canvas", "canvas"),
        ("a.excalidraw", "excalidraw"),
        ("Drawings/A.Excalidraw.MD", "excalidraw"),
        ("a.txt", "text"),
        ("a.org", "text"),
        ("a.rst", "text"),
        ("a.html", "html"),
        ("a.HTM", "html"),
        ("Papers/a.b.PDF", "pdf"),
        ("a.docx", "docx"),
        ("a.epub", "epub"),
        ("scan.JPG", "image"),
    ],
)
def test_the_name_of_a_file_says_its_kind(path: str, name: str) -> None:
    assert kind_of(path).name == name
    assert known_kind(path) is KINDS[name]


@pytest.mark.parametrize("path", ["a.xyz", "README", "folder.pdf/note", ".pdfx", "pdf"])
def test_a_file_of_no_kind_is_read_as_markdown(path: str) -> None:
    assert known_kind(path) is None
    assert kind_of(path) is MARKDOWN


def test_the_default_patterns_include_every_kind_but_images_and_sessions() -> None:
    patterns = NotePatterns(default_patterns())
    included = {
        kind.name
        for kind in KINDS.values()
        if all(patterns.match("", f"a{suffix}") for suffix in kind.suffixes)
    }
    assert included == KINDS.keys() - {"image", "session"}


def test_only_kinds_that_the_worker_reads_are_slow_and_only_sessions_may_be_large_too() -> None:
    slow = {kind.name for kind in KINDS.values() if kind.is_slow}
    assert slow == {"pdf", "docx", "epub", "image"}
    large = {kind.name for kind in KINDS.values() if kind.most_bytes > MARKDOWN.most_bytes}
    assert large == slow | {"session"}


def test_patterns_of_kinds_are_added_to_those_of_a_person() -> None:
    assert with_kinds(["*.md", "*.txt"], ["pdf", "text", "image"]) == (
        *("*.md", "*.txt"),
        *("*.text", "*.org", "*.rst", "*.pdf"),
    )


def test_every_kind_has_a_name_for_people() -> None:
    assert KIND_NAMES.keys() == KINDS.keys()
    assert [kind.plural for kind in KINDS.values()][-4:] == [
        *("PDFs", "Word documents"),
        *("EPUBs", "images"),
    ]


def test_files_are_counted_by_kind() -> None:
    assert count_kinds(["a.pdf", "b.md", "c.PDF", "d"]) == {"markdown": 2, "pdf": 2}


def test_counts_are_written_for_people() -> None:
    assert count_phrase("pdf", 1) == "1 PDF"
    assert count_phrase("video", 2) == "2 video files"
    assert counts_phrase([]) == ""
    assert counts_phrase([("pdf", 1200), ("canvas", 0)]) == "1,200 PDFs"
    assert counts_phrase([("pdf", 12), ("canvas", 1), ("image", 2)]) == (
        "12 PDFs, 1 canvas and 2 images"
    )
