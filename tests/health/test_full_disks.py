"""Log, cache and index on a disk that is really full: a small one, mounted for the test."""

import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from chaos import client
from chaos.managed_daemon import ManagedDaemon
from tests.small_disks import mount, small_disk

WHAT = ("log", "cache", "index")


@pytest.mark.parametrize("what", WHAT)
def test_a_full_disk_stops_no_search_and_all_goes_on_when_there_is_room(
    what: str, new_daemon: ManagedDaemon, mounts: ExitStack
) -> None:
    home = Path(new_daemon.home.root)
    places = {"log": home / "events", "cache": home, "index": home / "vectors.lance"}
    disk = small_disk(mounts, places[what])
    if what == "cache":  # the others have room elsewhere
        new_daemon.harness.configure()
        for name in ("events", "vectors.lance"):
            (new_daemon.arena.folder / name).mkdir(mode=0o700)
            mount(mounts, "--bind", str(new_daemon.arena.folder / name), str(home / name))
    new_daemon.start()
    new_daemon.index()
    known = new_daemon.save()
    new_daemon.wait_until_found(known)
    new_daemon.settle()
    disk.fill()
    waiting = [new_daemon.save() for _ in range(30)]
    if what != "cache":  # vectors can be had without a cache
        new_daemon.wait_for_reason("DISK_FULL")
    answer = new_daemon.search(known.word)
    assert known.path in answer.files, answer
    assert new_daemon.child.is_running
    disk.free()
    for note in waiting:
        new_daemon.wait_until_found(note)
    new_daemon.settle()
    new_daemon.stop()


def test_a_log_that_has_room_again_says_nothing_of_the_index(
    new_daemon: ManagedDaemon, mounts: ExitStack
) -> None:
    home = Path(new_daemon.home.root)
    log, index = (small_disk(mounts, home / name) for name in ("events", "vectors.lance"))
    new_daemon.start()
    new_daemon.index()
    index.fill()
    waiting = [new_daemon.save() for _ in range(30)]
    new_daemon.wait_for_facts("dependency_lost", 1, dependency="store")
    log.fill()
    new_daemon.wait_for(lambda _: not _reloads(new_daemon), "no room for another fact")
    log.free()
    new_daemon.wait_for(lambda said: said["log"]["full_since"] is None, "room for the log")
    new_daemon.wait_for_facts("dependency_recovered", 1, dependency="disk")
    new_daemon.reload()  # which is recorded
    assert "DISK_FULL" in new_daemon.reasons()
    index.free()
    for note in waiting:
        new_daemon.wait_until_found(note)
    new_daemon.settle()
    new_daemon.stop()


def _reloads(new_daemon: ManagedDaemon) -> bool:
    """Whether it could record a reload of its configuration."""
    return client.ask(new_daemon.home.socket, "POST", "/v1/reload").status == 200


def test_an_index_that_cannot_be_written_serves_and_goes_on_when_it_can(
    new_daemon: ManagedDaemon, mounts: ExitStack
) -> None:
    place = new_daemon.home.vectors
    small_disk(mounts, Path(place))
    new_daemon.start()
    new_daemon.index()
    known = new_daemon.save()
    new_daemon.wait_until_found(known)
    subprocess.run(["mount", "-o", "remount,ro", place], check=True)
    note = new_daemon.save()
    new_daemon.wait_for_reason("DISK_FULL")
    assert known.path in new_daemon.search(known.word).files
    subprocess.run(["mount", "-o", "remount,rw", place], check=True)
    new_daemon.wait_until_found(note)
    new_daemon.settle()
    new_daemon.stop()


def test_a_full_disk_is_over_also_when_what_waited_for_it_fails(
    new_daemon: ManagedDaemon, mounts: ExitStack
) -> None:
    disk = small_disk(mounts, Path(new_daemon.home.vectors))
    new_daemon.start()
    new_daemon.index()
    disk.fill()
    for _ in range(30):
        new_daemon.save()
    new_daemon.wait_for_reason("DISK_FULL")
    shutil.rmtree(new_daemon.table)
    disk.free()
    new_daemon.wait_for(lambda said: "DISK_FULL" not in str(said["reasons"]), "no full disk")
    new_daemon.request_job("reindex")
    new_daemon.settle()
    new_daemon.stop()
