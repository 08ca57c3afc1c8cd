"""Calls about several collections: one that is gone or hangs leaves the others alone."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from ragd.folds.catalog import Catalog
from ragd.folds.health_reasons import Health, LostCollection
from ragd.vault.collection_calls import (
    find_kinds,
    hash_notes,
    is_usable,
    read_notes,
    scan_all,
    stat_notes,
    verify_roots,
)
from ragd.vault.collection_files import CollectionScan
from ragd.vault.collection_paths import VAULT, collection_of, join_path
from ragd.vault.files import UNKNOWN_STAT, FileStat, NoteFile, PathKind
from ragd.vault.note_reader import ReadResult, VaultGone
from ragd.vault.threads import Lanes, VaultNotResponding, unavailable_error, unavailable_fact

STAT = FileStat(1, 1)
NAMES = (VAULT, "papers", "work")
PATHS = ["a.md", "@papers/b.md", "@work/c.md"]


class ThreeRoots:
    """A vault, `papers` and `work`. Roots in `gone` are missing; those in `hanging` never answer
    until the test ends."""

    collections = NAMES

    def __init__(self) -> None:
        self.gone: set[str] = set()
        self.hanging: set[str] = set()
        self.calls: list[str] = []
        self.threads: set[int] = set()
        self.released = threading.Event()

    def _touch(self, collection: str) -> None:
        self.calls.append(collection)
        self.threads.add(threading.get_ident())
        if collection in self.hanging:
            self.released.wait()
        if collection in self.gone:
            raise VaultGone("missing", collection)

    def now(self) -> str:
        return "2026-01-01T00:00:00Z"

    def collection_of(self, path: str) -> str:
        return collection_of(path, NAMES[1:])

    def scan(
        self, collection: str, *, may_be_empty: bool, known: Sequence[str] = ()
    ) -> CollectionScan:
        self._touch(collection)
        note = NoteFile(join_path(collection, "n.md"), 1, 1)
        return CollectionScan([note], (7, 7), newest_mtime=f"2026 {collection}")

    def verify_root(self, collection: str) -> None:
        self._touch(collection)

    def stat_notes(self, collection: str, paths: Sequence[str]) -> Mapping[str, FileStat | None]:
        self._touch(collection)
        return dict.fromkeys(paths, STAT)

    def kinds(self, collection: str, paths: Sequence[str]) -> Mapping[str, PathKind]:
        self._touch(collection)
        return dict.fromkeys(paths, "file")

    def hash_notes(self, collection: str, files: Sequence[NoteFile]) -> Mapping[str, str]:
        self._touch(collection)
        return {file.path: "hash" for file in files}

    def read(
        self,
        collection: str,
        paths: Sequence[str],
        known: Any,
        *,
        again: bool = False,
        room: int | None = None,
    ) -> ReadResult:
        self._touch(collection)
        return ReadResult(gone=list(paths), bytes_parsed=10)


@pytest.fixture
def notes() -> Iterator[ThreeRoots]:
    roots = ThreeRoots()
    yield roots
    roots.released.set()


@pytest.fixture
def lanes() -> Lanes:
    return Lanes("test", 2, 0.05)


async def test_a_scan_joins_all_roots_in_one_path_space(notes: ThreeRoots, lanes: Lanes) -> None:
    scanned = await scan_all(lanes, notes, Catalog(), Health())
    assert [note.path for note in scanned.notes] == ["n.md", "@papers/n.md", "@work/n.md"]
    assert (scanned.gone, scanned.device("papers"), scanned.newest_mtime) == ({}, 7, "2026 work")
    assert not scanned.may_exist("@papers/other.md")


async def test_a_root_that_is_gone_or_hangs_leaves_the_others_alone(
    notes: ThreeRoots, lanes: Lanes
) -> None:
    notes.gone, notes.hanging = {"papers"}, {VAULT}
    scanned = await scan_all(lanes, notes, Catalog(), Health())
    assert [note.path for note in scanned.notes] == ["@work/n.md"]
    assert isinstance(scanned.gone[VAULT], VaultNotResponding)
    assert scanned.gone["papers"].reason == "missing"
    assert scanned.may_exist("@papers/x.md") and scanned.may_exist("x.md")
    assert not scanned.may_exist("@work/x.md")
    assert await is_usable(lanes, notes, Catalog(), "work", ())
    assert not await is_usable(lanes, notes, Catalog(), "papers", ())


async def test_a_root_that_is_known_to_hang_is_not_asked(notes: ThreeRoots, lanes: Lanes) -> None:
    notes.hanging = {"papers"}
    health = Health(lost_collections={"papers": LostCollection("not_responding", "")})
    scanned = await scan_all(lanes, notes, Catalog(), health)
    assert set(scanned.gone) == {"papers"}
    assert sorted(notes.calls) == [VAULT, "work"]


async def test_a_root_that_hangs_for_good_takes_no_thread_from_another(
    notes: ThreeRoots, lanes: Lanes
) -> None:
    notes.hanging = {"papers"}
    for _ in range(5):
        stats = await stat_notes(lanes, notes, PATHS)
        assert stats == {"a.md": STAT, "@papers/b.md": UNKNOWN_STAT, "@work/c.md": STAT}
    assert notes.calls.count("papers") <= 4, "both of its own threads, both for all collections"
    notes.released.set()
    while lanes.of("papers").is_blocked() or lanes.several.is_blocked():
        pass
    assert await stat_notes(lanes, notes, PATHS) == dict.fromkeys(PATHS, STAT)


async def test_one_thread_asks_collections_that_answer_at_once(
    notes: ThreeRoots, lanes: Lanes
) -> None:
    notes.gone, lanes.several.limit_s = {"papers"}, 30.0
    stats = await stat_notes(lanes, notes, PATHS)
    assert stats == {"a.md": STAT, "@papers/b.md": UNKNOWN_STAT, "@work/c.md": STAT}
    assert (notes.calls, len(notes.threads)) == ([VAULT, "papers", "work"], 1)


async def test_nothing_is_known_if_no_root_can_be_used(notes: ThreeRoots, lanes: Lanes) -> None:
    notes.gone = {"papers"}
    with pytest.raises(VaultGone) as gone:
        await stat_notes(lanes, notes, ["@papers/b.md"])
    assert gone.value.collection == "papers"
    assert unavailable_error(gone.value).code == "COLLECTION_NOT_FOUND"
    assert unavailable_fact(gone.value).collection == "papers"


async def test_a_collection_can_have_less_time_than_its_lane(notes: ThreeRoots) -> None:
    notes.hanging = {"papers"}
    stats = await stat_notes(Lanes("slow", 2, 30.0), notes, PATHS, within_s=0.05)
    assert stats["@papers/b.md"] == UNKNOWN_STAT and stats["a.md"] == STAT


async def test_kinds_and_hashes_of_the_others_are_found(notes: ThreeRoots, lanes: Lanes) -> None:
    notes.gone = {"papers"}
    present, unknown = await find_kinds(lanes, notes, PATHS)
    assert (set(present), unknown) == ({"a.md", "@work/c.md"}, {"@papers/b.md"})
    files = [NoteFile(path, 1, 1) for path in PATHS]
    assert set(await hash_notes(lanes, notes, files)) == {"a.md", "@work/c.md"}
    assert set(await verify_roots(lanes, notes, PATHS)) == {"papers"}
    assert await verify_roots(lanes, notes, ["a.md"]) == {}


async def test_notes_of_a_root_that_is_gone_are_unreachable_and_not_gone(
    notes: ThreeRoots, lanes: Lanes
) -> None:
    notes.gone = {"papers"}
    reading = await read_notes(lanes, notes, PATHS, {})
    assert (reading.gone, reading.unreachable) == (["a.md", "@work/c.md"], ["@papers/b.md"])
    assert set(reading.lost) == {"papers"}


async def test_the_room_for_bytes_is_shared(notes: ThreeRoots, lanes: Lanes) -> None:
    reading = await read_notes(lanes, notes, PATHS, {}, room=15)
    assert (reading.gone, reading.left) == (["a.md", "@papers/b.md"], ["@work/c.md"])


def test_lanes_of_collections_that_came_and_went_are_dropped(lanes: Lanes) -> None:
    first = lanes.of("0")
    for number in range(1000):
        lanes.of(str(number))
    assert lanes.of("0") is not first
