"""Word files as they are read."""

import re

import pytest

from ragd.notes.documents.model import Document, Place, Unreadable
from ragd.vault.document_worker import DocumentWorker
from ragd.vault.foreign_readers import limits, reasons
from tests.vault.foreign_readers import both_ways
from tests.vault.foreign_readers.office_files import (
    LAUGHS,
    OUTSIDE,
    W,
    docx_of,
    docx_with_entities,
    item,
    paragraph,
    run,
    simple_docx,
    table,
    zip_of,
)


def read(worker: DocumentWorker, data: bytes) -> Document:
    return both_ways.read_text(worker, "docx", data)


def test_a_file_is_read_section_by_section(worker: DocumentWorker) -> None:
    found = read(worker, simple_docx())
    assert found.text.split("\n\n") == [
        "Crossing",
        "The ferry leaves at seven.",
        "• Bring water.",
        "Prices",
        "Adult | 12\nChild | 6",
    ]
    assert [(one.level, one.text) for one in found.headings] == [(1, "Crossing"), (2, "Prices")]
    assert found.places == (Place(1, "section=1"), Place(7, "section=2"))
    assert (found.title, found.date) == ("Ferry times", "2024-03-14")


@pytest.mark.parametrize(
    ("style", "level"),
    [("berschrift1", 1), ("Heading2", 2), ("Mine", 2), ("Chapter", 3), ("Normal", 0), ("Loop", 0)],
)
def test_a_style_may_be_that_of_a_heading(worker: DocumentWorker, style: str, level: int) -> None:
    found = read(worker, docx_of(paragraph("Boats", style)))
    assert [one.level for one in found.headings] == [level] * bool(level)


def test_text_before_the_first_heading_is_the_first_section(worker: DocumentWorker) -> None:
    found = read(worker, docx_of(paragraph("Before.") + paragraph("Boats", "Heading2")))
    assert found.places == (Place(1, "section=1"), Place(3, "section=2"))


def test_footnotes_follow_their_paragraph(worker: DocumentWorker) -> None:
    notes = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:type="separator" w:id="0">{paragraph("-")}'
        f'</w:footnote><w:footnote w:id="2">{paragraph("Not in winter.")}</w:footnote>'
        "</w:footnotes>"
    )
    body = f'<w:p>{run("It leaves at seven.")}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    found = read(worker, docx_of(body + paragraph("Next."), footnotes=notes))
    assert found.text == "It leaves at seven.\n\nNot in winter.\n\nNext."


def test_deleted_and_hidden_text_is_not_read(worker: DocumentWorker) -> None:
    body = (
        f"<w:p>{run('Shown. ')}<w:del><w:r><w:delText>Deleted.</w:delText></w:r></w:del>"
        f"{run('Hidden.', '<w:vanish/>')}{run('Seen.', '<w:vanish w:val=&quot;0&quot;/>')}</w:p>"
    ).replace("&quot;", '"')
    assert read(worker, docx_of(body)).text == "Shown. Seen."


def test_a_text_box_is_read_once(worker: DocumentWorker) -> None:
    box = f"<w:txbxContent>{paragraph('In the box.')}</w:txbxContent>"
    body = (
        f"<w:p>{run('Around.')}<w:r><mc:AlternateContent><mc:Choice>{box}</mc:Choice>"
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert read(worker, docx_of(body)).text == "In the box.\n\nAround."


def test_a_table_in_a_table_is_text_of_its_cell(worker: DocumentWorker) -> None:
    inner = table(("a", "b"))
    assert read(worker, docx_of(table(("one", inner), ("two", "c")))).text == "one | a b\ntwo | c"


def test_breaks_and_tabs_separate_words(worker: DocumentWorker) -> None:
    body = f"<w:p>{run('one')}<w:r><w:tab/></w:r>{run('two')}<w:r><w:br/></w:r>{run('three')}</w:p>"
    assert read(worker, docx_of(body)).text == "one two\nthree"


def test_an_empty_file_has_no_text(worker: DocumentWorker) -> None:
    assert both_ways.read(worker, "docx", docx_of(paragraph(" "))) == Unreadable(reasons.NO_TEXT)


# Attacks.


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", simple_docx()[:500], b"hello" * 99])
def test_a_file_that_is_cut_off(worker: DocumentWorker, data: bytes) -> None:
    assert both_ways.read(worker, "docx", data) == Unreadable(reasons.DAMAGED)


def test_a_file_without_its_text(worker: DocumentWorker) -> None:
    assert both_ways.read(worker, "docx", zip_of({"a": "b"})) == Unreadable(reasons.DAMAGED)


def test_an_encrypted_file(worker: DocumentWorker) -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    assert both_ways.read(worker, "docx", data) == Unreadable(reasons.ENCRYPTED)
    flagged = bytearray(zip_of({"word/document.xml": "x"}))
    flagged[flagged.index(b"PK\x01\x02") + 8] |= 1
    assert both_ways.read(worker, "docx", bytes(flagged)) == Unreadable(reasons.ENCRYPTED)


@pytest.mark.parametrize("declaration", [LAUGHS, OUTSIDE], ids=["laughs", "outside"])
def test_entities_are_refused(worker: DocumentWorker, declaration: str) -> None:
    data = docx_with_entities(declaration)
    assert both_ways.read(worker, "docx", data) == Unreadable(reasons.ENTITIES)


def test_a_part_that_unpacks_to_too_much(worker: DocumentWorker) -> None:
    bomb = docx_of(f"<w:p>{' ' * (limits.ZIP_ENTRY_BYTES + 1)}</w:p>")
    assert len(bomb) < 100_000
    assert both_ways.read(worker, "docx", bomb) == Unreadable(reasons.TOO_MUCH_UNPACKED)
    dense = docx_of(f"<w:p>{' ' * (limits.ZIP_RATIO_FROM_BYTES + 1)}</w:p>")
    assert both_ways.read(worker, "docx", dense) == Unreadable(reasons.TOO_MUCH_UNPACKED)


def test_a_part_that_lies_about_its_size(worker: DocumentWorker) -> None:
    """It says that it has 10 bytes, and would unpack to 60 million."""
    data = bytearray(zip_of({"word/document.xml": bytes(60_000_000)}))
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        place = data.index(mark) + at
        data[place : place + 4] = (10).to_bytes(4, "little")
    assert both_ways.read(worker, "docx", bytes(data)) == Unreadable(reasons.DAMAGED)


def test_too_many_parts(worker: DocumentWorker) -> None:
    data = zip_of({f"{number}": "" for number in range(limits.ZIP_ENTRIES + 1)})
    assert both_ways.read(worker, "docx", data) == Unreadable(reasons.TOO_MUCH_UNPACKED)


def test_elements_in_elements_without_end(worker: DocumentWorker) -> None:
    depth = 100_000
    found = both_ways.read(worker, "docx", docx_of("<w:tbl>" * depth + "</w:tbl>" * depth))
    assert found == Unreadable(reasons.DAMAGED)


def test_very_much_text_is_cut(worker: DocumentWorker) -> None:
    words = " ".join(f"word{number}" for number in range(10_000))
    body = paragraph(words) * 70
    found = read(worker, docx_of(body))
    assert 4_900_000 < len(found.text) <= limits.CHARACTERS
    assert re.fullmatch(r"4,9[\d,]+ of 6,2[\d,]+ characters were read", found.warnings[0])


def test_items_of_lists_have_a_mark(worker: DocumentWorker) -> None:
    assert read(worker, docx_of(item("a") + item("b"))).text == "• a\n\n• b"
