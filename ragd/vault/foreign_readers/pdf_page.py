"""One page of a PDF as lines: their text, their size and where they are on the page.

It asks PDFium for every character, so it never depends on how PDFium writes a page as a string.
The order is that of the file, which for most files is the order of reading, column by column.
"""

import ctypes
import math
import unicodedata
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from ragd.vault.foreign_readers import limits

HYPHEN = "\x02"
"""The end of a line at which PDFium found a divided word."""

_BULLETS = {0xF0B7: "•", 0xF0A7: "▪", 0xF0FC: "✓", 0xF0D8: "➢"}  # of fonts for symbols
_UNKNOWN = frozenset(("Co", "Cn", "Cs", "Cc"))
_LONGEST = 1e7  # points
_PLAIN = frozenset((9, *range(32, 127)))


class PdfLine(NamedTuple):
    """A line as it is printed. Lengths are in points; y grows upwards."""

    text: str
    size: float
    left: float
    right: float
    y: float


class PdfPage(NamedTuple):
    """The lines of a page, and how many of its characters have no known meaning."""

    lines: list[PdfLine]
    height: float
    characters: int
    unknown: int


class PageReader:
    """Reads pages of an open file. Its buffers are used again for every character."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._matrix = pdfium.FS_MATRIX()
        self._numbers = [ctypes.c_double() for _ in range(4)]

    def read(self, number: int) -> PdfPage:
        """The page with this number, from 0. Empty if it cannot be loaded."""
        page = pdfium.FPDF_LoadPage(self._document, number)
        if not page:
            return PdfPage([], 0.0, 0, 0)
        try:
            text = pdfium.FPDFText_LoadPage(page)
            if not text:
                return PdfPage([], 0.0, 0, 0)
            try:
                return self._read_text(text, _finite(pdfium.FPDF_GetPageHeightF(page)))
            finally:
                pdfium.FPDFText_ClosePage(text)
        finally:
            pdfium.FPDF_ClosePage(page)

    def _read_text(self, text: Any, height: float) -> PdfPage:
        lines: list[PdfLine] = []
        current: list[tuple[int, str]] = []
        characters = unknown = 0
        for index in range(min(pdfium.FPDFText_CountChars(text), limits.PAGE_CHARACTERS)):
            code = pdfium.FPDFText_GetUnicode(text, index)
            if code in (10, 13, 2):
                if code == 2:
                    current.append((index, HYPHEN))
                self._add_line(lines, text, current)
                current = []
                continue
            letter = _letter(code)
            if letter is None or pdfium.FPDFText_HasUnicodeMapError(text, index) == 1:
                unknown += 1
                letter = " "
            characters += code != 32
            current.append((index, letter))
        self._add_line(lines, text, current)
        return PdfPage(lines, height, characters, unknown)

    def _add_line(self, lines: list[PdfLine], text: Any, found: list[tuple[int, str]]) -> None:
        seen = [index for index, letter in found if not letter.isspace()]
        if not seen:
            return
        sizes = sorted(self._size(text, seen[at]) for at in (0, len(seen) // 2, -1))
        left, y = self._origin(text, seen[0])
        line = "".join(letter for _, letter in found).strip(" \t")
        lines.append(PdfLine(line, sizes[1], left, self._right(text, seen[-1]), y))

    def _size(self, text: Any, index: int) -> float:
        """The height of the font as it is printed."""
        size = float(pdfium.FPDFText_GetFontSize(text, index))
        if pdfium.FPDFText_GetMatrix(text, index, self._matrix):
            size *= math.hypot(self._matrix.c, self._matrix.d)
        return _finite(size)

    def _origin(self, text: Any, index: int) -> tuple[float, float]:
        x, y = self._numbers[:2]
        if not pdfium.FPDFText_GetCharOrigin(text, index, x, y):
            return 0.0, 0.0
        return _finite(x.value), _finite(y.value)

    def _right(self, text: Any, index: int) -> float:
        left, right, bottom, top = self._numbers
        if not pdfium.FPDFText_GetCharBox(text, index, left, right, bottom, top):
            return 0.0
        return _finite(right.value)


def _finite(length: float) -> float:
    """A length as it is, unless a damaged file makes it endless or no number at all."""
    return length if abs(length) < _LONGEST else 0.0


def _letter(code: int) -> str | None:
    """A character by its code; None if nobody can read it."""
    if code in _PLAIN:
        return chr(code)
    if code in _BULLETS:
        return _BULLETS[code]
    if code > 0x10FFFF or code in (0xFFFD, 0xFFFE, 0xFFFF):
        return None
    letter = chr(code)
    return None if unicodedata.category(letter) in _UNKNOWN else letter
