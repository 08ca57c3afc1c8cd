"""Calls about notes of several collections: each collection is asked in its own threads. Short
calls are made by one thread for all collections, as long as these answer.

A collection that is gone or hangs does not keep the others from answering: of its notes nothing is
known, and each function says how it returns that.
"""

import asyncio
import contextlib
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from ragd.folds.catalog import Catalog, Entry
from ragd.folds.health_reasons import Health
from ragd.vault.collection_files import CollectionScan
from ragd.vault.collection_paths import VAULT
from ragd.vault.files import UNKNOWN_STAT, FileStat, NoteFile, PathKind, VaultGone
from ragd.vault.note_reader import ReadResult
from ragd.vault.threads import Lanes, VaultNotResponding
from ragd.vault.vault_scan import VaultScan, join_scans

TURN_S = 2.0  # how long a scan of one collection keeps the next one waiting

T = TypeVar("T")


class Collections(Protocol):
    """The collections, and which one a path belongs to."""

    @property
    def collections(self) -> tuple[str, ...]: ...

    def collection_of(self, path: str) -> str: ...


class CollectionScanner(Collections, Protocol):
    """Scans one collection; called in a thread."""

    def now(self) -> str: ...

    def scan(
        self, collection: str, *, may_be_empty: bool, known: Sequence[str] = ()
    ) -> CollectionScan: ...


class CollectionVerifier(Collections, Protocol):
    """Checks one root; called in a thread."""

    def verify_root(self, collection: str) -> None: ...


class CollectionStats(Collections, Protocol):
    """Reads size and times of notes of one collection; called in a thread."""

    def stat_notes(
        self, collection: str, paths: Sequence[str]
    ) -> Mapping[str, FileStat | None]: ...


class CollectionReader(Collections, Protocol):
    """Reads notes of one collection; called in a thread."""

    def read(
        self,
        collection: str,
        paths: Sequence[str],
        known: Mapping[str, Entry],
        *,
        again: bool = False,
        room: int | None = None,
    ) -> ReadResult: ...


class CollectionHasher(Collections, Protocol):
    """Hashes notes of one collection; called in a thread."""

    def hash_notes(self, collection: str, files: Sequence[NoteFile]) -> Mapping[str, str]: ...


class CollectionPaths(Collections, Protocol):
    """What is at paths of one collection; called in a thread."""

    def kinds(self, collection: str, paths: Sequence[str]) -> Mapping[str, PathKind]: ...


class GrowingFiles(Collections, Protocol):
    """Which files are to be read later; called in a thread."""

    def not_due(self, collection: str, paths: Sequence[str]) -> set[str]: ...


async def scan_all(
    lanes: Lanes,
    notes: CollectionScanner,
    catalog: Catalog,
    health: Health,
    *,
    known: Sequence[str] = (),
) -> VaultScan:
    """Scan all roots. One that is known to hang is not asked, unless it is the only one.

    `known`: notes that recognise a disk with another device number, for all collections.
    """
    began, names = notes.now(), notes.collections
    recorded = {*names, *catalog.collections} - {VAULT}

    async def scan(name: str) -> CollectionScan:
        if len(names) > 1 and health.is_hanging(name):
            raise VaultNotResponding(name)
        return await _scan_one(lanes, notes, catalog, name, known)

    roots, gone = await _ask_each(names, scan, in_turn=True)
    return join_scans(roots, gone, recorded, began)


async def is_usable(
    lanes: Lanes, notes: CollectionScanner, catalog: Catalog, name: str, known: Sequence[str]
) -> bool:
    """Whether a scan of this collection would find it."""
    try:
        await _scan_one(lanes, notes, catalog, name, known)
    except VaultGone:
        return False
    return True


async def _scan_one(
    lanes: Lanes, notes: CollectionScanner, catalog: Catalog, name: str, known: Sequence[str]
) -> CollectionScan:
    may_be_empty = not catalog.count_stored(name)
    return await lanes.of(name).run(notes.scan, name, may_be_empty=may_be_empty, known=known)


async def verify_roots(
    lanes: Lanes, notes: CollectionVerifier, paths: Iterable[str]
) -> dict[str, VaultGone]:
    """The collections of these paths that cannot be used now."""
    wanted = set(map(notes.collection_of, paths))
    names = [name for name in notes.collections if name in wanted]

    async def verify(name: str) -> None:
        await lanes.of(name).run(notes.verify_root, name)

    return (await _ask_each(names, verify))[1]


async def stat_notes(
    lanes: Lanes,
    notes: CollectionStats,
    paths: Iterable[str],
    within_s: float | None = None,
) -> dict[str, FileStat | None]:
    """The size and times of these notes now; None for one that is gone, and UNKNOWN_STAT for one
    of a collection that cannot be used. Raises VaultGone if none of them can be used.

    `within_s`: a collection that takes longer counts as one that does not respond.
    """
    groups = group_paths(notes, paths)
    found, gone = await _stat_in_turn(lanes, notes, groups) if len(groups) > 1 else ({}, {})
    left = [name for name in groups if name not in found and name not in gone]

    async def stat(name: str) -> Mapping[str, FileStat | None]:
        try:
            async with asyncio.timeout(within_s):
                return await lanes.of(name).run(notes.stat_notes, name, groups[name])
        except TimeoutError:
            raise VaultNotResponding(name) from None

    if left:
        found_alone, gone_alone = await _ask_each(left, stat)
        found, gone = found | found_alone, gone | gone_alone
    if gone and not found:
        raise next(iter(gone.values()))
    stats = {path: one for group in found.values() for path, one in group.items()}
    return stats | {path: UNKNOWN_STAT for name in gone for path in groups[name]}


async def _stat_in_turn(
    lanes: Lanes, notes: CollectionStats, groups: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Mapping[str, FileStat | None]], dict[str, VaultGone]]:
    """The notes of all collections that one thread can ask within a short time, one after the
    other, and the collections that are gone. The disk mostly answers from its cache, and then a
    thread for each collection takes three times as long."""
    found: dict[str, Mapping[str, FileStat | None]] = {}
    gone: dict[str, VaultGone] = {}

    def stat_each() -> None:
        for name, paths in groups.items():
            try:
                found[name] = notes.stat_notes(name, paths)
            except VaultGone as why:
                gone[name] = why

    with contextlib.suppress(TimeoutError, VaultNotResponding):
        async with asyncio.timeout(lanes.several.limit_s):
            await lanes.several.run(stat_each)
    return dict(found), dict(gone)  # copies: a thread that hangs may go on later


async def find_kinds(
    lanes: Lanes, notes: CollectionPaths, paths: Iterable[str]
) -> tuple[dict[str, PathKind], set[str]]:
    """What is at each of these paths now, and the paths in collections that cannot be used."""
    groups = group_paths(notes, paths)

    async def kinds(name: str) -> Mapping[str, PathKind]:
        return await lanes.of(name).run(notes.kinds, name, groups[name])

    found, gone = await _ask_each(groups, kinds)
    present = {path: kind for group in found.values() for path, kind in group.items()}
    return present, {path for name in gone for path in groups[name]}


async def find_not_due(lanes: Lanes, notes: GrowingFiles, paths: Iterable[str]) -> set[str]:
    """Those of these notes that are to be read later. A scan finds them when they are due."""
    groups = group_paths(notes, paths)

    async def not_due(name: str) -> set[str]:
        return await lanes.of(name).run(notes.not_due, name, groups[name])

    found, _ = await _ask_each(groups, not_due)
    return set().union(*found.values())


async def hash_notes(
    lanes: Lanes, notes: CollectionHasher, files: Iterable[NoteFile]
) -> dict[str, str]:
    """The SHA-256 of these notes, as far as they can be read now."""
    by_path = {file.path: file for file in files}
    groups = group_paths(notes, by_path)

    async def hash_group(name: str) -> Mapping[str, str]:
        listed = [by_path[path] for path in groups[name]]
        return await lanes.of(name).run(notes.hash_notes, name, listed)

    found, _ = await _ask_each(groups, hash_group)
    return {path: digest for group in found.values() for path, digest in group.items()}


async def read_notes(
    lanes: Lanes,
    notes: CollectionReader,
    paths: Sequence[str],
    known: Mapping[str, Entry],
    *,
    again: bool = False,
    room: int | None = None,
) -> ReadResult:
    """Read these notes and split them into chunks, one collection after the other.

    Notes of a collection that cannot be used are `unreachable`.
    """
    whole = ReadResult()
    for name, group in group_paths(notes, paths).items():
        left = None if room is None else room - whole.bytes_parsed
        if left is not None and left <= 0:
            whole.left += group
            continue
        try:
            part = await lanes.of(name).run(notes.read, name, group, known, again=again, room=left)
        except VaultGone as why:
            whole.unreachable += group
            whole.lost[name] = why
        else:
            _add(whole, part)
    return whole


def _add(whole: ReadResult, part: ReadResult) -> None:
    for name in ("files", "touched", "gone", "skipped", "failed", "unstable", "left"):
        getattr(whole, name).extend(getattr(part, name))
    whole.bytes_parsed += part.bytes_parsed


def group_paths(notes: Collections, paths: Iterable[str]) -> dict[str, list[str]]:
    """The paths of each collection, in their order."""
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(notes.collection_of(path), []).append(path)
    return groups


async def _ask_each(
    names: Collection[str], ask: Callable[[str], Coroutine[Any, Any, T]], *, in_turn: bool = False
) -> tuple[dict[str, T], dict[str, VaultGone]]:
    """The answers of all collections, and those that cannot be used.

    `in_turn`: ask the next one when the last has answered, which is quicker than many threads that
    compute at once. One that takes long is not waited for.
    """
    if len(names) == 1:  # without a task of its own
        (name,) = names
        answer = await _ask(ask, name)
        return ({}, {name: answer}) if isinstance(answer, VaultGone) else ({name: answer}, {})
    async with asyncio.TaskGroup() as group:
        asked: list[asyncio.Task[T | VaultGone]] = []
        for name in names:
            asked.append(group.create_task(_ask(ask, name)))
            if in_turn:
                await asyncio.wait(asked[-1:], timeout=TURN_S)
    answers = [task.result() for task in asked]
    found: dict[str, T] = {}
    gone: dict[str, VaultGone] = {}
    for name, answer in zip(names, answers, strict=True):
        if isinstance(answer, VaultGone):
            gone[name] = answer
        else:
            found[name] = answer
    return found, gone


async def _ask(ask: Callable[[str], Coroutine[Any, Any, T]], name: str) -> T | VaultGone:
    try:
        return await ask(name)
    except VaultGone as why:
        return why
