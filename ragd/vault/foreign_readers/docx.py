"""Reads Word files (.docx): paragraphs, headings, lists, tables and footnotes.

A section begins at each heading and is cited as `section=3`. Page headers, comments, deleted text
and hidden text are not read.
"""

from ragd.notes.documents.model import Document
from ragd.vault.foreign_readers.bounded_document import BoundedDocument
from ragd.vault.foreign_readers.docx_paragraphs import DocxParagraph, ParagraphFinder
from ragd.vault.foreign_readers.docx_styles import HeadingStyles
from ragd.vault.foreign_readers.plausible_day import plausible_day
from ragd.vault.foreign_readers.reasons import NO_TEXT, CannotParse
from ragd.vault.foreign_readers.xml_events import Attributes, TextOf, parse_xml
from ragd.vault.foreign_readers.zip_content import ZipContent

MAIN = "word/document.xml"
CELLS = " | "


def read_docx(data: bytes) -> Document:
    """The text of a Word file. Raises CannotParse."""
    archive = ZipContent(data)
    styles = HeadingStyles()
    if content := archive.read_if_present("word/styles.xml"):
        parse_xml(content, styles)
    notes = _Footnotes(styles)
    for name in ("word/footnotes.xml", "word/endnotes.xml"):
        if content := archive.read_if_present(name):
            parse_xml(content, notes)
    made = BoundedDocument()
    parse_xml(archive.read(MAIN), _DocxBody(made, styles, notes.found))
    if made.is_empty:
        raise CannotParse(NO_TEXT)
    about = TextOf("title", "created")
    if content := archive.read_if_present("docProps/core.xml"):
        parse_xml(content, about)
    day = plausible_day(about.found.get("created", ""))
    return made.document(about.found.get("title", ""), day, made.cut_warnings)


class _Footnotes:
    """A handler that keeps the text of each footnote and endnote."""

    def __init__(self, styles: HeadingStyles) -> None:
        self.found: dict[str, str] = {}
        self._paragraphs = ParagraphFinder(styles, self._add)
        self._note = ""

    def start(self, name: str, attributes: Attributes) -> None:
        if name in ("footnote", "endnote"):
            is_text = "type" not in attributes  # the others are lines that separate
            self._note = f"{name} {attributes.get('id', '')}" if is_text else ""
        self._paragraphs.start(name, attributes)

    def end(self, name: str) -> None:
        self._paragraphs.end(name)

    def text(self, text: str) -> None:
        self._paragraphs.text(text)

    def _add(self, paragraph: DocxParagraph) -> None:
        if self._note:
            before = self.found.get(self._note)
            self.found[self._note] = f"{before} {paragraph.text}" if before else paragraph.text


class _DocxBody:
    """A handler that adds the paragraphs and tables of the text to a document."""

    def __init__(self, made: BoundedDocument, styles: HeadingStyles, notes: dict[str, str]) -> None:
        self._made = made
        self._notes = notes
        self._paragraphs = ParagraphFinder(styles, self._add)
        self._section = 1
        self._tables = 0  # how many are open: one may be in another
        self._rows: list[str] = []
        self._cells: list[str] = []
        self._waiting: list[str] = []  # footnotes of a table
        made.begin_place("section=1")

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "tbl":
            self._tables += 1
        elif name == "tc" and self._tables == 1:
            self._cells.append("")
        self._paragraphs.start(name, attributes)

    def end(self, name: str) -> None:
        self._paragraphs.end(name)
        if name == "tr" and self._tables == 1:
            self._rows.append(CELLS.join(cell for cell in self._cells if cell))
            self._cells = []
        elif name == "tbl":
            self._tables = max(self._tables - 1, 0)
            if not self._tables:
                self._made.add_paragraph("\n".join(self._rows))
                self._rows = []
                self._add_notes()

    def text(self, text: str) -> None:
        self._paragraphs.text(text)

    def _add(self, paragraph: DocxParagraph) -> None:
        self._waiting += [self._notes[one] for one in paragraph.notes if one in self._notes]
        if self._tables:
            line = " ".join(paragraph.text.split())
            if self._cells:
                self._cells[-1] = f"{self._cells[-1]} {line}".strip()
            return
        if paragraph.level:
            if not self._made.is_empty:
                self._section += 1
                self._made.begin_place(f"section={self._section}")
            self._made.add_heading(paragraph.level, paragraph.text)
        else:
            self._made.add_paragraph(f"• {paragraph.text}" if paragraph.is_item else paragraph.text)
        self._add_notes()

    def _add_notes(self) -> None:
        for note in self._waiting:
            self._made.add_paragraph(note)
        self._waiting = []
