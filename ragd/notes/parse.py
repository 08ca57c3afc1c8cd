"""A note from its bytes: text, properties, sections, passages, chunks with their ids.

It never raises, whatever the bytes are, and the same path and bytes always give the same chunks.
"""

import hashlib
from collections.abc import Callable, Iterator

from msgspec import Struct

from ragd.notes import dates, decoding, frontmatter, tags
from ragd.notes.characters import fold, one_line, visible
from ragd.notes.chunker import MOST_CHARACTERS, Passage, passages
from ragd.notes.fences import without_code
from ragd.notes.frontmatter import Frontmatter
from ragd.notes.model import Chunk, ChunkOptions, Note
from ragd.notes.sanitise import without_markup
from ragd.notes.search_text import search_text
from ragd.notes.sections import Section, split
from ragd.notes.windows import Limits

# Goes up with every change to what chunks come out of the same bytes: the index is then cut anew.
FINGERPRINT = 3

HIDDEN = "its frontmatter says `rag: false`"
TOO_MANY = "it would become more than 30,000 passages"
LONGEST_TITLE = 300
MOST_CHUNKS = 30_000  # of a note; 10 MB of Korean, the densest of usual texts, are about 23,000

# The namespace of chunk ids: the UUIDv5 of "ragd:chunk" in the URL namespace of RFC 9562.
CHUNK_NAMESPACE = bytes.fromhex("4a603e15e7c655e4a493cf4afd8f3fa3")

# A note that says nothing has this one passage: people look for it by its name all the same.
NOTHING = Passage("", "", 1, 1, Section("", 1, 1))

Count = Callable[[str], int]


class Failed(Struct, frozen=True):
    """A file that is no note; `reason` is one of `decoding.REASONS`."""

    reason: str


def fingerprint(options: ChunkOptions) -> str:
    """What decides which chunks come out of a note: the code's version and the options."""
    return f"{FINGERPRINT}:{options.chunk_size}:{options.chunk_overlap}:{options.code_blocks}"


def parse_note(path: str, data: bytes, options: ChunkOptions, count_tokens: Count) -> Note | Failed:
    """The note at `path` (relative to the vault, with `/`), cut into chunks."""
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return Failed(decoded.reason)
    text = visible(decoded.text)
    properties = frontmatter.read(text)
    warnings = tuple(warning for warning in (decoded.warning, properties.warning) if warning)
    day, exact = _day(path, properties)
    title = properties.title or name_of(path)
    chunks: list[Chunk] = []
    hidden = HIDDEN if properties.hidden else None
    if hidden is None:
        for index, passage in enumerate(_passages(text, properties, options, count_tokens)):
            if index == MOST_CHUNKS:
                hidden, chunks = TOO_MANY, []  # as a whole: half a note would look like all of it
                break
            about = day if exact else passage.section.date or day
            chunks.append(_chunk(path, title, about, properties, index, passage))
        if not chunks and title and hidden is None:
            chunks.append(_chunk(path, title, day, properties, 0, NOTHING))
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
    day, exact = dates.in_path(path)
    if day is None and properties.date:
        day = dates.in_text(properties.date)
        exact = day is not None
    if day is None and properties.created:
        day = dates.in_text(properties.created)
    return day, exact


def name_of(path: str) -> str:
    """The file's name without its ending: what Obsidian shows as the title."""
    name = path.rsplit("/", 1)[-1]
    stem = name.rsplit(".", 1)[0]
    return one_line(stem or name, LONGEST_TITLE)


def _passages(
    text: str, properties: Frontmatter, options: ChunkOptions, count: Count
) -> Iterator[Passage]:
    size = options.chunk_size
    limits = Limits(size, min(options.chunk_overlap, size - 1), MOST_CHARACTERS)
    first_line = text.count("\n", 0, properties.end) + 1
    body, code = without_code(text[properties.end :], options.code_blocks == "keep")
    return passages(
        _shown(properties),
        split(without_markup(body), first_line),
        {first_line + line: shown for line, shown in code.items()},
        limits,
        count,
    )


def _shown(properties: Frontmatter) -> Section | None:
    """The properties as text: nobody knows which of them people will look for."""
    if not properties.block:
        return None
    block = fold(without_markup(properties.block))
    text = block.strip("\n")
    line = 2 + len(block) - len(block.lstrip("\n"))
    return Section(text, line, line + text.count("\n")) if text else None


def embedded_text(title: str, heading_path: str, text: str) -> str:
    """What the vector of a passage is made from."""
    names = f"{title}\n{heading_path}" if heading_path else title
    return f"{names}\n\n{text}" if text else names


def _chunk(
    path: str, title: str, day: str | None, properties: Frontmatter, index: int, passage: Passage
) -> Chunk:
    section = passage.section
    text = passage.text
    found = tags.merged(section.hashtags, tags.inline(passage.prose), properties.tags)
    embed_text = embedded_text(title, section.path, text)
    content_hash = hashlib.sha256(embed_text.encode()).hexdigest()
    return Chunk(
        chunk_id(path, index, content_hash),
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
        search_text(title, properties.aliases, section.path, found, text),
    )
