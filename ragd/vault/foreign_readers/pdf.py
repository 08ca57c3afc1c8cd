"""Reads PDF files with PDFium: the text of each page, cited as `page=3`.

Only text is read. No script is run, no page is drawn, no attachment is opened, no link followed.
"""

import ctypes
import re

import pypdfium2.raw as pdfium

from ragd.notes.characters import one_line
from ragd.notes.documents.model import Document
from ragd.vault.foreign_readers import limits
from ragd.vault.foreign_readers.bounded_document import (
    TITLE_CHARACTERS,
    BoundedDocument,
    count_warning,
)
from ragd.vault.foreign_readers.pdf_layout import (
    Block,
    blocks,
    known_words,
    sizes_of,
    without_running_lines,
)
from ragd.vault.foreign_readers.pdf_page import PageReader, PdfPage
from ragd.vault.foreign_readers.plausible_day import plausible_day
from ragd.vault.foreign_readers.reasons import (
    DAMAGED,
    ENCRYPTED,
    NO_LETTERS,
    NO_TEXT_SCAN,
    CannotParse,
)

UNKNOWN_SHARE = 0.3  # of a page's characters: with more, the rest is not text either
_NOT_A_TITLE = re.compile(
    r"untitled.*|microsoft (?:word|powerpoint|excel) - .*|(?:slide|document|presentation|dokument)"
    r"\s*\d*|\(?anonymous\)?|title|about:blank|https?://.*"
    r"|.*\.(?:docx?|tex|dvi|indd|pptx?|xlsx?|qxd|pdf|rtf|odt|html?|ps|eps|wpd|pages)",
    re.IGNORECASE,
)

_initialised = False


def read_pdf(data: bytes) -> Document:
    """The text of a PDF. Raises CannotParse."""
    global _initialised
    if not _initialised:
        pdfium.FPDF_InitLibrary()
        _initialised = True
    if b"%PDF-" not in data[:4096]:
        raise CannotParse(DAMAGED)
    opened = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    if not opened:
        locked = pdfium.FPDF_GetLastError() in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
        raise CannotParse(ENCRYPTED if locked else DAMAGED)
    try:
        return _read_open(opened)
    finally:
        pdfium.FPDF_CloseDocument(opened)


def _read_open(opened: object) -> Document:
    total = pdfium.FPDF_GetPageCount(opened)
    reader = PageReader(opened)
    pages: list[PdfPage] = []
    characters = 0
    for number in range(min(total, limits.PAGES)):
        page = reader.read(number)
        pages.append(page)
        characters += page.characters
        if characters > limits.CHARACTERS:
            break
    unreadable = [page.unknown > UNKNOWN_SHARE * page.characters for page in pages]
    shown = [[] if bad else page.lines for page, bad in zip(pages, unreadable, strict=True)]
    if not any(shown):
        raise CannotParse(NO_LETTERS if any(unreadable) else NO_TEXT_SCAN)

    kept = without_running_lines(shown, [page.height for page in pages])
    sizes, words = sizes_of(kept), known_words(kept)
    made = BoundedDocument()
    first: list[Block] = []
    for number, lines in enumerate(kept, 1):
        made.begin_place(f"page={number}")
        for block in blocks(lines, sizes, words):
            if block.level:
                made.add_heading(block.level, block.text)
            else:
                made.add_paragraph(block.text)
            if number == 1:
                first.append(block)
        if made.is_full:
            break
    read = number if made.is_full else len(pages)
    warnings = _warnings(read, total, pages, unreadable)
    return made.document(
        _title(opened, first), plausible_day(_metadata(opened, b"CreationDate")), warnings
    )


def _warnings(
    read: int, total: int, pages: list[PdfPage], unreadable: list[bool]
) -> tuple[str, ...]:
    found = []
    if read < total:
        found.append(count_warning(read, total, "pages were read"))
    if empty := sum(not page.characters for page in pages):
        found.append(count_warning(empty, total, "pages have no text"))
    if bad := sum(unreadable):
        found.append(count_warning(bad, total, "pages were left out: their letters are unknown"))
    return tuple(found)


def _metadata(opened: object, name: bytes) -> str:
    length = pdfium.FPDF_GetMetaText(opened, name, None, 0)
    if not 2 < length <= 64 * 1024:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDF_GetMetaText(opened, name, buffer, length)
    return buffer.raw[: length - 2].decode("utf-16-le", "replace")


def _title(opened: object, first_page: list[Block]) -> str:
    """The title that the file gives itself, or else the largest heading of its first page."""
    given = one_line(_metadata(opened, b"Title"), TITLE_CHARACTERS)
    has_words = sum(map(str.isalpha, given)) > 2 and "\ufffd" not in given
    if has_words and not _NOT_A_TITLE.fullmatch(given):
        return given
    headings = [block for block in first_page if block.level]
    return min(headings, key=lambda block: block.level).text if headings else ""
