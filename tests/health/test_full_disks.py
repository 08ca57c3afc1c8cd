"""Log, cache and index each meet a disk that is really full: a small one, mounted for the test."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from chaos.harness import Arena
from chaos.provider import Provider
from chaos.resident import Resident
from chaos.tables import Tables
from tests.health.conftest import SEED

pytestmark = pytest.mark.timeout(180)

SIZE = "size=24m,mode=700"
WHAT = ("log", "cache", "index")


class Disk:
    """A small disk, and a ballast that fills it."""

    def __init__(self, folder: Path) -> None:
        self._ballast = folder / "ballast"
        self.folder = folder

    def fill(self) -> None:
        with self._ballast.open("wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                pass

    def free(self) -> None:
        self._ballast.unlink()


@pytest.fixture
def mounts() -> Iterator["ExitStack"]:
    with ExitStack() as stack:
        yield stack


def mount(stack: ExitStack, *words: str) -> None:
    place = words[-1]
    os.makedirs(place, mode=0o700, exist_ok=True)
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small disk to be had here: {done.stderr.strip()}")
    stack.callback(subprocess.run, ["umount", "-l", place], check=True)


@pytest.mark.parametrize("what", WHAT)
def test_a_full_disk_stops_no_search_and_all_goes_on_when_there_is_room(
    what: str, mounts: ExitStack
) -> None:
    with Arena(SEED) as arena, Provider() as provider, mounts:
        resident = Resident(arena, provider, Tables(arena))
        home = Path(resident.home.root)
        places = {"log": home / "events", "cache": home, "index": home / "vectors.lance"}
        mount(mounts, "-t", "tmpfs", "-o", SIZE, "tmpfs", str(places[what]))
        disk = Disk(places[what])
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
