"""Some lines of a note, clean or as written, and what the guard has to know about them.

It never raises, whatever the bytes are, and never changes how many lines there are: line 12 here is
line 12 in the file.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, structs

from ragd.notes import decoding
from ragd.notes.characters import visible
from ragd.notes.markdown import frontmatter, tags
from ragd.notes.markdown.fences import without_code
from ragd.notes.markdown.frontmatter import Frontmatter
from ragd.notes.markdown.sanitise import without_markup
from ragd.notes.markdown.sections import Section, split_sections
from ragd.notes.parse import HIDDEN, Unparsable, name_of

PIECE = 8_000  # characters that are judged at once: an expression cannot be interrupted
OVERLAP = 1_000  # more than any expression reaches


class ExcerptLimits(Struct, frozen=True):
    """How much is shown at once."""

    lines: int
    characters: int


class ExcerptPart(Struct, frozen=True):
    """Lines of one section, as the guard looks at a passage."""

    chunk_text: str
    section: str | None
    tags: tuple[str, ...]
    title: str
    heading_path: str
    source_file: str
    date: str | None = None


class Excerpt(Struct, frozen=True):
    """`lines` begin with the one of number `first`, from 1; `total` are in the whole note."""

    lines: list[str]
    first: int
    total: int
    parts: list[ExcerptPart]
    is_cut: bool = False  # a line is longer than there is room for

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
    """These lines of a note, as many as there are and as fit in `room`.

    Unless `raw`, without markup and, unless `code`, without fenced code: as the index has them.
    Unparsable for what is not text, and for a note that says `rag: false`.
    """
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return Unparsable(decoded.reason)
    text = visible(decoded.text)
    properties = frontmatter.read(text)
    if properties.hidden:
        return Unparsable(HIDDEN)
    written = _lines(text)
    clean, sections = _clean(text, properties, code)
    start, end = first - 1, len(written) if last is None else min(last, len(written))
    lines = written if raw else clean
    if room is not None:
        end = _end(lines, written, start, end, room)
    shown = lines[start:end]
    is_cut = (
        room is not None and len(shown) == 1 and _width(lines, written, start) > room.characters
    )
    if room is not None and is_cut:
        shown = [shown[0][: room.characters]]
        written[start] = f"{written[start][: room.characters]}\n{shown[0]}"  # judged: both
    parts = _parts(path, written, sections, properties, start, end)
    return Excerpt(shown, first, len(written), parts, is_cut)


def pieces(parts: Iterable[ExcerptPart]) -> Iterator[ExcerptPart]:
    """The same text in pieces that are judged quickly; what stands where two meet is in both."""
    for part in parts:
        for text in pieces_of(part.chunk_text):
            yield (
                part
                if len(text) == len(part.chunk_text)
                else structs.replace(part, chunk_text=text)
            )


def pieces_of(text: str) -> Iterator[str]:
    """A text in overlapping pieces, one at least."""
    yield text[:PIECE]
    for start in range(PIECE, len(text), PIECE):
        yield text[start - OVERLAP : start + PIECE]


def _end(
    lines: Sequence[str], written: Sequence[str], start: int, end: int, room: ExcerptLimits
) -> int:
    """Before which line to stop, so that the rest has room; one line always has."""
    characters = 0
    for at in range(start, min(end, start + room.lines)):
        characters += _width(lines, written, at) + 1
        if characters > room.characters:
            return max(at, start + 1)
    return min(end, start + room.lines)


def _width(lines: Sequence[str], written: Sequence[str], at: int) -> int:
    return max(len(lines[at]), len(written[at])) if at < len(lines) else len(written[at])


def _lines(text: str) -> list[str]:
    """A line feed at the end ends the last line and begins no other."""
    return text.removesuffix("\n").split("\n")


def _clean(text: str, properties: Frontmatter, keep_code: bool) -> tuple[list[str], list[Section]]:
    """The whole note without markup, line for line, and its sections."""
    head = _lines(without_markup(text[: properties.end])) if properties.end else []
    body, code = without_code(text[properties.end :], keep_code)
    body = without_markup(body)
    lines = body.split("\n")
    for number, line in code.items():
        lines[number] = line
    return head + lines, split_sections(body, len(head) + 1)


def _parts(
    path: str,
    written: Sequence[str],
    sections: Sequence[Section],
    properties: Frontmatter,
    start: int,
    end: int,
) -> list[ExcerptPart]:
    """The lines from `start` (from 0) to before `end`, by the sections that they stand in.

    The raw text is judged, too: a comment may hold what a reader does not see.
    """
    begins = [section.line - 1 for section in sections]
    title = properties.title or name_of(path)
    found = []
    while start < end:
        at = bisect_right(begins, start)
        section = sections[at - 1] if at else Section("", 1, 1)
        until = min(end, begins[at] if at < len(begins) else end)
        text = "\n".join(written[start:until])
        marks = tags.merge_tags(section.hashtags, tags.inline_tags(text), properties.tags)
        found.append(ExcerptPart(text, section.name, marks, title, section.full_path, path))
        start = until
    return found
