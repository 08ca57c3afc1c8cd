"""Log, cache and index each meet a disk that is really full: a small one, mounted for the test."""

import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from chaos import client
from chaos.resident import Resident
from tests.small_disks import mount, small_disk

WHAT = ("log", "cache", "index")


@pytest.mark.parametrize("what", WHAT)
def test_a_full_disk_stops_no_search_and_all_goes_on_when_there_is_room(
    what: str, newcomer: Resident, mounts: ExitStack
) -> None:
    home = Path(newcomer.home.root)
    places = {"log": home / "events", "cache": home, "index": home / "vectors.lance"}
    disk = small_disk(mounts, places[what])
    if what == "cache":  # the others have room elsewhere
        newcomer.house.configure()
        for name in ("events", "vectors.lance"):
            (newcomer.arena.folder / name).mkdir(mode=0o700)
            mount(mounts, "--bind", str(newcomer.arena.folder / name), str(home / name))
    newcomer.start()
    newcomer.index()
    known = newcomer.save()
    newcomer.until_found(known)
    newcomer.settle()
    disk.fill()
    waiting = [newcomer.save() for _ in range(30)]
    if what != "cache":  # vectors can be had without a cache
        newcomer.until_reason("DISK_FULL")
    answer = newcomer.search(known.word)
    assert known.path in answer.files, answer
    assert newcomer.child.is_running
    disk.free()
    for note in waiting:
        newcomer.until_found(note)
    newcomer.settle()
    newcomer.stop()


def test_a_log_that_has_room_again_says_nothing_of_the_index(
    newcomer: Resident, mounts: ExitStack
) -> None:
    home = Path(newcomer.home.root)
    log, index = (small_disk(mounts, home / name) for name in ("events", "vectors.lance"))
    newcomer.start()
    newcomer.index()
    index.fill()
    waiting = [newcomer.save() for _ in range(30)]
    newcomer.until_facts("dependency_lost", 1, dependency="store")
    log.fill()
    newcomer.until(lambda _: not _reloads(newcomer), "no room for another fact")
    log.free()
    newcomer.until(lambda said: said["log"]["full_since"] is None, "room for the log")
    newcomer.until_facts("dependency_recovered", 1, dependency="disk")
    newcomer.reload()  # which is recorded
    assert "DISK_FULL" in newcomer.reasons()
    index.free()
    for note in waiting:
        newcomer.until_found(note)
    newcomer.settle()
    newcomer.stop()


def _reloads(newcomer: Resident) -> bool:
    """Whether it could record that it was told to read its configuration again."""
    return client.ask(newcomer.home.socket, "POST", "/v1/reload").status == 200


def test_an_index_that_cannot_be_written_serves_and_goes_on_when_it_can(
    newcomer: Resident, mounts: ExitStack
) -> None:
    place = newcomer.home.vectors
    small_disk(mounts, Path(place))
    newcomer.start()
    newcomer.index()
    known = newcomer.save()
    newcomer.until_found(known)
    subprocess.run(["mount", "-o", "remount,ro", place], check=True)
    note = newcomer.save()
    newcomer.until_reason("DISK_FULL")
    assert known.path in newcomer.search(known.word).files
    subprocess.run(["mount", "-o", "remount,rw", place], check=True)
    newcomer.until_found(note)
    newcomer.settle()
    newcomer.stop()


def test_a_full_disk_is_over_also_when_what_waited_for_it_fails(
    newcomer: Resident, mounts: ExitStack
) -> None:
    disk = small_disk(mounts, Path(newcomer.home.vectors))
    newcomer.start()
    newcomer.index()
    disk.fill()
    for _ in range(30):
        newcomer.save()
    newcomer.until_reason("DISK_FULL")
    shutil.rmtree(newcomer.table)
    disk.free()
    newcomer.until(lambda said: "DISK_FULL" not in str(said["reasons"]), "no full disk")
    newcomer.ask_for("reindex")
    newcomer.settle()
    newcomer.stop()
