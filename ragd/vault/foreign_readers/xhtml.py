"""The text of a chapter in XHTML: paragraphs and headings as a reader sees them.

Scripts, styles, pictures and what is marked as hidden are left out. No address is followed.
"""

from html.parser import HTMLParser

from ragd.vault.foreign_readers.bounded_document import BoundedDocument
from ragd.vault.foreign_readers.reasons import DAMAGED, CannotParse

CELLS = " | "
_UNSEEN = frozenset(
    ("head", "script", "style", "template", "svg", "math", "iframe", "object", "rt", "rp", "nav")
)
_INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn"),
        *("em", "font", "i", "ins", "kbd", "label", "mark", "q", "ruby", "rb", "s", "samp"),
        *("small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
        *("img", "image", "td", "th"),
    )
)
_EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "wbr")
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


def add_xhtml(source: str, made: BoundedDocument) -> None:
    """Add the text of a chapter to a document. Raises CannotParse, with the text so far added."""
    chapter = _Chapter(made)
    try:
        chapter.feed(source)
        chapter.close()
    except AssertionError:  # of the parser: `<![` and more that is not a section
        raise CannotParse(DAMAGED) from None
    finally:
        chapter.end_block()


class _Chapter(HTMLParser):
    """The standard library's tolerant parser, which expands no entities but HTML's own."""

    def __init__(self, made: BoundedDocument) -> None:
        super().__init__(convert_charrefs=True)
        self._made = made
        self._parts: list[str] = []
        self._level = 0
        self._is_item = False
        self._in_pre = 0
        self._unseen: list[str] = []  # the elements that are open inside an unseen one

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unseen:
            if tag not in _EMPTY:
                self._unseen.append(tag)
            return
        if tag in _UNSEEN or any(name == "hidden" for name, _ in attrs):
            if tag not in _EMPTY:
                self._unseen.append(tag)
            return
        if tag == "br":
            self._parts.append("\n")
        elif tag in ("td", "th"):
            if "".join(self._parts).strip():
                self._parts.append(CELLS)
        elif tag not in _INLINE:
            self.end_block()
            self._level = _HEADINGS.get(tag, 0)
            self._is_item = tag == "li" or (self._is_item and tag == "p")
            self._in_pre += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            if tag in self._unseen:
                while self._unseen.pop() != tag:
                    pass
            return
        if tag not in _INLINE and tag != "br":
            self.end_block()
            self._in_pre = max(self._in_pre - (tag == "pre"), 0)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _EMPTY:
            self.handle_starttag(tag, attrs)
        elif tag not in _INLINE and not self._unseen:
            self.end_block()

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._parts.append(data if self._in_pre else " ".join(_spaced(data)))

    def end_block(self) -> None:
        """What was read since the last block is a paragraph or a heading."""
        text = "".join(self._parts).strip()
        self._parts = []
        if text and self._level:
            self._made.add_heading(self._level, text)
        elif text:
            self._made.add_paragraph(f"• {text}" if self._is_item else text)
            self._is_item = False
        self._level = 0


def _spaced(data: str) -> list[str]:
    """The words of some text, with an empty one where it begins or ends with a space."""
    words = data.split()
    if not words:
        return ["", ""] if data else []
    return [*[""] * data[0].isspace(), *words, *[""] * data[-1].isspace()]
