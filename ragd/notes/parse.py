"""Parses the bytes of a note: text, properties, sections, passages, chunks with their ids.

It never raises, whatever the bytes are, and the same path and bytes always give the same chunks.
"""

import hashlib
import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from ragd.notes import dates, decoding
from ragd.notes.characters import collapse_spaces, one_line, visible
from ragd.notes.chunker import MOST_CHARACTERS, cut_passages, searched_text
from ragd.notes.cut_passage import CutPassage
from ragd.notes.languages import language_of
from ragd.notes.markdown import frontmatter, links, tags
from ragd.notes.markdown.code_marks import without_marks
from ragd.notes.markdown.fences import without_code
from ragd.notes.markdown.frontmatter import Frontmatter
from ragd.notes.markdown.links import Link
from ragd.notes.markdown.sanitise import plain_line, without_markup
from ragd.notes.markdown.sections import Section, split_sections
from ragd.notes.model import Chunk, ChunkOptions, Note
from ragd.notes.search_text import search_text
from ragd.notes.tiny_passages import WrittenLines
from ragd.notes.windows import Limits

# Raise it with every change that makes other chunks from the same bytes: the index is then rebuilt.
FINGERPRINT = 5

HIDDEN = "its frontmatter says `rag: false`"
TOO_MANY = "it would become more than 30,000 passages"
LONGEST_TITLE = 300
MOST_NOTE_TAGS = 200  # from other passages; a passage has all its own tags
MOST_NAMES = 50
MOST_CHUNKS = 30_000  # of a note; 10 MB of Korean text, the densest kind, make about 23,000

# The namespace of chunk ids: the UUIDv5 of "ragd:chunk" in the URL namespace of RFC 9562.
CHUNK_NAMESPACE = bytes.fromhex("4a603e15e7c655e4a493cf4afd8f3fa3")

# The only passage of an empty note, so that the note is found by its name.
EMPTY_PASSAGE = CutPassage("", "", 1, 1, Section("", 1, 1))

# A first-level heading before any text; single tags may come before it.
_OPENING = re.compile(r"(?:\s|#[^\s#]+[ \t]*\n)*+#[ \t]+([^\n]*[^\s#])")

Count = Callable[[str], int]


class _SharedData(Struct, frozen=True):
    """The data that all passages of a note share."""

    path: str
    title: str
    stem: str  # the file's name
    names: tuple[str, ...]
    opening: str  # the heading at the beginning of the note
    properties: Frontmatter
    tags: tuple[str, ...]  # from its properties and all passages
    links: Sequence[Link]
    language: str | None  # of most of its text


class Unparsable(Struct, frozen=True):
    """A file that cannot be parsed; `reason` is one of `decoding.REASONS`."""

    reason: str


def fingerprint(options: ChunkOptions) -> str:
    """Everything that decides how a note is cut: the code's version and the options.

    `code_blocks_of` reads its last part.
    """
    return f"{FINGERPRINT}:{options.chunk_size}:{options.chunk_overlap}:{options.code_blocks}"


def parse_note(
    path: str, data: bytes, options: ChunkOptions, count_tokens: Count
) -> Note | Unparsable:
    """The note at `path` (relative to the vault, with `/`), cut into chunks."""
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return Unparsable(decoded.reason)
    text = visible(decoded.text)
    properties = frontmatter.read(text)
    warnings = tuple(warning for warning in (decoded.warning, properties.warning) if warning)
    day, exact = _note_day(path, properties)
    title = properties.title or file_title(path)
    chunks: list[Chunk] = []
    hidden = HIDDEN if properties.hidden else None
    if hidden is None:
        body, code = _body(text, properties, options)
        cut = _cut_body(body, code, properties, options, count_tokens)
        found = list(itertools.islice(cut, MOST_CHUNKS + 1))
        if len(found) > MOST_CHUNKS:
            hidden, found = TOO_MANY, []  # half a note would look like the whole note
        elif not found and title:
            found = [EMPTY_PASSAGE]
        own_tags = [_own_tags(passage) for passage in found]
        shared = _shared_data(path, title, properties, own_tags, body)
        for index, (passage, own) in enumerate(zip(found, own_tags, strict=True)):
            passage_day = day if exact else passage.section.date or day
            chunks.append(_make_chunk(shared, passage_day, index, passage, own))
    return Note(
        path,
        title,
        properties.aliases,
        properties.tags,
        day,
        tuple(chunks),
        hidden,
        warnings,
    )


def chunk_id(path: str, index: int, content_hash: str) -> str:
    """The UUIDv5 of these three, joined by NUL, in CHUNK_NAMESPACE."""
    name = f"{path}\0{index}\0{content_hash}".encode("utf-8", "surrogatepass")
    digest = hashlib.sha1(CHUNK_NAMESPACE + name, usedforsecurity=False).hexdigest()
    variant = "89ab"[int(digest[16], 16) & 3]
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{variant}{digest[17:20]}-{digest[20:32]}"


def _note_day(path: str, properties: Frontmatter) -> tuple[str | None, bool]:
    """The note's day, and whether it also counts for a section whose heading has another day.

    A month, a week or the day of creation is less exact for a section than its heading.
    """
    day, exact = dates.date_in_path(path)
    if day is None and properties.date:
        day = dates.date_in_text(properties.date)
        exact = day is not None
    if day is None and properties.created:
        day = dates.date_in_text(properties.created)
    return day, exact


def file_title(path: str) -> str:
    """The file's name without its extension, which Obsidian shows as the title."""
    name = path.rsplit("/", 1)[-1]
    stem = name.rsplit(".", 1)[0]
    return one_line(stem or name, LONGEST_TITLE)


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
    size = options.chunk_size
    limits = Limits(size, min(options.chunk_overlap, size - 1), MOST_CHARACTERS)
    sections = split_sections(without_markup(body.text), body.first_line)
    written = WrittenLines(body.text.split("\n"), body.first_line)
    return cut_passages(_properties_section(properties), sections, code, written, limits, count)


def _shared_data(
    path: str,
    title: str,
    properties: Frontmatter,
    own_tags: Sequence[tuple[str, ...]],
    body: _Body,
) -> _SharedData:
    stem = file_title(path)
    names = dict.fromkeys([stem, *properties.aliases])
    text = without_marks(body.text)
    first = _OPENING.match(text)
    opening = plain_line(first.group(1), LONGEST_TITLE) if first else ""
    names[opening] = None  # many people repeat the name of a note there
    for not_a_name in (title, ""):
        names.pop(not_a_name, None)
    return _SharedData(
        path,
        title,
        stem,
        tuple(names)[:MOST_NAMES],
        opening,
        properties,
        tags.merge_tags(properties.tags, *own_tags)[:MOST_NOTE_TAGS],
        [
            *links.find_links(properties.block, 2, path),
            *links.find_links(text, body.first_line, path),
        ],
        language_of(text),
    )


def _own_tags(passage: CutPassage) -> tuple[str, ...]:
    return tags.merge_tags(passage.section.hashtags, tags.inline_tags(passage.prose))


def _properties_section(properties: Frontmatter) -> Section | None:
    """All properties as text, so that they can be searched."""
    if not properties.block:
        return None
    block = collapse_spaces(without_markup(properties.block))
    text = block.strip("\n")
    line = 2 + len(block) - len(block.lstrip("\n"))
    return Section(text, line, line + text.count("\n")) if text else None


def embedded_text(title: str, heading_path: str, text: str) -> str:
    """The text from which the vector of a passage is made. `text` may have marks for code."""
    text = searched_text(text)
    names = f"{title}\n{heading_path}" if heading_path else title
    return f"{names}\n\n{text}" if text else names


def _make_chunk(
    shared: _SharedData, day: str | None, index: int, passage: CutPassage, own_tags: tuple[str, ...]
) -> Chunk:
    section = passage.section
    text = searched_text(passage.text)
    found = tags.merge_tags(own_tags, shared.properties.tags)
    embed_text = embedded_text(shared.title, section.path, text)
    content_hash = hashlib.sha256(embed_text.encode()).hexdigest()
    aliases = shared.properties.aliases
    language = language_of(text) or shared.language
    return Chunk(
        chunk_id(shared.path, index, content_hash),
        index,
        passage.text,
        section.name,
        section.full_path,
        passage.start_line,
        passage.end_line,
        day,
        found,
        content_hash,
        embed_text,
        search_text(shared.title, aliases, section.path, found, text, shared.stem, language),
        tags.merge_tags(found, shared.tags),
        shared.names,
        shared.opening,
        links.targets_between(shared.links, passage.start_line, passage.end_line),
        shared.properties.properties,
        language=language,
    )
