"""Notes, vectors and identities for tests, made up from a few words."""

import asyncio
import hashlib
import random
import uuid
from collections.abc import Iterable, Mapping

from ragd.embed.providers.embedder_port import Vector, VectorSpace, pack
from ragd.notes.model import Chunk
from ragd.store.lance import ChunkIndex, FileRows, IndexDefect, IndexIdentity
from ragd.store.lance.checkup import examine

DIMENSIONS = 16
HOUR_NS = 3_600_000_000_000
NOON = "2026-11-16T12:00:00.000000Z"


def identity(generation: str = "01A", **other: object) -> IndexIdentity:
    space = VectorSpace("embedded", "minilm", "d1", DIMENSIONS)
    fields = {"space": space, "fingerprint": "f1", "vault": "v1", **other}
    return IndexIdentity(generation=generation, **fields)  # type: ignore[arg-type]


def vector(seed: object) -> Vector:
    """A different direction for each seed."""
    source = random.Random(str(seed))
    return pack(source.gauss(0, 1) for _ in range(DIMENSIONS))


def chunk(path: str, index: int, text: str, **other: object) -> Chunk:
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    fields: dict[str, object] = {
        "chunk_id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{path!a} {index} {digest}")),
        "index": index,
        "text": text,
        "section": None,
        "heading_path": "",
        "start_line": 1 + 10 * index,
        "end_line": 9 + 10 * index,
        "date": None,
        "tags": (),
        "content_hash": digest,
        "embed_text": text,
        "search_text": text,
        **other,
    }
    return Chunk(**fields)  # type: ignore[arg-type]


def note(
    path: str,
    *texts: str,
    mtime_ns: int = HOUR_NS,
    vectors: bool | Mapping[str, Vector] = False,
    **other: object,
) -> FileRows:
    """A note with these texts as chunks; `vectors` True: each has the vector of its text."""
    chunks = [chunk(path, index, text, **other) for index, text in enumerate(texts)]
    if vectors is True:
        vectors = {one.chunk_id: vector(one.text) for one in chunks}
    return FileRows(
        path=path,
        sha256=hashlib.sha256("\n".join(texts).encode("utf-8", "replace")).hexdigest(),
        mtime_ns=mtime_ns,
        indexed_at=NOON,
        title=path.rpartition("/")[2].removesuffix(".md"),
        chunks=chunks,
        vectors=vectors or {},
    )


def bulk(count: int, chunks: int = 4, vectors: bool = False, start: int = 0) -> list[FileRows]:
    """`count` notes with `chunks` chunks, each with a unique word: `w<note>x<chunk>`."""
    return [
        note(
            f"Bulk{number % 7}/note {number}.md",
            *(f"common words and w{number}x{part} in a line" for part in range(chunks)),
            vectors=vectors,
            tags=(f"#t{number % 5}",),
            mtime_ns=HOUR_NS + number,
        )
        for number in range(start, start + count)
    ]


def ids(files: Iterable[FileRows]) -> list[str]:
    return [one.chunk_id for file in files for one in file.chunks]


def vectors_of(files: Iterable[FileRows]) -> dict[str, Vector]:
    return {one.chunk_id: vector(one.text) for file in files for one in file.chunks}


async def missing(index: ChunkIndex) -> list[str]:
    """The ids of all chunks that have no vector yet."""
    rows = index.read_rows(["chunk_id"], "vector IS NULL")
    return sorted([row["chunk_id"] async for row in rows])


async def defect(index: ChunkIndex, expected_version: int = 0) -> IndexDefect | None:
    """What the checkup of this index finds."""
    name = index.identity.generation
    return await asyncio.to_thread(examine, index.folder, name, expected_version)
