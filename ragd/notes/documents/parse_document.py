"""Cuts a document into chunks: sections begin at its headings and at its places. Pure.

A passage never spans two places. It never raises, whatever a reader returned.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from ragd.notes.characters import one_line, visible
from ragd.notes.chunk_maker import (
    LONGEST_TITLE,
    TOO_MANY,
    NoteData,
    PlacedPassage,
    file_title,
    make_chunks,
    note_day,
)
from ragd.notes.chunker import cut_passages
from ragd.notes.documents.kinds import DocumentKind
from ragd.notes.documents.model import Document, Heading, Place
from ragd.notes.languages import language_of
from ragd.notes.markdown.frontmatter import Frontmatter
from ragd.notes.markdown.links import Link
from ragd.notes.markdown.sanitise import without_tag_starts
from ragd.notes.markdown.sections import FoundHeading, Section, split_at
from ragd.notes.model import Note
from ragd.notes.tiny_passages import WrittenLines
from ragd.notes.windows import Limits

LONGEST_HEADING = 2_000
HAVE_TAGS = ("canvas", "excalidraw", "text")  # kinds in which people write `#tags`

Count = Callable[[str], int]


def parse_document(
    path: str,
    document: Document,
    kind: DocumentKind,
    properties: Frontmatter,
    collection: str,
    limits: Limits,
    count: Count,
) -> Note:
    """The document as a note, cut into chunks. `properties`: of a file that has frontmatter."""
    document = cleaned(document)
    title = properties.title or document.title or file_title(path)
    day, is_exact = note_day(path, properties.date, document.date or properties.created)
    data = NoteData(
        path,
        title,
        kind.name,
        collection,
        properties,
        _opening(document),
        document.links,
        language_of(document.text),
        day,
        is_exact,
        has_tags=kind.name in HAVE_TAGS,
    )
    chunks = make_chunks(data, _passages(document, limits, count))
    return Note(
        path,
        title,
        properties.aliases,
        properties.tags,
        day,
        chunks or (),
        TOO_MANY if chunks is None else None,
        tuple(warning for warning in (*document.warnings, properties.warning) if warning),
    )


def cleaned(document: Document) -> Document:
    """The document without invisible characters and tags, with headings, places and links in order.

    Readers clean their text too. Here it is done for all, because a worker's answer is not trusted.
    """
    lines = document.text.count("\n") + 1
    headings = (
        Heading(one.line, max(1, min(6, one.level)), _clean(one.text, LONGEST_HEADING))
        for one in document.headings
        if 1 <= one.line <= lines
    )
    places = (
        Place(one.line, _clean(one.name, LONGEST_TITLE))
        for one in document.places
        if 1 <= one.line <= lines
    )
    # A carriage return would become a line of its own.
    text = without_tag_starts(visible(document.text.replace("\r", " ")))
    return Document(
        text,
        _clean(document.title, LONGEST_TITLE),
        document.date,
        tuple(sorted((one for one in headings if one.text), key=lambda one: one.line)),
        tuple(sorted(places, key=lambda one: one.line)),
        tuple(sorted(document.links, key=_line_of)),
        document.warnings,
    )


def _clean(text: str, longest: int) -> str:
    return one_line(without_tag_starts(visible(text)), longest)


def _line_of(link: Link) -> int:
    return link.line


def place_at(places: Sequence[Place], line: int) -> str:
    """The name of the place that a line of a document is in; empty if it has no places."""
    at = bisect_right(places, line, key=lambda place: place.line)
    return places[at - 1].name if at else ""


def document_sections(document: Document) -> list[Section]:
    """The sections of a document: each begins at a heading or at a place."""
    headings = [FoundHeading(one.line - 1, 1, one.level, one.text) for one in document.headings]
    return split_at(document.text, headings, [place.line - 1 for place in document.places])


def _passages(document: Document, limits: Limits, count: Count) -> Iterator[PlacedPassage]:
    sections = document_sections(document)
    written = WrittenLines(document.text.split("\n"), 1)
    for position, own in groupby(sections, lambda one: place_at(document.places, one.line)):
        for passage in cut_passages(None, list(own), {}, written, limits, count):
            yield PlacedPassage(passage, position)


def _opening(document: Document) -> str:
    """The heading of the highest level that the document begins with; empty if there is none."""
    first = document.headings[0] if document.headings else None
    if first is None or first.level != 1:
        return ""
    before = document.text.split("\n", first.line)[: first.line - 1]
    return "" if any(line.strip() for line in before) else first.text[:LONGEST_TITLE]
