"""A document as every reader returns it: its text, line by line, and where in the file it is. Pure.

The chunker knows documents, not formats. A reader never raises for a file's content: it returns
Unreadable with a phrase of its own, and never puts the content in that phrase.
"""

from msgspec import Struct

from ragd.notes.markdown.links import Link


class Heading(Struct, frozen=True):
    """A heading of the document: the line of `Document.text` that holds it, counted from 1."""

    line: int
    level: int  # 1 is the highest
    text: str


class Place(Struct, frozen=True):
    """Where in the file the text is, from this line of `Document.text` on.

    `name` is what a citation shows after `#`: `page=3`, `node=ab12`, `section=4`.
    """

    line: int
    name: str


class Document(Struct, frozen=True):
    """The text of a file. Without places, its lines are the lines of the file itself."""

    text: str  # lines are separated by "\n"
    title: str = ""  # empty: the file's name is the title
    date: str | None = None  # ISO day, if the file says when it was written
    headings: tuple[Heading, ...] = ()  # by line
    places: tuple[Place, ...] = ()  # by line; the first one is on line 1
    links: tuple[Link, ...] = ()  # to other files, by line
    warnings: tuple[str, ...] = ()  # what was left out: "240 of 1,240 pages were read"


class Unreadable(Struct, frozen=True):
    """A file that cannot be read as its kind; `reason` is a phrase: "it is encrypted"."""

    reason: str
