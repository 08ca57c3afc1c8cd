"""Finds the notes that are near a note: by meaning, and by links in both directions.

Every lookup is bounded. Each note comes with the reasons why it is there.
"""

import itertools
from collections.abc import Sequence

from msgspec import Struct

from ragd.access.scope import Permits
from ragd.embed.providers.embedder_port import Vector, mean, pack
from ragd.notes.markdown.links import link_key
from ragd.search.file_check import FileCheck
from ragd.search.linked_notes import find_linked_notes
from ragd.store.lance import ChunkIndex, ChunkRow
from ragd.store.lance.sql import one_of
from ragd.vault.files import UNKNOWN_STAT

CHUNKS_READ = 32  # of the note itself
NEAREST = 60  # chunks that are compared with it
OWN_MAX = 1_000  # chunks of the note itself that may be nearer than those
LINKED_BONUS = 0.15  # beside the cosine
SHARED_BONUS = 0.05
SHARED_MAX = 16  # links of the note that are looked for in other notes
_COLUMNS = ("chunk_id", "vector")


class RelatedNote(Struct, frozen=True):
    """A note, and why it is related."""

    path: str
    title: str
    why: tuple[str, ...]
    score: float  # by meaning and links; only the order counts
    cosine: float | None = None  # of its nearest passage; None: no passage is near
    date: str | None = None


class RelatedNotes:
    """Looks for related notes in the index that serves."""

    def __init__(self, file_check: FileCheck, may_be_shown: Permits) -> None:
        self._file_check = file_check
        self._may_be_shown = may_be_shown

    async def find(self, index: ChunkIndex, path: str, most: int) -> list[RelatedNote] | None:
        """The related notes, nearest first; None if the index does not have the note, or if the
        note is gone or may not be shown any more.

        `index` has only rows in scope.
        """
        if not await self._is_there(path):
            return None
        rows, vectors = await _read_note(index, path)
        if not rows:
            return None
        cosines = await _nearest_notes(index, vectors, min(rows[0].total_chunks, OWN_MAX))
        linked = await find_linked_notes(index, rows)
        shared = await _share_links(index, rows)
        paths = dict.fromkeys((*linked, *cosines, *shared))
        paths.pop(path, None)
        found = []
        for other in paths:
            cosine = cosines.get(other)
            score = (cosine or 0.0) + LINKED_BONUS * (other in linked)
            score += SHARED_BONUS * (other in shared)
            why = [linked[other]] if other in linked else []
            why += [f"also links to “{name}”" for name in shared.get(other, ())]
            why += [f"near in meaning ({cosine:.2f})"] if cosine is not None else []
            found.append((score, other, cosine, tuple(why)))
        found.sort(key=lambda one: -one[0])
        return await self._existing(index, found, most)

    async def _is_there(self, path: str) -> bool:
        """Whether the note may be shown and exists, as far as that can be checked."""
        if not self._may_be_shown(path):
            return False
        stats = await self._file_check.check([path])
        return stats is None or stats.get(path, UNKNOWN_STAT) is not None

    async def _existing(
        self,
        index: ChunkIndex,
        found: Sequence[tuple[float, str, float | None, tuple[str, ...]]],
        most: int,
    ) -> list[RelatedNote]:
        """The best ones that may be shown and still exist."""
        shown = [one for one in found if self._may_be_shown(one[1])][: 2 * most]
        stats = await self._file_check.check([path for _, path, _, _ in shown])
        there = [one for one in shown if stats is None or stats.get(one[1]) is not None][:most]
        heads = await _first_rows(index, [path for _, path, _, _ in there])
        return [
            RelatedNote(path, heads[path].title, why, round(score, 3), cosine, heads[path].date)
            for score, path, cosine, why in there
            if path in heads
        ]


async def _read_note(index: ChunkIndex, path: str) -> tuple[list[ChunkRow], list[Vector]]:
    ids: list[str] = []
    vectors: list[Vector] = []
    async for row in index.read_rows(_COLUMNS, one_of("source_file", [path])):
        ids.append(row["chunk_id"])
        if row["vector"] is not None:
            vectors.append(pack(row["vector"]))
        if len(ids) >= CHUNKS_READ:
            break
    return await index.read_chunks(ids), vectors


async def _nearest_notes(
    index: ChunkIndex, vectors: Sequence[Vector], own: int
) -> dict[str, float]:
    """The notes near the middle of these vectors, by path, with the cosine of the nearest chunk.
    `own`: how many chunks the note itself has, which are among the nearest."""
    if not vectors:
        return {}
    middle = mean([(vector, 1.0) for vector in vectors])
    found: dict[str, float] = {}
    for hit in await index.find_by_vector(middle, NEAREST + own):
        found.setdefault(hit.source_file, round(hit.score, 4))
    return found


async def _share_links(index: ChunkIndex, rows: Sequence[ChunkRow]) -> dict[str, list[str]]:
    """The notes that link to what this note links to, with the names of those links."""
    if not await index.has_links():
        return {}
    targets = list(dict.fromkeys(itertools.chain.from_iterable(row.links for row in rows)))
    names = {link_key(target): target for target in targets[:SHARED_MAX]}
    found: dict[str, list[str]] = {}
    for row in await index.find_linking_to(list(names.values())) if names else ():
        for target in row.links:
            name = names.get(link_key(target))
            known = found.setdefault(row.source_file, [])
            if name is not None and name not in known:
                known.append(name)
    return {path: shared for path, shared in found.items() if shared}


async def _first_rows(index: ChunkIndex, paths: Sequence[str]) -> dict[str, ChunkRow]:
    """The first chunk of each of these notes."""
    if not paths:
        return {}
    where = f"{one_of('source_file', paths)} AND chunk_index = 0"
    ids = [row["chunk_id"] async for row in index.read_rows(("chunk_id",), where)]
    return {row.source_file: row for row in await index.read_chunks(ids)}
