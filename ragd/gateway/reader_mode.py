"""What is different in the answers of a reader: nothing can be written, and notes are shown from
the passages of the index, because there is no vault.
"""

from typing import Protocol

import msgspec

from ragd.errors import RagdError
from ragd.notes.excerpt import Excerpt, ExcerptLimits, ExcerptPart
from ragd.protocol.agent_requests import MemoryForgetRequest, MemoryWriteRequest
from ragd.protocol.tool_schemas import IndexRequest, MemoryRequest, NoteRequest
from ragd.store.lance import ChunkRow, sql_text
from ragd.store.lance.table_version import ROW_COLUMNS
from ragd.store.open_indexes import OpenIndexes

WRITING = (IndexRequest, MemoryRequest, MemoryWriteRequest, MemoryForgetRequest)


class Follower(Protocol):
    """Follows the index. `as_of`: when its writer last gave a sign of life."""

    as_of: str | None

    async def look_before_answer(self) -> None: ...


class ReaderMode:
    """The parts of the gateway ask it if it exists."""

    def __init__(self, follower: Follower, open_indexes: OpenIndexes) -> None:
        self._follower = follower
        self._open_indexes = open_indexes

    @property
    def as_of(self) -> str | None:
        """How new the index is: when its writer last gave a sign of life."""
        return self._follower.as_of

    async def prepare(self, request: object) -> None:
        """Refuse a request to write. Otherwise look for a newer index, if that is configured."""
        if isinstance(request, WRITING):
            raise RagdError("READ_ONLY")
        await self._follower.look_before_answer()

    async def read_passages(self, path: str) -> list[ChunkRow]:
        """All passages of a note, in their order."""
        index = self._open_indexes.serving
        if index is None:
            raise RagdError("INDEX_NOT_FOUND")
        columns = [name for name in ROW_COLUMNS if name in index.columns]
        where = f"source_file = {sql_text(path)}"
        rows = [row async for row in index.read_rows(columns, where)]
        found = [msgspec.convert(row, ChunkRow) for row in rows]
        return sorted(found, key=lambda row: row.chunk_index)


def excerpt_of_passages(
    request: NoteRequest, rows: list[ChunkRow], room: ExcerptLimits
) -> Excerpt | None:
    """The passages that have the lines or the place, as they are in the index; None if there are
    none. Lines between two passages are empty, so the numbers of the lines are those of the note.
    """
    total = max((row.end_line for row in rows), default=0)
    wanted = [row for row in rows if _is_wanted(row, request)]
    if not wanted:
        return None
    first = min(row.start_line for row in wanted)
    last = max(row.end_line for row in wanted)
    lines = [""] * (last - first + 1)
    for row in wanted:
        at, height = row.start_line - first, row.end_line - row.start_line + 1
        shown = row.chunk_text.split("\n")
        shown = [*shown[: height - 1], " ".join(shown[height - 1 :])]
        for offset, line in enumerate(shown[:height]):
            lines[at + offset] = line
    is_cut, used = False, 0
    for number, line in enumerate(lines[: room.lines]):
        used += len(line) + 1
        if used > room.characters and number:
            lines, is_cut = lines[:number], True
            break
    lines = lines[: room.lines]
    parts = [_part(row) for row in wanted]
    return Excerpt(lines, first, total, parts, is_cut, until=last)


def _part(row: ChunkRow) -> ExcerptPart:
    return ExcerptPart(
        *(row.chunk_text, row.section, tuple(row.tags), row.title, row.heading_path),
        *(row.source_file, row.date),
    )


def _is_wanted(row: ChunkRow, request: NoteRequest) -> bool:
    if request.place:
        return row.position == request.place
    last = request.to if request.to is not None else row.end_line
    return row.start_line <= last and row.end_line >= request.start
