"""EPUB books as they are read."""

import pytest

from ragd.notes.documents.model import Document, Place, Unreadable
from ragd.vault.document_worker import DocumentWorker
from ragd.vault.foreign_readers import reasons
from tests.vault.foreign_readers import both_ways
from tests.vault.foreign_readers.office_files import (
    LAUGHS,
    chapter,
    epub_of,
    simple_epub,
    zip_of,
)


def read(worker: DocumentWorker, data: bytes) -> Document:
    return both_ways.read_text(worker, "epub", data)


def test_a_book_is_read_chapter_by_chapter(worker: DocumentWorker) -> None:
    found = read(worker, simple_epub())
    assert found.text.split("\n\n") == [
        "Arrival",
        "The ferry came late.",
        "Winter",
        "Nobody came.",
        "• Snow",
    ]
    assert [(one.line, one.text) for one in found.headings] == [(1, "Arrival"), (5, "Winter")]
    assert found.places == (Place(1, "section=1"), Place(5, "section=2"))
    assert (found.title, found.date) == ("The Island", "2019-05-01")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>one\n  two</p>three", "one two\n\nthree"),
        ("<p>a<b>b</b>c <i> d</i></p>", "abc d"),
        ("<p>one<br/>two</p>", "one\ntwo"),
        ("<p>a &amp; b &lt; c</p>", "a & b < c"),
        ("<p>a<script>x()</script><style>y</style></p>", "a"),
        ("<p hidden=''>unseen <b>too</b></p><p>seen</p>", "seen"),
        ("<p>seen<!-- unseen --></p>", "seen"),
        ("<svg><text>unseen</text></svg><p>seen</p>", "seen"),
        ("<ruby>漢<rt>kan</rt></ruby>", "漢"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a | b"),
        ("<pre>one\n two</pre>", "one\ntwo"),
        ("<ol><li><p>item</p><p>more</p></li></ol>", "• item\n\nmore"),
        ("<div/><p>not <unclosed>", "not"),
        ("<p>before</p><svg><p>unclosed", "before"),
    ],
)
def test_a_chapter_is_read_as_it_is_seen(worker: DocumentWorker, body: str, text: str) -> None:
    assert read(worker, epub_of({"one.xhtml": chapter(body)})).text == text


def test_the_list_of_contents_is_not_a_chapter(worker: DocumentWorker) -> None:
    chapters = {"nav.xhtml": chapter("<p>Contents</p>"), "one.xhtml": chapter("<p>Text</p>")}
    found = read(worker, epub_of(chapters, attributes={"nav.xhtml": 'properties="nav"'}))
    assert found.text == "Text"


def test_names_are_looked_up_in_the_archive_only(worker: DocumentWorker) -> None:
    """`../` leads to another folder of the archive, and never out of it."""
    chapters = {"../../../../../../etc/passwd": "", "one.xhtml": chapter("<p>Text</p>")}
    found = read(worker, epub_of(chapters))
    assert found.text == "Text"
    assert found.warnings == ("1 of 2 sections are damaged",)
    inside = epub_of({"../Text/one.xhtml": chapter("")}, {"Text/one.xhtml": chapter("<p>In</p>")})
    assert read(worker, inside).text == "In"


def test_a_damaged_chapter_costs_only_itself(worker: DocumentWorker) -> None:
    chapters = {"one.xhtml": chapter("<p>One</p>"), "two.xhtml": chapter("<p>Two</p>")}
    data = bytearray(epub_of(chapters))
    listed = data.rindex(b"OEBPS/one.xhtml") - 46  # where the archive's list has its checksum
    assert data[listed : listed + 4] == b"PK\x01\x02"
    data[listed + 16] ^= 1
    found = read(worker, bytes(data))
    assert found.places == (Place(1, "section=2"),)
    assert found.warnings == ("1 of 2 sections are damaged",)


@pytest.mark.parametrize("rubbish", ["<![x <p>two", "<![if@ ]>", "<!DOCTYPE a [<!x ]>"])
def test_a_chapter_is_read_up_to_where_it_is_damaged(worker: DocumentWorker, rubbish: str) -> None:
    found = read(worker, epub_of({"one.xhtml": chapter(f"<p>one</p>{rubbish}")}))
    assert found.text.startswith("one")


def encryption_of(name: str) -> dict[str, str | bytes]:
    reference = f'<CipherData><CipherReference URI="{name}"/></CipherData>'
    return {"META-INF/encryption.xml": f"<encryption>{reference}</encryption>"}


def test_a_book_with_copy_protection(worker: DocumentWorker) -> None:
    chapters = {"one.xhtml": chapter("<p>Text</p>")}
    locked = epub_of(chapters, encryption_of("OEBPS/one.xhtml"))
    assert both_ways.read(worker, "epub", locked) == Unreadable(reasons.ENCRYPTED)
    fonts = epub_of(chapters, encryption_of("OEBPS/font.otf"))
    assert read(worker, fonts).text == "Text"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", reasons.DAMAGED),
        (simple_epub()[:400], reasons.DAMAGED),
        (zip_of({"META-INF/container.xml": "<container/>"}), reasons.DAMAGED),
        (
            zip_of({"META-INF/container.xml": f"{LAUGHS}<container>&i;</container>"}),
            reasons.ENTITIES,
        ),
        (epub_of({}), reasons.NO_TEXT),
        (epub_of({"one.xhtml": chapter("<p> </p>")}), reasons.NO_TEXT),
        (epub_of({"one.xhtml": " " * 70_000_000}), reasons.TOO_MUCH_UNPACKED),
    ],
    ids=["empty", "cut", "no package", "laughs", "no chapter", "no text", "bomb"],
)
def test_a_book_that_cannot_be_read(worker: DocumentWorker, data: bytes, reason: str) -> None:
    assert both_ways.read(worker, "epub", data) == Unreadable(reason)


def test_entities_of_a_chapter_do_not_grow(worker: DocumentWorker) -> None:
    text = f"{LAUGHS}<html><body><p>&i; end</p></body></html>"
    assert read(worker, epub_of({"one.xhtml": text})).text.endswith("&i; end")
