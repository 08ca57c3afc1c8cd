"""Parses the bytes of a note: text, properties, sections, passages, chunks with their ids.

It never raises, whatever the bytes are, and the same path and bytes always give the same chunks.
"""

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from ragd.notes import decoding
from ragd.notes.characters import collapse_spaces, visible
from ragd.notes.chunk_maker import (
    LONGEST_TITLE,
    TOO_MANY,
    NoteData,
    PlacedPassage,
    file_title,
    make_chunks,
    note_day,
)
from ragd.notes.chunker import MOST_CHARACTERS, cut_passages
from ragd.notes.cut_passage import CutPassage
from ragd.notes.documents.kinds import DocumentKind, kind_of
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.documents.parse_document import parse_document
from ragd.notes.documents.read_document import read_document
from ragd.notes.languages import language_of
from ragd.notes.markdown import frontmatter, links
from ragd.notes.markdown.code_marks import without_marks
from ragd.notes.markdown.fences import without_code
from ragd.notes.markdown.frontmatter import Frontmatter
from ragd.notes.markdown.sanitise import plain_line, without_markup
from ragd.notes.markdown.sections import Section, split_sections
from ragd.notes.model import Chunk, ChunkOptions, Note
from ragd.notes.tiny_passages import WrittenLines
from ragd.notes.windows import Limits
from ragd.vault.collection_paths import VAULT

# Raise it with every change that makes other chunks from the same bytes: the index is then rebuilt.
FINGERPRINT = 7

HIDDEN = "its frontmatter says `rag: false`"
NOT_READ = "its kind is not read here"

# A first-level heading before any text; single tags may come before it.
_OPENING = re.compile(r"(?:\s|#[^\s#]+[ \t]*\n)*+#[ \t]+([^\n]*[^\s#])")

Count = Callable[[str], int]


class Unparsable(Struct, frozen=True):
    """A file that cannot be parsed; `reason` is a phrase from a closed list."""

    reason: str


def fingerprint(options: ChunkOptions) -> str:
    """Everything that decides how a note is cut: the code's version and the options.

    `code_blocks_of` reads its last part.
    """
    return f"{FINGERPRINT}:{options.chunk_size}:{options.chunk_overlap}:{options.code_blocks}"


def parse_note(
    path: str,
    data: bytes,
    options: ChunkOptions,
    count_tokens: Count,
    *,
    collection: str = VAULT,
    document: Document | Unreadable | None = None,
) -> Note | Unparsable:
    """The file at `path` (in the path space of all collections, with `/`), cut into chunks.

    `document`: what the worker returned, for the kinds that it reads.
    """
    kind = kind_of(path)
    if kind.how != "note":
        return _parse_other_kind(path, data, kind, options, count_tokens, collection, document)
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return Unparsable(decoded.reason)
    text = visible(decoded.text)
    properties = frontmatter.read(text)
    warnings = tuple(warning for warning in (decoded.warning, properties.warning) if warning)
    day, exact = note_day(path, properties.date, properties.created)
    title = properties.title or file_title(path)
    chunks: tuple[Chunk, ...] | None = ()
    hidden = HIDDEN if properties.hidden else None
    if hidden is None:
        body, code = _body(text, properties, options)
        prose = without_marks(body.text)
        shared = NoteData(
            path,
            title,
            kind.name,
            collection,
            properties,
            _opening(prose),
            [
                *links.find_links(properties.block, 2, path),
                *links.find_links(prose, body.first_line, path),
            ],
            language_of(prose),
            day,
            exact,
        )
        cut = _cut_body(body, code, properties, options, count_tokens)
        chunks = make_chunks(shared, map(PlacedPassage, cut))
        hidden = TOO_MANY if chunks is None else None
    return Note(
        path,
        title,
        properties.aliases,
        properties.tags,
        day,
        chunks or (),
        hidden,
        warnings,
    )


def _parse_other_kind(
    path: str,
    data: bytes,
    kind: DocumentKind,
    options: ChunkOptions,
    count: Count,
    collection: str,
    document: Document | Unreadable | None,
) -> Note | Unparsable:
    """A file that is not Markdown. In a text file or a drawing, `rag: false` hides it, too."""
    properties = document_properties(path, data, kind)
    if properties.hidden:
        return Note(path, file_title(path), (), (), None, (), HIDDEN)
    if kind.how == "reader":
        document = read_document(path, data)
    if not isinstance(document, Document):
        return Unparsable(NOT_READ if document is None else document.reason)
    limits = _limits(options)
    return parse_document(path, document, kind, properties, collection, limits, count)


def document_properties(path: str, data: bytes, kind: DocumentKind) -> Frontmatter:
    """The frontmatter of a file that is not Markdown, if its kind may have one."""
    if kind.name != "text" and not path.lower().endswith(".md"):
        return frontmatter.NONE
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return frontmatter.NONE
    return frontmatter.read(visible(decoded.text))


def _opening(text: str) -> str:
    first = _OPENING.match(text)
    return plain_line(first.group(1), LONGEST_TITLE) if first else ""


class _Body(Struct, frozen=True):
    """A note's text below its properties, with marks for code, and the line where it begins."""

    text: str
    first_line: int


def _body(
    text: str, properties: Frontmatter, options: ChunkOptions
) -> tuple[_Body, dict[int, str]]:
    """The body, and kept code by line."""
    first_line = text.count("\n", 0, properties.end) + 1
    body, code = without_code(text[properties.end :], options.code_blocks == "keep")
    kept = {first_line + line: shown for line, shown in code.items()}
    return _Body(body, first_line), kept


def _cut_body(
    body: _Body,
    code: dict[int, str],
    properties: Frontmatter,
    options: ChunkOptions,
    count: Count,
) -> Iterator[CutPassage]:
    sections = split_sections(without_markup(body.text), body.first_line)
    written = WrittenLines(body.text.split("\n"), body.first_line)
    limits = _limits(options)
    return cut_passages(_properties_section(properties), sections, code, written, limits, count)


def _limits(options: ChunkOptions) -> Limits:
    size = options.chunk_size
    return Limits(size, min(options.chunk_overlap, size - 1), MOST_CHARACTERS)


def _properties_section(properties: Frontmatter) -> Section | None:
    """All properties as text, so that they can be searched."""
    if not properties.block:
        return None
    block = collapse_spaces(without_markup(properties.block))
    text = block.strip("\n")
    line = 2 + len(block) - len(block.lstrip("\n"))
    return Section(text, line, line + text.count("\n")) if text else None
