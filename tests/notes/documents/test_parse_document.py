"""Documents as notes: chunks with a kind and a position."""

import json

import pytest

from ragd.notes.chunk_maker import TOO_MANY
from ragd.notes.documents.kinds import KINDS
from ragd.notes.documents.model import Document, Heading, Place, Unreadable
from ragd.notes.documents.read_document import READERS
from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import HIDDEN, NOT_READ, Unparsable, parse_note
from ragd.notes.wordpiece import WordPiece
from tests.notes.conftest import Parse

PAPER = Document(
    "A study of herons\nWe watched them for many years.\nMethods\nWith patience and a good boat.\n"
    "\nIt took years of early mornings.\nResults\nThere were many more than expected.",
    title="Herons",
    date="2019-04-01",
    headings=(
        Heading(1, 1, "A study of herons"),
        Heading(3, 2, "Methods"),
        Heading(7, 2, "Results"),
    ),
    places=(Place(1, "page=1"), Place(6, "page=2")),
)


def parse_paper(document: Document | Unreadable | None, wordpiece: WordPiece) -> Note | Unparsable:
    data = b"%PDF"
    return parse_note("Papers/h.pdf", data, ChunkOptions(), wordpiece.count, document=document)


def test_every_kind_that_is_read_here_has_a_reader() -> None:
    listed = {suffix for kind in KINDS.values() if kind.how == "reader" for suffix in kind.suffixes}
    assert set(READERS) == listed


def test_a_passage_never_spans_two_places(wordpiece: WordPiece) -> None:
    note = parse_paper(PAPER, wordpiece)
    assert isinstance(note, Note)
    assert [(one.position, one.heading_path, one.text) for one in note.chunks] == [
        ("page=1", "A study of herons", "A study of herons\nWe watched them for many years."),
        ("page=1", "A study of herons > Methods", "Methods\nWith patience and a good boat."),
        ("page=2", "A study of herons > Methods", "It took years of early mornings."),
        ("page=2", "A study of herons > Results", "Results\nThere were many more than expected."),
    ]
    assert {(one.kind, one.collection, one.date) for one in note.chunks} == {
        ("pdf", "vault", "2019-04-01")
    }
    assert note.title == "Herons"
    assert note.chunks[0].names == ("h", "A study of herons")


def test_a_heading_alone_on_its_place_stays_there(wordpiece: WordPiece) -> None:
    document = Document(
        "Title page\nMore words",
        headings=(Heading(1, 1, "Title page"),),
        places=(Place(1, "page=1"), Place(2, "page=2")),
    )
    note = parse_paper(document, wordpiece)
    assert isinstance(note, Note)
    assert [one.position for one in note.chunks] == ["page=1", "page=2"]


def test_the_answer_of_a_worker_is_cleaned(wordpiece: WordPiece) -> None:
    document = Document(
        "a\u202e <script>x</script>\rb #tag",
        title="<b>T\u200b",
        headings=(Heading(9, 1, "beyond the end"), Heading(1, 0, "<i>one")),
        places=(Place(7, "page=9"), Place(1, "page=1")),
    )
    note = parse_paper(document, wordpiece)
    assert isinstance(note, Note)
    (chunk,) = note.chunks
    assert chunk.text == "a < script>x< /script> b #tag"
    assert (chunk.position, note.title, chunk.section) == ("page=1", "< b>T", "< i>one")
    assert chunk.tags == ()


def test_a_document_that_cannot_be_read_has_its_reason(wordpiece: WordPiece) -> None:
    assert parse_paper(Unreadable("it is encrypted"), wordpiece) == Unparsable("it is encrypted")
    assert parse_paper(None, wordpiece) == Unparsable(NOT_READ)


def test_an_empty_document_is_found_by_its_name(wordpiece: WordPiece) -> None:
    note = parse_paper(Document(""), wordpiece)
    assert isinstance(note, Note)
    (chunk,) = note.chunks
    assert (chunk.text, note.title, chunk.kind) == ("", "h", "pdf")


def test_a_text_file_or_a_drawing_can_be_hidden(parse: Parse) -> None:
    for path in ("a.txt", "a.org", "a.excalidraw.md"):
        assert parse("---\nrag: false\n---\nsecret", path).hidden == HIDDEN


def test_a_drawing_in_markdown_has_its_properties(parse: Parse) -> None:
    text = "---\ntags: [drawn]\naliases: [Sketch]\n---\n# Text Elements\na beak ^aa #bird\n"
    note = parse(text, "Drawings/Heron.excalidraw.md")
    assert (note.title, note.aliases, note.tags) == ("Heron", ("Sketch",), ("#drawn",))


def test_tags_in_a_canvas_are_tags(parse: Parse) -> None:
    data = json.dumps({"nodes": [{"id": "a", "type": "text", "text": "a heron by the #river"}]})
    (chunk,) = parse(data, "a.canvas").chunks
    assert (chunk.tags, chunk.position, chunk.kind) == (("#river",), "node=a", "canvas")


def test_a_text_without_places_is_cited_by_lines(parse: Parse) -> None:
    first, second = parse(
        "* One\nfive words are not few\n\n* Two\nand these are more words\n", "a.org"
    ).chunks
    assert (first.position, first.start_line, first.end_line) == ("", 1, 2)
    assert (second.position, second.start_line, second.end_line) == ("", 4, 5)


def test_a_file_of_no_kind_is_markdown(parse: Parse) -> None:
    (chunk,) = parse("# A\nb #tag", "notes.xyz").chunks
    assert (chunk.kind, chunk.section, chunk.tags) == ("markdown", "A", ("#tag",))


def test_a_document_of_too_many_passages_is_left_out(
    wordpiece: WordPiece, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragd.notes.chunk_maker.MOST_CHUNKS", 3)
    note = parse_paper(PAPER, wordpiece)
    assert isinstance(note, Note)
    assert (note.hidden, note.chunks) == (TOO_MANY, ())
