"""A note from its bytes: text, properties, sections, passages, chunks with their ids.

It never raises, whatever the bytes are, and the same path and bytes always give the same chunks.
"""

import hashlib
import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from ragd.notes import dates, decoding
from ragd.notes.characters import collapse_spaces, one_line, visible
from ragd.notes.chunker import MOST_CHARACTERS, CutPassage, passages
from ragd.notes.languages import language_of
from ragd.notes.markdown import frontmatter, links, tags
from ragd.notes.markdown.fences import without_code
from ragd.notes.markdown.frontmatter import Frontmatter
from ragd.notes.markdown.links import Link
from ragd.notes.markdown.sanitise import plain_line, without_markup
from ragd.notes.markdown.sections import Section, split_sections
from ragd.notes.model import Chunk, ChunkOptions, Note
from ragd.notes.search_text import search_text
from ragd.notes.windows import Limits

# Goes up with every change to what chunks come out of the same bytes: the index is then cut anew.
FINGERPRINT = 4

HIDDEN = "its frontmatter says `rag: false`"
TOO_MANY = "it would become more than 30,000 passages"
LONGEST_TITLE = 300
MOST_NOTE_TAGS = 200  # of other passages; a passage has all of its own
MOST_NAMES = 50
MOST_CHUNKS = 30_000  # of a note; 10 MB of Korean, the densest of usual texts, are about 23,000

# The namespace of chunk ids: the UUIDv5 of "ragd:chunk" in the URL namespace of RFC 9562.
CHUNK_NAMESPACE = bytes.fromhex("4a603e15e7c655e4a493cf4afd8f3fa3")

# A note that says nothing has this one passage: people look for it by its name all the same.
NOTHING = CutPassage("", "", 1, 1, Section("", 1, 1))

# A heading of the first level before all text; lone tags may stand before it.
_OPENING = re.compile(r"(?:\s|#[^\s#]+[ \t]*\n)*+#[ \t]+([^\n]*[^\s#])")

Count = Callable[[str], int]


class _Facts(Struct, frozen=True):
    """What all passages of a note share."""

    path: str
    title: str
    stem: str  # the file's name
    names: tuple[str, ...]
    opening: str  # the heading that it begins with
    properties: Frontmatter
    tags: tuple[str, ...]  # its properties' and those of all passages
    links: Sequence[Link]
    language: str | None  # of most of its text


class Unparsable(Struct, frozen=True):
    """A file that is not a note; `reason` is one of `decoding.REASONS`."""

    reason: str


def fingerprint(options: ChunkOptions) -> str:
    """What decides which chunks come out of a note: the code's version and the options."""
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
    day, exact = _day(path, properties)
    title = properties.title or name_of(path)
    chunks: list[Chunk] = []
    hidden = HIDDEN if properties.hidden else None
    if hidden is None:
        body, code = _body(text, properties, options)
        cut = _passages(body, code, properties, options, count_tokens)
        found = list(itertools.islice(cut, MOST_CHUNKS + 1))
        if len(found) > MOST_CHUNKS:
            hidden, found = TOO_MANY, []  # as a whole: half a note would look like all of it
        elif not found and title:
            found = [NOTHING]
        own_tags = [_own_tags(passage) for passage in found]
        facts = _facts(path, title, properties, own_tags, body)
        for index, (passage, own) in enumerate(zip(found, own_tags, strict=True)):
            about = day if exact else passage.section.date or day
            chunks.append(_chunk(facts, about, index, passage, own))
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


def _day(path: str, properties: Frontmatter) -> tuple[str | None, bool]:
    """The note's day, and whether it also holds for a section whose heading has another.

    A month, a week or the day of the file's creation says less about a section than its heading.
    """
    day, exact = dates.date_in_path(path)
    if day is None and properties.date:
        day = dates.date_in_text(properties.date)
        exact = day is not None
    if day is None and properties.created:
        day = dates.date_in_text(properties.created)
    return day, exact


def name_of(path: str) -> str:
    """The file's name without its ending: what Obsidian shows as the title."""
    name = path.rsplit("/", 1)[-1]
    stem = name.rsplit(".", 1)[0]
    return one_line(stem or name, LONGEST_TITLE)


class _Body(Struct, frozen=True):
    """A note's text below its properties, without code; it begins on this line."""

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


def _passages(
    body: _Body,
    code: dict[int, str],
    properties: Frontmatter,
    options: ChunkOptions,
    count: Count,
) -> Iterator[CutPassage]:
    size = options.chunk_size
    limits = Limits(size, min(options.chunk_overlap, size - 1), MOST_CHARACTERS)
    sections = split_sections(without_markup(body.text), body.first_line)
    return passages(_shown(properties), sections, code, limits, count)


def _facts(
    path: str,
    title: str,
    properties: Frontmatter,
    own_tags: Sequence[tuple[str, ...]],
    body: _Body,
) -> _Facts:
    stem = name_of(path)
    names = dict.fromkeys([stem, *properties.aliases])
    first = _OPENING.match(body.text)
    opening = plain_line(first.group(1), LONGEST_TITLE) if first else ""
    names[opening] = None  # many people write the name of a note there
    for no_name in (title, ""):
        names.pop(no_name, None)
    return _Facts(
        path,
        title,
        stem,
        tuple(names)[:MOST_NAMES],
        opening,
        properties,
        tags.merge_tags(properties.tags, *own_tags)[:MOST_NOTE_TAGS],
        [
            *links.links(properties.block, 2, path),
            *links.links(body.text, body.first_line, path),
        ],
        language_of(body.text),
    )


def _own_tags(passage: CutPassage) -> tuple[str, ...]:
    return tags.merge_tags(passage.section.hashtags, tags.inline_tags(passage.prose))


def _shown(properties: Frontmatter) -> Section | None:
    """The properties as text, all of them: any may be searched for."""
    if not properties.block:
        return None
    block = collapse_spaces(without_markup(properties.block))
    text = block.strip("\n")
    line = 2 + len(block) - len(block.lstrip("\n"))
    return Section(text, line, line + text.count("\n")) if text else None


def embedded_text(title: str, heading_path: str, text: str) -> str:
    """What the vector of a passage is made from."""
    names = f"{title}\n{heading_path}" if heading_path else title
    return f"{names}\n\n{text}" if text else names


def _chunk(
    facts: _Facts, day: str | None, index: int, passage: CutPassage, own_tags: tuple[str, ...]
) -> Chunk:
    section = passage.section
    text = passage.text
    found = tags.merge_tags(own_tags, facts.properties.tags)
    embed_text = embedded_text(facts.title, section.path, text)
    content_hash = hashlib.sha256(embed_text.encode()).hexdigest()
    aliases = facts.properties.aliases
    language = language_of(text) or facts.language
    return Chunk(
        chunk_id(facts.path, index, content_hash),
        index,
        text,
        section.name,
        section.full_path,
        passage.start_line,
        passage.end_line,
        day,
        found,
        content_hash,
        embed_text,
        search_text(facts.title, aliases, section.path, found, text, facts.stem, language),
        tags.merge_tags(found, facts.tags),
        facts.names,
        facts.opening,
        links.within(facts.links, passage.start_line, passage.end_line),
        facts.properties.properties,
        language=language,
    )
