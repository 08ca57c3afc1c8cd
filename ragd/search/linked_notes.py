"""Finds notes and documents that the best results link to, or that link to them, with the reason
(`via`).

Every lookup is bounded, and none reads the whole table. It ranks nothing.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from ragd.notes.markdown.links import link_key, linked_name, resolve
from ragd.store.lance import ChunkRow, LinkRow

BEST_NOTES = 3  # notes of results whose links are followed
MOST_TARGETS = 32  # linked notes that are checked in each direction


class LinkIndex(Protocol):
    """Looks up links."""

    async def has_links(self) -> bool: ...

    async def read_links(self, paths: Sequence[str]) -> list[LinkRow]: ...

    async def find_linking_to(self, names: Sequence[str]) -> list[LinkRow]: ...

    async def find_by_names(self, names: Sequence[str]) -> list[LinkRow]: ...


async def find_linked_notes(index: LinkIndex, best: Sequence[ChunkRow]) -> dict[str, str]:
    """The paths of linked notes with their reasons; those of the best result come first."""
    if not await index.has_links():
        return {}
    rows: dict[str, ChunkRow] = {}
    for row in best:
        if len(rows) < BEST_NOTES:
            rows.setdefault(row.source_file, row)
    titles = {path: row.title for path, row in rows.items()}
    names = [name for row in rows.values() for name in _names(row)]
    (targets, named), incoming = await asyncio.gather(
        _find_outgoing(index, best, list(rows)), index.find_linking_to(names)
    )
    found: dict[str, str] = {}
    for linking, target in targets:
        key = link_key(target)
        path = resolve(target, linking, [one.source_file for one in named])
        if path is None:  # Obsidian's own links by alias have the note's name, others do not
            path = next((one.source_file for one in named if key in _keys(one)), None)
        if path is not None and path not in rows:
            found.setdefault(path, f"linked from “{titles[linking]}”")
    for passage in incoming[:MOST_TARGETS]:
        linked = _linked_result(passage, list(rows.values()))
        if linked is not None and passage.source_file not in rows:
            found.setdefault(passage.source_file, f"links to “{linked.title}”")
    return found


async def _find_outgoing(
    index: LinkIndex, best: Sequence[ChunkRow], paths: Sequence[str]
) -> tuple[list[tuple[str, str]], Sequence[LinkRow]]:
    """The link targets in these notes, and the notes with those names."""
    targets = _targets(best, await index.read_links(paths))
    return targets, await index.find_by_names([one for _, one in targets]) if targets else ()


def _names(row: ChunkRow) -> list[str]:
    return [linked_name(row.source_file), row.title, *row.names]


def _keys(row: LinkRow) -> set[str]:
    return {link_key(name) for name in (row.title, *row.names)}


def _targets(best: Sequence[ChunkRow], outgoing: Sequence[LinkRow]) -> list[tuple[str, str]]:
    """Pairs of linking note and target; links in the found passages come first, best first."""
    places = {row.source_file: place for place, row in reversed(list(enumerate(best)))}
    pairs = [(row.source_file, target) for row in best for target in row.links]
    rest = sorted(outgoing, key=lambda row: places.get(row.source_file, len(places)))
    pairs += [(row.source_file, target) for row in rest for target in row.links]
    known = {row.source_file for row in outgoing}
    return list(dict.fromkeys(pair for pair in pairs if pair[0] in known))[:MOST_TARGETS]


def _linked_result(row: LinkRow, best: Sequence[ChunkRow]) -> ChunkRow | None:
    """The best result that this passage links to."""
    for one in best:
        if any(_leads_to(target, row.source_file, one) for target in row.links):
            return one
    return None


def _leads_to(target: str, linking: str, row: ChunkRow) -> bool:
    if resolve(target, linking, [row.source_file]) is not None:
        return True
    return "/" not in target and link_key(target) in {link_key(name) for name in _names(row)}


def not_shown_yet(found: Mapping[str, str], shown: Collection[str]) -> dict[str, str]:
    """The linked notes that are not among the results yet."""
    return {path: why for path, why in found.items() if path not in shown}
