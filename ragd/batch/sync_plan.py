"""What a sync has to do: all roots as a scan saw them, compared with the catalog. Pure.

It holds no deletion: that is decided in deletion_hold.py.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from types import MappingProxyType
from typing import Protocol

from msgspec import Struct, field

# Whether nothing is known about a path, because its root or folder could not be read.
MayExist = Callable[[str], bool]


class FileOnDisk(Protocol):
    """A file as a scan sees it."""

    @property
    def path(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def mtime_ns(self) -> int: ...

    @property
    def ctime_ns(self) -> int: ...


class FileInCatalog(Protocol):
    """A file as it is in the catalog."""

    @property
    def size(self) -> int: ...

    @property
    def mtime_ns(self) -> int: ...

    @property
    def ctime_ns(self) -> int: ...


class SyncPlan(Struct, frozen=True):
    """The notes to read, newest first, and the notes to remove.

    `moves`: new path -> old path. The old path is removed when the new one is stored.
    """

    upserts: list[str]
    removals: list[str]
    moves: dict[str, str] = field(default_factory=dict)
    deletions: frozenset[str] = frozenset()  # removals that the configuration does not ask for
    # How many deletions of each collection wait for a person's consent: not in `removals`.
    held: dict[str, int] = field(default_factory=dict)


def differing(
    notes: Iterable[FileOnDisk], known: Mapping[str, FileInCatalog], *, read_all: bool = False
) -> list[str]:
    """The paths whose size or times differ from the catalog (or all of them), newest first."""
    found: list[tuple[int, str]] = []
    look_up = known.get
    for file in notes:
        entry = look_up(file.path)
        if (
            entry is not None
            and entry.ctime_ns == file.ctime_ns
            and entry.mtime_ns == file.mtime_ns
            and entry.size == file.size
            and not read_all
        ):
            continue  # nearly always
        if read_all or entry is None or _differs(file, entry):
            found.append((-file.mtime_ns, file.path))
    found.sort()
    return [path for _, path in found]


def _differs(file: FileOnDisk, entry: FileInCatalog) -> bool:
    """A program can keep the size and set `mtime_ns` back, but not `ctime_ns` (0: not known)."""
    if entry.mtime_ns != file.mtime_ns or entry.size != file.size:
        return True
    return entry.ctime_ns != file.ctime_ns and 0 not in (entry.ctime_ns, file.ctime_ns)


def plan_sync(
    notes: Collection[FileOnDisk],
    known: Mapping[str, FileInCatalog],
    *,
    read_all: bool = False,
    includes: Callable[[str], bool] = lambda path: True,
    may_exist: MayExist = lambda path: False,
    moves: Mapping[str, str] = MappingProxyType({}),
    paths: Set[str] | None = None,
) -> SyncPlan:
    """The plan that follows from a scan of everything.

    Notes that `may_exist` are not removed. `includes`: whether a path belongs in the index by the
    configuration; the others are removed, but not deletions. Nor are `moves` (new path -> old
    path). `paths`: those of the notes, if the caller has them.
    """
    moved = set(moves.values())
    present = {file.path for file in notes} if paths is None else paths
    missing = vanished(known.keys(), present, may_exist)
    removals = [path for path in missing if path not in moved]
    return SyncPlan(
        differing(notes, known, read_all=read_all),
        removals,
        dict(moves),
        frozenset(filter(includes, removals)),
    )


def vanished(known: Iterable[str], present: Set[str], may_exist: MayExist) -> list[str]:
    """The known paths that do not exist any more."""
    if isinstance(known, Set) and known <= present:
        return []  # nearly always, and quicker than the loop
    return [path for path in known if path not in present and not may_exist(path)]
