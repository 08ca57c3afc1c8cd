"""Builds a document line by line: text, headings, places and links with the right line numbers.

Pure. It cleans the text that it gets, and never adds a place without text.
"""

from collections.abc import Iterable
from urllib.parse import quote

from ragd.notes.characters import one_line, visible
from ragd.notes.documents.model import Document, Heading, Place
from ragd.notes.markdown.fences import CODE_LINE, without_code
from ragd.notes.markdown.links import Link, find_links
from ragd.notes.markdown.sanitise import without_markup
from ragd.notes.markdown.sections import find_headings

MOST_CHARACTERS = 20_000_000  # of a document's text; more is left out with a warning
LONGEST_HEADING = 2_000
LONGEST_NAME = 100  # of a place
CUT_SHORT = "it is too long, so only the beginning of its text was read"


class DocumentBuilder:
    """The document so far. `path` is that of the file, from which its links lead."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lines: list[str] = []
        self._headings: list[Heading] = []
        self._places: list[Place] = []
        self._links: list[Link] = []
        self._characters = 0
        self._is_cut = False
        self._next_place: str | None = None

    def begin_place(self, what: str, name: str) -> None:
        """The text that is added from now on is at this place: `node` and its id."""
        self._next_place = f"{what}={quote(name[:LONGEST_NAME], safe='', errors='replace')}"

    def add_heading(self, level: int, text: str) -> None:
        """A heading on a line of its own."""
        shown = one_line(without_markup(visible(text)), LONGEST_HEADING)
        if shown and self._add_lines([shown]):
            self._headings.append(Heading(len(self._lines), level, shown))

    def add_line(self, text: str) -> None:
        """A line of plain text."""
        shown = " ".join(without_markup(visible(text)).split())
        if shown:
            self._add_lines([shown])

    def add_markdown(self, text: str, level: int = 0) -> None:
        """Markdown text, whose headings are below a heading of this level."""
        seen = visible(text).strip("\n")
        if not seen.strip():
            return
        blanked, _ = without_code(seen, keep=True)
        first = self._first_line()
        if not self._add_lines(without_markup(seen).split("\n")):
            return
        for found in find_headings(without_markup(blanked)):
            if found.level and CODE_LINE not in found.name:
                line = first + found.line
                self._headings.append(Heading(line, min(6, level + found.level), found.name))
        self._links += find_links(seen, first, self._path)

    def add_links(self, wikilinks: Iterable[str]) -> None:
        """Targets that the last line links to, as they are written between `[[` and `]]`."""
        line = max(1, len(self._lines))
        for target in wikilinks:
            self._links += find_links(f"[[{target}]]", line, self._path)

    def _first_line(self) -> int:
        """The number of the line that is added next."""
        gap = self._next_place is not None and bool(self._lines)
        return len(self._lines) + gap + 1

    def _add_lines(self, lines: list[str]) -> bool:
        """Add these lines; False if there is no room for them."""
        self._characters += sum(map(len, lines)) + len(lines)
        if self._characters > MOST_CHARACTERS:
            self._is_cut = True
            return False
        if self._next_place is not None:
            if self._lines:
                self._lines.append("")
            self._places.append(Place(len(self._lines) + 1, self._next_place))
            self._next_place = None
        self._lines += lines
        return True

    def build(self, title: str = "", date: str | None = None, *warnings: str) -> Document:
        """The document, without what had no room."""
        cut = (CUT_SHORT,) if self._is_cut else ()
        return Document(
            "\n".join(self._lines),
            title,
            date,
            tuple(self._headings),
            tuple(self._places),
            tuple(self._links),
            (*warnings, *cut),
        )
