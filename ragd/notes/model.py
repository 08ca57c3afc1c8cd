"""A note and its chunks, as the other packages use them. Pure."""

from typing import Literal

from msgspec import Struct

from ragd.vault.collection_paths import VAULT


class Chunk(Struct, frozen=True):
    """One passage. `text` is stored and shown; `embed_text` and `search_text` are derived."""

    chunk_id: str  # UUIDv5 of path, index and content hash
    index: int
    text: str  # at most 2,000 characters; empty if the note is empty; with marks for code
    section: str | None  # the header above it, as written ("#mentalhealth", "Plans")
    heading_path: str  # "Year > January > Plans", empty at the top; whole, for the guard
    start_line: int  # from 1, inclusive: of the file, or of the text of a document with places
    end_line: int
    date: str | None  # ISO day
    tags: tuple[str, ...]  # with '#', the chunk's own and the frontmatter's
    content_hash: str  # sha256 of embed_text: the key of the embedding cache
    embed_text: str  # title and heading path before the text
    search_text: str  # the full-text column: title, aliases, heading path, tags, text, bigrams
    note_tags: tuple[str, ...] = ()  # every tag of the note
    names: tuple[str, ...] = ()  # of the note, except its title: file name, aliases, first heading
    opening: str = ""  # the heading that the note begins with: one of the names, a weaker one
    links: tuple[str, ...] = ()  # targets that this passage links to: a path or a name, no `.md`
    properties: tuple[str, ...] = ()  # typed properties of the note, encoded
    language: str | None = None  # ISO 639-1, if it can be detected
    position: str = ""  # the place in the file: `page=3`; empty: the lines are those of the file
    kind: str = "markdown"  # of the file, a name in `documents.kinds`
    collection: str = VAULT  # that the note belongs to


class Note(Struct, frozen=True):
    """One file, parsed. `hidden`: why it is not indexed, if it is not."""

    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    date: str | None
    chunks: tuple[Chunk, ...]
    hidden: str | None = None
    warnings: tuple[str, ...] = ()


class ChunkOptions(Struct, frozen=True):
    """The settings for cutting and cleaning notes."""

    chunk_size: int = 500
    chunk_overlap: int = 100
    code_blocks: str = "remove"


def code_blocks_of(fingerprint: str) -> Literal["keep", "remove"] | None:
    """What happened to code when notes were cut with this fingerprint; None if it is unknown."""
    last = fingerprint.rpartition(":")[2]
    return "keep" if last == "keep" else "remove" if last == "remove" else None
