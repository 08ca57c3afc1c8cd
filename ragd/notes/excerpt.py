"""Lines of a note, without markup or as written, with the parts that the guard inspects.

It never raises, whatever the bytes are, and keeps the line numbers: line 12 here is line 12 in the
file, or in the text of a document.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, structs

from ragd.notes import decoding
from ragd.notes.characters import visible
from ragd.notes.chunk_maker import file_title
from ragd.notes.documents.model import Document, Place
from ragd.notes.documents.parse_document import cleaned, document_sections
from ragd.notes.markdown import frontmatter, tags
from ragd.notes.markdown.code_marks import readable
from ragd.notes.markdown.fences import without_code
from ragd.notes.markdown.frontmatter import Frontmatter
from ragd.notes.markdown.sanitise import without_markup
from ragd.notes.markdown.sections import Section, split_sections
from ragd.notes.parse import HIDDEN, Unparsable

PIECE = 8_000  # characters that are inspected at once: a regular expression cannot be interrupted
OVERLAP = 1_000  # longer than any match
AROUND = 2_000  # characters of the paragraph before and after the lines; a passage has no more


class ExcerptLimits(Struct, frozen=True):
    """The most that is shown at once."""

    lines: int
    characters: int


class ExcerptPart(Struct, frozen=True):
    """Lines of one section, as a passage for the guard."""

    chunk_text: str
    section: str | None
    tags: tuple[str, ...]
    title: str
    heading_path: str
    source_file: str
    date: str | None = None


class Excerpt(Struct, frozen=True):
    """Lines of a note. `first`: the number of the first one, from 1; `total`: lines of the note.
    `parts` have the lines with the rest of their paragraphs."""

    lines: list[str]
    first: int
    total: int
    parts: list[ExcerptPart]
    is_cut: bool = False  # one line is longer than the limit
    places: Sequence[Place] = ()  # of a document: those that the lines are in
    until: int = 0  # the last line that was asked for, of those that exist

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1


def excerpt(
    path: str,
    data: bytes,
    first: int,
    last: int | None,
    *,
    raw: bool,
    code: bool,
    room: ExcerptLimits | None = None,
) -> Excerpt | Unparsable:
    """The lines from `first` to `last`, as many as exist and fit in `room`.

    Unless `raw`, they are without markup, as in the index, and with a mark in place of
    fenced code unless `code`.
    Returns Unparsable for a file that is not text, and for a note with `rag: false`.
    """
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return Unparsable(decoded.reason)
    text = visible(decoded.text)
    properties = frontmatter.read(text)
    if properties.hidden:
        return Unparsable(HIDDEN)
    written = _lines(text)
    clean, sections = _clean_lines(text, properties, code)
    lines = written if raw else clean
    title = properties.title or file_title(path)
    return _excerpt(path, title, properties.tags, lines, written, sections, first, last, room)


def document_excerpt(
    path: str,
    document: Document,
    first: int,
    last: int | None,
    *,
    place: str = "",
    room: ExcerptLimits | None = None,
) -> Excerpt | None:
    """The lines from `first` to `last` of a document's text, or those of one of its places. None if
    it has no such place."""
    document = cleaned(document)
    lines = _lines(document.text)
    if place:
        at = next((at for at, one in enumerate(document.places) if one.name == place), None)
        if at is None:
            return None
        first = document.places[at].line
        last = document.places[at + 1].line - 1 if at + 1 < len(document.places) else len(lines)
        while last > first and not lines[last - 1].strip():
            last -= 1
    title = document.title or file_title(path)
    sections = document_sections(document)
    found = _excerpt(path, title, (), lines, list(lines), sections, first, last, room)
    begin = bisect_right(document.places, first, key=_line_of) - 1
    shown = document.places[max(0, begin) : bisect_right(document.places, found.last, key=_line_of)]
    return structs.replace(found, places=shown)


def _line_of(place: Place) -> int:
    return place.line


def _excerpt(
    path: str,
    title: str,
    note_tags: tuple[str, ...],
    lines: Sequence[str],
    written: list[str],
    sections: Sequence[Section],
    first: int,
    last: int | None,
    room: ExcerptLimits | None,
) -> Excerpt:
    """As many of the lines as exist and fit. `written`: the same lines as they are in the file."""
    start, end = first - 1, len(written) if last is None else min(last, len(written))
    until = end
    if room is not None:
        end = _fitting_end(lines, written, start, end, room)
    shown = lines[start:end]
    is_cut = (
        room is not None and len(shown) == 1 and _width(lines, written, start) > room.characters
    )
    begins = [section.line - 1 for section in sections]
    before, after = _widen(written, begins, start, end)
    if room is not None and is_cut:
        shown = [shown[0][: room.characters]]
        most = room.characters + AROUND  # a word that is cut is inspected as a whole
        written[start] = f"{written[start][:most]}\n{lines[start][:most]}"
    else:
        _add_clean_lines(written, lines, range(before, after), range(start, end))
    parts = _parts(path, title, note_tags, written, sections, before, after)
    return Excerpt(list(shown), first, len(written), parts, is_cut, until=until)


def _widen(written: list[str], begins: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """The lines with the rest of the paragraphs in which they begin and end, up to AROUND
    characters on each side: what a line says may be sensitive because of the line before it. A
    paragraph ends with its section. What does not fit of a line is cut off."""
    if start >= end:
        return start, end
    at = bisect_right(begins, start)
    first, before, room = begins[at - 1] if at else 0, start, AROUND
    while before > first and room > 0 and written[before].strip() and written[before - 1].strip():
        before -= 1
        room -= len(written[before])
    if room < 0:
        written[before] = written[before][-room:]
    at = bisect_right(begins, end - 1)
    last, after, room = begins[at] if at < len(begins) else len(written), end, AROUND
    while after < last and room > 0 and written[after - 1].strip() and written[after].strip():
        room -= len(written[after])
        after += 1
    if room < 0:
        written[after - 1] = written[after - 1][:room]
    return before, after


def _add_clean_lines(written: list[str], lines: Sequence[str], around: range, asked: range) -> None:
    """Beside lines as written, the same without markup, so that both are inspected: markup may
    stand in the middle of a word."""
    for at in around:
        clean = lines[at] if at < len(lines) else ""
        if at not in asked:  # what `_widen` left of it
            clean = clean[-AROUND:] if at < asked.start else clean[:AROUND]
        if clean not in written[at]:
            written[at] = f"{written[at]}\n{clean}"


def pieces(parts: Iterable[ExcerptPart]) -> Iterator[ExcerptPart]:
    """The parts in smaller pieces, which are inspected quickly. The pieces overlap."""
    for part in parts:
        for text in split_pieces(part.chunk_text):
            yield (
                part
                if len(text) == len(part.chunk_text)
                else structs.replace(part, chunk_text=text)
            )


def split_pieces(text: str) -> Iterator[str]:
    """A text in overlapping pieces, at least one."""
    yield text[:PIECE]
    for start in range(PIECE, len(text), PIECE):
        yield text[start - OVERLAP : start + PIECE]


def _fitting_end(
    lines: Sequence[str], written: Sequence[str], start: int, end: int, room: ExcerptLimits
) -> int:
    """The line before which to stop so that the lines fit; at least one line is shown."""
    characters = 0
    for at in range(start, min(end, start + room.lines)):
        characters += _width(lines, written, at) + 1
        if characters > room.characters:
            return max(at, start + 1)
    return min(end, start + room.lines)


def _width(lines: Sequence[str], written: Sequence[str], at: int) -> int:
    return max(len(lines[at]), len(written[at])) if at < len(lines) else len(written[at])


def _lines(text: str) -> list[str]:
    """The lines of a text. A line feed at the end does not begin another line."""
    return text.removesuffix("\n").split("\n")


def _clean_lines(
    text: str, properties: Frontmatter, keep_code: bool
) -> tuple[list[str], list[Section]]:
    """The whole note without markup, line for line, and its sections."""
    head = _lines(without_markup(text[: properties.end])) if properties.end else []
    body, code = without_code(text[properties.end :], keep_code)
    body = without_markup(body)
    lines = readable(body).split("\n")
    for number, line in code.items():
        lines[number] = line
    return head + lines, split_sections(body, len(head) + 1)


def _parts(
    path: str,
    title: str,
    note_tags: tuple[str, ...],
    written: Sequence[str],
    sections: Sequence[Section],
    start: int,
    end: int,
) -> list[ExcerptPart]:
    """The lines from `start` (from 0) to before `end`, by section.

    They have the raw text, too, because a comment may hold text that a reader does not see.
    """
    begins = [section.line - 1 for section in sections]
    found = []
    while start < end:
        at = bisect_right(begins, start)
        section = sections[at - 1] if at else Section("", 1, 1)
        until = min(end, begins[at] if at < len(begins) else end)
        text = "\n".join(written[start:until])
        marks = tags.merge_tags(section.hashtags, tags.inline_tags(text), note_tags)
        found.append(ExcerptPart(text, section.name, marks, title, section.full_path, path))
        start = until
    return found
