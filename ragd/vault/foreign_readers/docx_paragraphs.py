"""Finds the paragraphs in the XML of a Word file, without deleted and hidden text."""

from collections.abc import Callable
from typing import NamedTuple

from ragd.vault.foreign_readers.docx_styles import HeadingStyles, outline_level
from ragd.vault.foreign_readers.xml_events import Attributes

_BREAKS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "sym": " "}
_OFF = ("0", "false", "off", "none")


class DocxParagraph(NamedTuple):
    """A paragraph. `level` is that of a heading, or 0; `notes` are the footnotes it refers to."""

    text: str
    level: int = 0
    is_item: bool = False
    notes: tuple[str, ...] = ()


class _OpenParagraph:
    """A paragraph that has not ended."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.style = ""
        self.outline: int | None = None
        self.is_item = False
        self.notes: list[str] = []


class ParagraphFinder:
    """A handler of XML events that passes each paragraph on when it ends.

    A paragraph in a text box is inside another one, and ends before it.
    """

    def __init__(self, styles: HeadingStyles, found: Callable[[DocxParagraph], None]) -> None:
        self._styles = styles
        self._found = found
        self._open: list[_OpenParagraph] = []
        self._in_text = False
        self._in_fallback = 0  # the same content again, for old programs
        self._in_run_properties = False
        self._is_hidden = False

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "Fallback" or self._in_fallback:
            self._in_fallback += 1
        elif name == "p":
            self._open.append(_OpenParagraph())
        elif name == "r":
            self._is_hidden = False
        elif name == "rPr":
            self._in_run_properties = True
        elif name == "t":
            self._in_text = not self._is_hidden
        elif self._in_run_properties:
            if name == "vanish":
                self._is_hidden = attributes.get("val", "").lower() not in _OFF
        elif self._open:
            self._note_property(self._open[-1], name, attributes)

    def _note_property(self, paragraph: _OpenParagraph, name: str, attributes: Attributes) -> None:
        if name in _BREAKS:
            paragraph.parts.append(_BREAKS[name])
        elif name == "pStyle":
            paragraph.style = attributes.get("val", "")
        elif name == "outlineLvl":
            paragraph.outline = outline_level(attributes.get("val", ""))
        elif name == "numPr":
            paragraph.is_item = True
        elif name in ("footnoteReference", "endnoteReference"):
            paragraph.notes.append(f"{name[:-9]} {attributes.get('id', '')}")

    def end(self, name: str) -> None:
        if self._in_fallback:
            self._in_fallback -= 1
        elif name == "p" and self._open:
            self._end_paragraph(self._open.pop())
        elif name == "t":
            self._in_text = False
        elif name == "rPr":
            self._in_run_properties = False

    def text(self, text: str) -> None:
        if self._in_text and self._open and not self._in_fallback:
            self._open[-1].parts.append(text)

    def _end_paragraph(self, ended: _OpenParagraph) -> None:
        level = ended.outline
        if level is None:
            level = self._styles.level(ended.style)
        text = "".join(ended.parts).strip()
        if text:
            self._found(DocxParagraph(text, level, ended.is_item, tuple(ended.notes)))
