"""Makes chunks from cut passages: ids, dates, tags, links and the texts for search. Pure.

The same path and passages always give the same chunks.
"""

import hashlib
import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from ragd.notes import dates
from ragd.notes.characters import one_line
from ragd.notes.chunker import searched_text
from ragd.notes.cut_passage import CutPassage
from ragd.notes.languages import language_of
from ragd.notes.markdown import links, tags
from ragd.notes.markdown.frontmatter import Frontmatter
from ragd.notes.markdown.links import Link
from ragd.notes.markdown.sections import Section
from ragd.notes.model import Chunk
from ragd.notes.search_text import search_text

TOO_MANY = "it would become more than 30,000 passages"
LONGEST_TITLE = 300
MOST_NOTE_TAGS = 200  # from other passages; a passage has all its own tags
MOST_NAMES = 50
MOST_CHUNKS = 30_000  # of a note; 10 MB of Korean text, the densest kind, make about 23,000

# The namespace of chunk ids: the UUIDv5 of "ragd:chunk" in the URL namespace of RFC 9562.
CHUNK_NAMESPACE = bytes.fromhex("4a603e15e7c655e4a493cf4afd8f3fa3")

# The only passage of an empty note, so that the note is found by its name.
EMPTY_PASSAGE = CutPassage("", "", 1, 1, Section("", 1, 1))


class PlacedPassage(NamedTuple):
    """A passage, and the place in the file where it is; an empty one: its lines."""

    passage: CutPassage
    position: str = ""


class NoteData(Struct, frozen=True):
    """What all passages of a note share."""

    path: str
    title: str
    kind: str
    collection: str
    properties: Frontmatter
    opening: str  # the heading at the beginning of the note
    links: Sequence[Link]
    language: str | None  # of most of its text
    day: str | None
    is_exact: bool  # the day also counts for a section whose heading has another day
    has_tags: bool = True  # `#word` in its text is a tag


def make_chunks(note: NoteData, passages: Iterable[PlacedPassage]) -> tuple[Chunk, ...] | None:
    """The chunks of a note; None if there would be too many."""
    found = list(itertools.islice(passages, MOST_CHUNKS + 1))
    if len(found) > MOST_CHUNKS:
        return None  # half a note would look like the whole note
    if not found and note.title:
        found = [PlacedPassage(EMPTY_PASSAGE)]
    own_tags = [_own_tags(one.passage) if note.has_tags else () for one in found]
    shared = _shared_data(note, own_tags)
    return tuple(
        _make_chunk(note, shared, index, one, own)
        for index, (one, own) in enumerate(zip(found, own_tags, strict=True))
    )


def chunk_id(path: str, index: int, content_hash: str) -> str:
    """The UUIDv5 of these three, joined by NUL, in CHUNK_NAMESPACE."""
    name = f"{path}\0{index}\0{content_hash}".encode("utf-8", "surrogatepass")
    digest = hashlib.sha1(CHUNK_NAMESPACE + name, usedforsecurity=False).hexdigest()
    variant = "89ab"[int(digest[16], 16) & 3]
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{variant}{digest[17:20]}-{digest[20:32]}"


def note_day(path: str, date: str | None, created: str | None) -> tuple[str | None, bool]:
    """The note's day, and whether it also counts for a section whose heading has another day.

    A month, a week or the day of creation is less exact for a section than its heading.
    """
    day, exact = dates.date_in_path(path)
    if day is None and date:
        day = dates.date_in_text(date)
        exact = day is not None
    if day is None and created:
        day = dates.date_in_text(created)
    return day, exact


def file_title(path: str) -> str:
    """The file's name without its extension, which Obsidian shows as the title."""
    name = path.rsplit("/", 1)[-1]
    stem = name.rsplit(".", 1)[0]
    if stem.lower().endswith(".excalidraw"):
        stem = stem[: -len(".excalidraw")]
    return one_line(stem or name, LONGEST_TITLE)


def embedded_text(title: str, heading_path: str, text: str) -> str:
    """The text from which the vector of a passage is made. `text` may have marks for code."""
    text = searched_text(text)
    names = f"{title}\n{heading_path}" if heading_path else title
    return f"{names}\n\n{text}" if text else names


class _SharedData(Struct, frozen=True):
    """What the chunks of a note share, besides its data."""

    stem: str  # the file's name
    names: tuple[str, ...]
    tags: tuple[str, ...]  # from its properties and all passages


def _shared_data(note: NoteData, own_tags: Sequence[tuple[str, ...]]) -> _SharedData:
    stem = file_title(note.path)
    names = dict.fromkeys([stem, *note.properties.aliases])
    names[note.opening] = None  # many people repeat the name of a note there
    for not_a_name in (note.title, ""):
        names.pop(not_a_name, None)
    every_tag = tags.merge_tags(note.properties.tags, *own_tags)
    return _SharedData(stem, tuple(names)[:MOST_NAMES], every_tag[:MOST_NOTE_TAGS])


def _own_tags(passage: CutPassage) -> tuple[str, ...]:
    return tags.merge_tags(passage.section.hashtags, tags.inline_tags(passage.prose))


def _make_chunk(
    note: NoteData,
    shared: _SharedData,
    index: int,
    placed: PlacedPassage,
    own_tags: tuple[str, ...],
) -> Chunk:
    passage = placed.passage
    section = passage.section
    text = searched_text(passage.text)
    found = tags.merge_tags(own_tags, note.properties.tags)
    embed_text = embedded_text(note.title, section.path, text)
    content_hash = hashlib.sha256(embed_text.encode()).hexdigest()
    aliases = note.properties.aliases
    language = language_of(text) or note.language
    return Chunk(
        chunk_id(note.path, index, content_hash),
        index,
        passage.text,
        section.name,
        section.full_path,
        passage.start_line,
        passage.end_line,
        note.day if note.is_exact else section.date or note.day,
        found,
        content_hash,
        embed_text,
        search_text(note.title, aliases, section.path, found, text, shared.stem, language),
        tags.merge_tags(found, shared.tags),
        shared.names,
        note.opening,
        links.targets_between(note.links, passage.start_line, passage.end_line),
        note.properties.properties,
        language,
        placed.position,
        note.kind,
        note.collection,
    )
