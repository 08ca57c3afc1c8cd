"""What a sync has to do: the vault as it was seen, against the catalog. Pure.

A missing note is only a deletion when it is plausible: when very many vanish at once, it is more
likely that something happened to the vault, and their removal is held for a person to confirm.
"""

from collections.abc import Collection, Container, Iterable, Mapping
from types import MappingProxyType
from typing import Protocol

from msgspec import Struct, field

HELD_SHARE = 0.30
HELD_COUNT = 50


class SeenFile(Protocol):
    """A file as a scan sees it."""

    @property
    def path(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def mtime_ns(self) -> int: ...

    @property
    def ctime_ns(self) -> int: ...


class KnownFile(Protocol):
    """A file as the catalog knows it."""

    @property
    def size(self) -> int: ...

    @property
    def mtime_ns(self) -> int: ...

    @property
    def ctime_ns(self) -> int: ...


class Plan(Struct):
    """Paths to read again, newest first, paths to remove, and how many removals are held.

    `moves`: new path -> old path. The old path is removed when the new one is stored.
    """

    upserts: list[str]
    removals: list[str]
    held: int = 0
    moves: dict[str, str] = field(default_factory=dict)


def differing(
    seen: Iterable[SeenFile], known: Mapping[str, KnownFile], *, read_all: bool = False
) -> list[str]:
    """The paths whose size or times are not the catalog's (or all of them), newest first."""
    found: list[tuple[int, str]] = []
    for file in seen:
        entry = known.get(file.path)
        if read_all or entry is None or _differs(file, entry):
            found.append((-file.mtime_ns, file.path))
    found.sort()
    return [path for _, path in found]


def _differs(file: SeenFile, entry: KnownFile) -> bool:
    """A program can keep the size and set `mtime_ns` back, but not `ctime_ns` (0: not known)."""
    if entry.mtime_ns != file.mtime_ns or entry.size != file.size:
        return True
    return entry.ctime_ns != file.ctime_ns and 0 not in (entry.ctime_ns, file.ctime_ns)


def plan(
    seen: Collection[SeenFile],
    known: Mapping[str, KnownFile],
    *,
    read_all: bool = False,
    accept_deletions: bool = False,
    denied: Collection[str] = (),
    unknown: Collection[str] = (),
    lately: int = 0,
    holding: bool = False,
    moves: Mapping[str, str] = MappingProxyType({}),
) -> Plan:
    """What a whole scan leads to. What the configuration denies now goes without being held, and
    what lies in a folder that could not be listed is not taken for deleted. `lately`: so many were
    deleted in the last minutes, and count with these. `holding`: some are held already, and only a
    person lifts that. `moves` (new path -> old path) are not deletions."""
    upserts = differing(seen, known, read_all=read_all)
    moved = set(moves.values())
    gone = vanished(known, {file.path for file in seen}, unknown)
    missing = [path for path in gone if path not in moved]
    unwanted = set(denied)
    deleted = sum(path not in unwanted for path in missing)
    if not accept_deletions and is_suspicious(deleted, len(known), lately, holding):
        allowed = [path for path in missing if path in unwanted]
        return Plan(upserts, allowed, held=deleted, moves=dict(moves))
    return Plan(upserts, missing, moves=dict(moves))


def vanished(known: Iterable[str], there: Container[str], unknown: Iterable[str]) -> list[str]:
    """Those that are not there any more, as far as can be told: `unknown` are closed folders."""
    closed = tuple(f"{folder}/" for folder in unknown)
    return [path for path in known if path not in there and not path.startswith(closed)]


def is_suspicious(deleted: int, known: int, lately: int = 0, holding: bool = False) -> bool:
    """More than 30 % and more than 50 within minutes, or everything there is, or anything more
    while some are held."""
    if not deleted or holding:
        return bool(deleted)
    in_all, before = deleted + lately, known + lately
    return deleted == known or (in_all > HELD_COUNT and in_all > before * HELD_SHARE)
