"""Reads notes from the index, for the backlog, if they can no longer be read from the vault.

A note that became unreadable, or whose removal is held, stays in the index unchanged. Its vectors
are made from the stored text. It never stores anything.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ragd.batch.in_flight import ReadFile
from ragd.folds.tables import Entry
from ragd.notes.chunk_maker import embedded_text
from ragd.notes.markdown.sections import shown_path
from ragd.notes.model import Chunk, Note
from ragd.store.lance import ChunkIndex, one_of

_COLUMNS = (
    *("chunk_id", "chunk_text", "source_file", "section", "date", "tags", "chunk_index"),
    *("content_hash", "file_sha256", "start_line", "end_line", "title", "heading_path"),
)


async def stored_notes(
    index: ChunkIndex, paths: Sequence[str], files: Mapping[str, Entry]
) -> list[ReadFile]:
    """These notes with their chunks that lack a vector. Raises RagdError for a damaged index.

    A note is left out if the exact text of one of its chunks cannot be restored.
    """
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    if paths:
        where = f"{one_of('source_file', paths)} AND vector IS NULL"
        async for row in index.read_rows(_COLUMNS, where):
            rows[row["source_file"]].append(row)
    found = (_note(path, files.get(path), rows[path]) for path in paths)
    return [file for file in found if file is not None]


def _note(path: str, entry: Entry | None, rows: Sequence[dict[str, Any]]) -> ReadFile | None:
    chunks = [_chunk(row) for row in rows if entry and row["file_sha256"] == entry.sha256]
    if entry is None or not chunks or any(not _is_whole(chunk) for chunk in chunks):
        return None
    title = rows[0]["title"]
    note = Note(path, title, (), (), None, tuple(sorted(chunks, key=lambda chunk: chunk.index)))
    return ReadFile(path, entry.sha256, entry.mtime_ns, entry.size, note)


def _chunk(row: Mapping[str, Any]) -> Chunk:
    shown = shown_path(row["heading_path"])
    return Chunk(
        chunk_id=row["chunk_id"],
        index=row["chunk_index"],
        text=row["chunk_text"],
        section=row["section"],
        heading_path=row["heading_path"],
        start_line=row["start_line"],
        end_line=row["end_line"],
        date=row["date"],
        tags=tuple(row["tags"]),
        content_hash=row["content_hash"],
        embed_text=embedded_text(row["title"], shown, row["chunk_text"]),
        search_text="",
    )


def _is_whole(chunk: Chunk) -> bool:
    return hashlib.sha256(chunk.embed_text.encode()).hexdigest() == chunk.content_hash
