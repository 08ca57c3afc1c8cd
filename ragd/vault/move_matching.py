"""Which notes were moved: a path vanished, and its content appeared at another path. Pure.

Each path that appeared accounts for at most one path that vanished, so equal notes cannot hide a
mass deletion.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Protocol, TypeVar


class SizedFile(Protocol):
    """A file whose size is known."""

    @property
    def size(self) -> int: ...


class IndexedFile(SizedFile, Protocol):
    """A note as an index has it. If its time is 0, its size is not known either."""

    @property
    def mtime_ns(self) -> int: ...


F = TypeVar("F", bound=SizedFile)


def possible_moves(vanished: Collection[IndexedFile], appeared: Iterable[F]) -> list[F]:
    """The files that may be moved notes, by their size. Only these have to be read."""
    if any(file.mtime_ns == 0 for file in vanished):  # adopted from a table without its log
        return list(appeared)
    sizes = {file.size for file in vanished}
    return [file for file in appeared if file.size in sizes]


def match_moves(vanished: Mapping[str, str], appeared: Mapping[str, str]) -> dict[str, str]:
    """New path -> old path, by the hash of each path. A path that kept its name comes first."""
    with_name: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path, sha256 in vanished.items():
        with_name[sha256, _name(path)].append(path)
    moves: dict[str, str] = {}
    for path, sha256 in appeared.items():
        if left := with_name.get((sha256, _name(path))):
            moves[path] = left.pop()
    others: defaultdict[str, list[str]] = defaultdict(list)
    for (sha256, _), paths in with_name.items():
        others[sha256] += paths
    for path, sha256 in appeared.items():
        if path not in moves and (left := others.get(sha256)):
            moves[path] = left.pop()
    return moves


def _name(path: str) -> str:
    return path.rpartition("/")[2]
