"""Lookups by key in one version of the table: notes by their exact names, passages by their links.

The keys of a table of limited size are in memory. Then the index is searched only if the order of
the rows matters. It ranks nothing.
"""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from ragd.search.query.conditions import Condition
from ragd.store.lance.packed_rows import LINK_COLUMNS, KeyedRow, LinkRow
from ragd.store.lance.row_queries import ScoredRows, best_first, by_words, find_best, find_rows
from ragd.store.lance.scans import Scan
from ragd.store.lance.schema import KEYS, LINKS, key_of_heading, key_of_link, key_of_name
from ragd.store.lance.sql import one_of
from ragd.store.lance.table_version import ChunkHit, TableVersion

LINKED = 128  # passages with links to or from some notes, at most
FEW = 32  # so few passages that all are used, in any order
NAMESAKES = 20  # notes of one name, at most


async def find_by_name(
    now: TableVersion, name: str, where: str | None, phrases: Sequence[Condition]
) -> list[ChunkHit]:
    """The first passages of the notes with exactly this name. Their scores mean nothing.

    If no note has the name, those of the notes that begin with this heading.
    """
    key, heading = key_of_name(name), key_of_heading(name)
    if not key or not now.has_keys:
        return []
    if (packed := await now.packed()) is not None:
        found = packed.with_keys([key, heading])
        if not found or (where is None and not phrases and len(found) <= NAMESAKES):
            ids = [one.row_id for one in found if key in one.keys]
            ids = ids or [one.row_id for one in found]
            return best_first(await now.hits(ids, [0.0] * len(ids)))

    async def search(most: int, where: str | None) -> ScoredRows:
        return await find_rows(now, by_words(f"{key} {heading}", KEYS, most), where, is_quick=True)

    rows = await find_best(now, search, NAMESAKES, where, phrases)
    if not rows.row_ids:
        return []
    keys = await now.values(rows.row_ids, KEYS)
    hits = await now.hits(rows.row_ids, rows.scores)
    of_name = [one for one, own in zip(hits, keys, strict=True) if key in own.split()]
    return best_first(of_name or hits)


async def has_links(now: TableVersion) -> bool:
    """Whether any passage links to a note. Looked up once for each version."""
    if now.has_links is None:
        scan = by_words(LINKS, KEYS, 1)
        linked = now.has_keys and (await find_rows(now, scan, is_quick=True)).row_ids
        now.has_links = bool(linked)
    return now.has_links


async def read_links(now: TableVersion, paths: Sequence[str]) -> list[LinkRow]:
    """The passages of these notes that have links."""
    if not now.has_keys:
        return []
    if (packed := await now.packed()) is not None:
        rows = packed.read_links(paths, LINKED)
    else:
        scan = Scan(LINK_COLUMNS, one_of("source_file", paths), LINKED)
        read = await now.scans.read(scan)
        rows = msgspec.convert(read.to_pylist(), list[LinkRow])
    return [row for row in rows if row.links]


async def find_linking_to(
    now: TableVersion, names: Sequence[str], where: str | None = None
) -> list[LinkRow]:
    """Passages that link to a note with one of these names."""
    return await _with_keys(now, map(key_of_link, names), _is_any_order_right, where)


async def find_by_names(
    now: TableVersion, names: Sequence[str], where: str | None = None
) -> list[LinkRow]:
    """The first passages of notes with one of these names; a path counts as its last name."""
    keys = (key_of_name(name.rpartition("/")[2]) for name in names)
    return await _with_keys(now, keys, _has_each_one_note, where)


async def _with_keys(
    now: TableVersion,
    keys: Iterable[str],
    is_enough: Callable[[Sequence[KeyedRow]], bool],
    where: str | None,
) -> list[LinkRow]:
    """The passages with these keys, rarest keys first. If `is_enough` finds that the order does not
    matter, and there is no condition, they come from memory."""
    wanted = list(dict.fromkeys(key for key in keys if key))
    if not wanted or not now.has_keys:
        return []
    packed = await now.packed()
    if packed is not None:
        found = packed.with_keys(wanted)
        if not found or (where is None and is_enough(found)):
            return [one.row for one in found]
    rows = await find_rows(now, by_words(" ".join(wanted), KEYS, LINKED), where, is_quick=True)
    scored = zip(rows.scores, await now.link_rows(rows.row_ids), strict=True)
    return [row for _, row in sorted(scored, key=lambda one: (-one[0], one[1].source_file))]


def _is_any_order_right(found: Sequence[KeyedRow]) -> bool:
    """Whether there are few, and no note has passages with different keys."""
    notes = {one.row.source_file for one in found}
    return len(found) <= FEW and len(notes) == len({(o.row.source_file, o.keys) for o in found})


def _has_each_one_note(found: Sequence[KeyedRow]) -> bool:
    """Whether no two notes have the same key."""
    pairs = {(key, one.row.source_file) for one in found for key in one.keys}
    return len(found) <= LINKED and len(pairs) == len({key for key, _ in pairs})
