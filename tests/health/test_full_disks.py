"""Log, cache and index each meet a disk that is really full: a small one, mounted for the test."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from chaos.harness import Arena
from chaos.provider import Provider
from chaos.resident import Resident, codes
from chaos.tables import Tables
from tests.health.conftest import SEED
from tests.health.mounts import SMALL, Ballast, mount

pytestmark = pytest.mark.timeout(180)

WHAT = ("log", "cache", "index")


@pytest.fixture
def mounts() -> Iterator["ExitStack"]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize("what", WHAT)
def test_a_full_disk_stops_no_search_and_all_goes_on_when_there_is_room(
    what: str, mounts: ExitStack
) -> None:
    with Arena(SEED) as arena, Provider() as provider, mounts:
        resident = Resident(arena, provider, Tables(arena))
        home = Path(resident.home.root)
        places = {"log": home / "events", "cache": home, "index": home / "vectors.lance"}
        mount(mounts, "-t", "tmpfs", "-o", SMALL, "tmpfs", str(places[what]))
        disk = Ballast(places[what])
        if what == "cache":  # the others have room elsewhere
            resident.house.configure()
            for name in ("events", "vectors.lance"):
                (arena.folder / name).mkdir(mode=0o700)
                mount(mounts, "--bind", str(arena.folder / name), str(home / name))
        resident.start()
        resident.index()
        known = resident.save()
        resident.until_found(known)
        resident.settle()
        disk.fill()
        waiting = [resident.save() for _ in range(30)]
        if what != "cache":  # vectors can be had without a cache
            resident.until_reason("DISK_FULL")
        answer = resident.search(known.word)
        assert known.path in answer.files, answer
        assert resident.child.is_running
        disk.free()
        for note in waiting:
            resident.until_found(note)
        resident.settle()
        resident.stop()


def test_a_log_that_has_room_again_says_nothing_of_the_index(mounts: ExitStack) -> None:
    with Arena(SEED) as arena, Provider() as provider, mounts:
        resident = Resident(arena, provider, Tables(arena))
        home = Path(resident.home.root)
        mount(mounts, "-t", "tmpfs", "-o", SMALL, "tmpfs", str(home))
        resident.house.configure()
        disk = Ballast(home)
        resident.start()
        resident.index()
        disk.fill()
        waiting = [resident.save() for _ in range(30)]
        resident.until_reason("DISK_FULL")
        disk.give(32 * 1024)  # enough for facts, not for the index
        resident.until(
            lambda said: said["log"]["full_since"] is None and "DISK_FULL" in codes(said),
            "room for the log, and none for the index",
        )
        resident.reload()  # which is recorded
        assert "DISK_FULL" in resident.reasons()
        disk.free()
        for note in waiting:
            resident.until_found(note)
        resident.settle()
        resident.stop()


def test_an_index_that_cannot_be_written_serves_and_goes_on_when_it_can(mounts: ExitStack) -> None:
    with Arena(SEED) as arena, Provider() as provider, mounts:
        resident = Resident(arena, provider, Tables(arena))
        place = str(Path(resident.home.root) / "vectors.lance")
        mount(mounts, "-t", "tmpfs", "-o", SMALL, "tmpfs", place)
        resident.start()
        resident.index()
        known = resident.save()
        resident.until_found(known)
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        note = resident.save()
        resident.until_reason("DISK_FULL")
        assert known.path in resident.search(known.word).files
        subprocess.run(["mount", "-o", "remount,rw", place], check=True)
        resident.until_found(note)
        resident.settle()
        resident.stop()


def test_a_full_disk_is_over_also_when_what_waited_for_it_fails(mounts: ExitStack) -> None:
    with Arena(SEED) as arena, Provider() as provider, mounts:
        resident = Resident(arena, provider, Tables(arena))
        place = Path(resident.home.root) / "vectors.lance"
        mount(mounts, "-t", "tmpfs", "-o", SMALL, "tmpfs", str(place))
        disk = Ballast(place)
        resident.start()
        resident.index()
        disk.fill()
        for _ in range(30):
            resident.save()
        resident.until_reason("DISK_FULL")
        shutil.rmtree(resident.table)
        disk.free()
        resident.until(lambda said: "DISK_FULL" not in str(said["reasons"]), "no full disk")
        resident.ask_for("reindex")
        resident.settle()
        resident.stop()
