"""A `Document` in the making: text is added until the limits are reached. Pure."""

import re

from ragd.notes.characters import one_line, visible
from ragd.notes.documents.model import Document, Heading, Place
from ragd.vault.foreign_readers import limits

TITLE_CHARACTERS = 300
DEEPEST_LEVEL = 6

_LONG_LINE = re.compile(rf".{{1,{limits.LINE_CHARACTERS}}}(?:\s|$)|.{{{limits.LINE_CHARACTERS}}}")


class BoundedDocument:
    """The document so far. Once it `is_full`, nothing is added any more."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._headings: list[Heading] = []
        self._places: list[Place] = []
        self._next_place: str | None = None
        self._characters = 0
        self._offered = 0
        self.is_full = False

    @property
    def is_empty(self) -> bool:
        return not self._lines

    @property
    def cut_warnings(self) -> tuple[str, ...]:
        """How much of the text is in the document, if some is not."""
        if not self.is_full:
            return ()
        return (count_warning(self._characters, self._offered, "characters were read"),)

    def begin_place(self, name: str) -> None:
        """What is added from now on is at this place. A place without text is left out."""
        self._next_place = name

    def add_paragraph(self, text: str) -> None:
        """Add some lines, with a blank line before them."""
        lines = [line for line in map(_clean, text.split("\n")) if line]
        self._add([part for line in lines for part in _short_lines(line)])

    def add_heading(self, level: int, text: str) -> None:
        """Add a heading, on a line of its own. Level 1 is the highest."""
        line = one_line(text, TITLE_CHARACTERS)
        if line and self._add([line]) and len(self._headings) < limits.HEADINGS:
            level = min(max(level, 1), DEEPEST_LEVEL)
            self._headings.append(Heading(len(self._lines), level, line))

    def document(
        self, title: str = "", date: str | None = None, warnings: tuple[str, ...] = ()
    ) -> Document:
        return Document(
            "\n".join(self._lines),
            one_line(title, TITLE_CHARACTERS),
            date,
            tuple(self._headings),
            tuple(self._places),
            warnings=warnings,
        )

    def _add(self, lines: list[str]) -> bool:
        if not lines:
            return False
        size = sum(map(len, lines)) + len(lines) + 1
        self._offered += size
        if self.is_full or self._characters + size > limits.CHARACTERS:
            self.is_full = True
            return False
        if self._lines:
            self._lines.append("")
        if self._next_place is not None:
            self._places.append(Place(len(self._lines) + 1, self._next_place))
            self._next_place = None
        self._lines += lines
        self._characters += size
        return True


def count_warning(read: int, total: int, what: str) -> str:
    """A warning with numbers: "2,000 of 10,000 pages were read"."""
    return f"{read:,} of {total:,} {what}"


def _clean(line: str) -> str:
    return " ".join(visible(line).split())


def _short_lines(line: str) -> list[str]:
    if len(line) <= limits.LINE_CHARACTERS:
        return [line]
    return [part.strip() for part in _LONG_LINE.findall(line)]
