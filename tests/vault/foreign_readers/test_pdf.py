"""PDF files as they are read: pages, headings, paragraphs, title and date."""

import pytest

from ragd.notes.documents.model import Document, Heading, Place, Unreadable
from ragd.vault.document_worker import DocumentWorker
from ragd.vault.foreign_readers import limits, reasons
from tests.vault.foreign_readers import both_ways, pdf_files
from tests.vault.foreign_readers.pdf_files import PdfFile, Printed, column, drawn, pdf_of

BODY = [
    "The ferry to the island leaves at seven in the morning and comes back",
    "at nine in the evening. In winter it does not run when the wind is over",
    "forty knots, and the harbour master says so on the radio.",
]


def read(worker: DocumentWorker, data: bytes) -> Document:
    return both_ways.read_text(worker, "pdf", data)


def test_every_page_is_a_place(worker: DocumentWorker) -> None:
    found = read(worker, pdf_of(*([Printed(f"Boat number {name}.")] for name in "abc")))
    assert found.text == "Boat number a.\n\nBoat number b.\n\nBoat number c."
    assert found.places == (Place(1, "page=1"), Place(3, "page=2"), Place(5, "page=3"))


def test_a_page_without_text_is_counted_and_the_others_keep_their_numbers(
    worker: DocumentWorker,
) -> None:
    found = read(worker, pdf_of([], [Printed("Only here.")]))
    assert found.places == (Place(1, "page=2"),)
    assert found.warnings == ("1 of 2 pages have no text",)


def test_the_lines_of_a_paragraph_become_one(worker: DocumentWorker) -> None:
    found = read(worker, pdf_of(column(BODY)))
    assert found.text == " ".join(BODY)


def test_a_larger_gap_ends_a_paragraph(worker: DocumentWorker) -> None:
    lines = [*column(BODY), *column(BODY, top=600)]
    assert read(worker, pdf_of(lines)).text == f"{' '.join(BODY)}\n\n{' '.join(BODY)}"


def test_divided_words_are_whole_again(worker: DocumentWorker) -> None:
    lines = ["The harbour master announces the depar-", "ture of the last ferry on the island ra-"]
    found = read(worker, pdf_of(column([*lines, "dio every evening at a quarter past eight."])))
    assert "departure" in found.text and "radio" in found.text


def test_larger_text_is_a_heading_and_its_size_is_its_level(worker: DocumentWorker) -> None:
    lines = [
        Printed("Crossing to the island", y=780, size=24),
        Printed("Times", y=740, size=16),
        *column(BODY, top=715),
        Printed("Prices", y=640, size=16),
        *column(BODY, top=615),
    ]
    found = read(worker, pdf_of(lines))
    assert [(one.level, one.text) for one in found.headings] == [
        (1, "Crossing to the island"),
        (2, "Times"),
        (2, "Prices"),
    ]
    rows = found.text.split("\n")
    assert [rows[one.line - 1] for one in found.headings] == [one.text for one in found.headings]
    assert found.title == "Crossing to the island"


def test_a_size_that_a_matrix_makes_is_seen(worker: DocumentWorker) -> None:
    file = PdfFile()
    scaled = b"BT /F1 1 Tf 24 0 0 24 72 780 Tm (Crossing) Tj ET\n"
    file.add_page(scaled + drawn(column(BODY)))
    assert read(worker, file.data()).headings == (Heading(1, 1, "Crossing"),)


def test_repeated_lines_at_the_edges_are_dropped_after_the_first(worker: DocumentWorker) -> None:
    pages = [
        [
            Printed("Harbour report 2024", y=810, size=9),
            *column([f"Body {number} {BODY[0]}", *BODY[1:]], top=720),
            Printed(f"Page {number} of 6", y=30, size=9),
        ]
        for number in range(1, 7)
    ]
    found = read(worker, pdf_of(*pages))
    assert found.text.count("Harbour report 2024") == 1
    assert "Page 1 of 6" in found.text and found.text.count("Page ") == 1
    assert found.text.count("Body ") == 6


def test_a_line_in_the_middle_of_every_page_stays(worker: DocumentWorker) -> None:
    pages = [column([*BODY, f"Refrain {number}", *BODY], top=700) for number in range(6)]
    assert read(worker, pdf_of(*pages)).text.count("Refrain") == 6


def test_bare_page_numbers_are_dropped(worker: DocumentWorker) -> None:
    pages = [[*column(BODY), Printed(str(number), y=30)] for number in range(10, 16)]
    assert not any(line.isdigit() for line in read(worker, pdf_of(*pages)).text.split("\n"))


def test_title_and_date_come_from_the_file(worker: DocumentWorker) -> None:
    data = pdf_of(column(BODY), Title="Ferry times", CreationDate="D:20240314120000Z")
    found = read(worker, data)
    assert (found.title, found.date) == ("Ferry times", "2024-03-14")


@pytest.mark.parametrize("title", ["Microsoft Word - times.doc", "untitled", "12", "times.pdf"])
def test_a_title_that_a_program_made_up_is_not_one(worker: DocumentWorker, title: str) -> None:
    assert read(worker, pdf_of(column(BODY), Title=title)).title == ""


@pytest.mark.parametrize("day", ["D:00010101", "D:20241399", "D:29990101", "yesterday"])
def test_a_date_that_cannot_be_is_not_one(worker: DocumentWorker, day: str) -> None:
    assert read(worker, pdf_of(column(BODY), CreationDate=day)).date is None


def test_two_columns_are_read_one_after_the_other(worker: DocumentWorker) -> None:
    left, right = [f"left {n} of the text" for n in "abc"], [f"right {n} of it all" for n in "abc"]
    found = read(worker, pdf_of([*column(left), *column(right, x=320)]))
    assert found.text.replace("\n", " ").index("left c") < found.text.index("right a")


# Attacks.


def test_an_encrypted_file(worker: DocumentWorker) -> None:
    assert worker.read("pdf", pdf_files.encrypted_pdf()) == Unreadable(reasons.ENCRYPTED)


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"hello", pdf_files.simple_pdf()[:300]])
def test_a_file_that_is_cut_off(worker: DocumentWorker, data: bytes) -> None:
    assert worker.read("pdf", data) == Unreadable(reasons.DAMAGED)


def test_a_file_without_its_end_is_still_read(worker: DocumentWorker) -> None:
    data = pdf_files.simple_pdf()
    assert "ferry" in read(worker, data[: data.rindex(b"startxref")]).text


def test_pages_that_contain_themselves(worker: DocumentWorker) -> None:
    assert isinstance(worker.read("pdf", pdf_files.recursive_page_tree()), Unreadable)


@pytest.mark.slow
def test_a_drawing_that_contains_itself(worker: DocumentWorker) -> None:
    assert isinstance(worker.read("pdf", pdf_files.recursive_forms()), Unreadable)
    assert isinstance(worker.read("pdf", pdf_files.recursive_forms(8)), Unreadable)
    assert "ferry" in read(worker, pdf_files.simple_pdf()).text


@pytest.mark.parametrize("number", [b"9" * 99 + b".7", b"-" + b"9" * 39 + b".0", b"9" * 400])
def test_places_that_no_page_has(worker: DocumentWorker, number: bytes) -> None:
    file = PdfFile()
    file.add_page(b"BT /F1 11 Tf 72 %s Td (a boat) Tj ET" % number)
    file.add_page(b"%s 0 0 %s 0 0 cm BT /F1 11 Tf 9 9 Td (a net) Tj ET" % (number, number))
    assert worker.read("pdf", file.data()) != Unreadable(reasons.CRASHED)


def test_brackets_in_brackets_without_end(worker: DocumentWorker) -> None:
    worker.read("pdf", pdf_files.nested_arrays())
    assert "ferry" in read(worker, pdf_files.simple_pdf()).text


@pytest.mark.slow
def test_a_page_that_unpacks_to_gigabytes(worker: DocumentWorker) -> None:
    found = worker.read("pdf", pdf_files.stream_bomb())
    # If this process itself had more memory than the bomb, the system does not tell them apart.
    known = (reasons.TOO_MUCH_MEMORY, reasons.NO_TEXT_SCAN, reasons.CRASHED)
    assert found in [Unreadable(reason) for reason in known]
    assert "ferry" in read(worker, pdf_files.simple_pdf()).text


def test_of_ten_thousand_pages_two_thousand_are_read(worker: DocumentWorker) -> None:
    found = read(worker, pdf_files.many_pages(10_000))
    assert len(found.places) == limits.PAGES == 2_000
    assert found.warnings == ("2,000 of 10,000 pages were read",)


@pytest.mark.slow
def test_a_file_with_very_much_text_is_cut(worker: DocumentWorker) -> None:
    file = PdfFile()
    line = b"BT /F1 11 Tf 1 0 0 1 72 %d Tm (" + b"many words " * 9 + b") Tj ET\n"
    stream = file.add_stream(b"".join(line % y for y in range(10, 800, 15)), packed=True)
    for _ in range(1_100):
        file.add_page_of(stream)
    found = read(worker, file.data())
    assert len(found.text) <= limits.CHARACTERS
    assert found.warnings[0].endswith(" of 1,100 pages were read")


def test_text_whose_letters_are_unknown_is_not_text(worker: DocumentWorker) -> None:
    data = pdf_files.font_without_map()
    assert worker.read("pdf", data) == Unreadable(reasons.NO_LETTERS)


def test_a_scan_has_no_text(worker: DocumentWorker) -> None:
    assert worker.read("pdf", pdf_of([], [])) == Unreadable(reasons.NO_TEXT_SCAN)
