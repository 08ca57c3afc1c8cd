"""Recovery without the next rescan: here there is none for an hour."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from chaos.faults import vaults
from chaos.harness import Arena
from chaos.managed_daemon import ManagedDaemon
from chaos.provider import Provider
from chaos.tables import Tables
from tests.chaos.test_chaos import SEED
from tests.health.conftest import DaemonFactory
from tests.small_disks import mount, run, unmount

NEVER = {"debounce_s": 0.05, "collect_s": 0.2, "rescan_s": 3600}


@pytest.fixture
def daemon(start_daemon: DaemonFactory) -> ManagedDaemon:
    return start_daemon(watch=NEVER)


@pytest.mark.parametrize("case", vaults.CASES, ids=lambda case: case.__name__)
def test_a_vault_that_is_back_is_looked_through_at_once(
    daemon: ManagedDaemon, case: object
) -> None:
    vaults.run_case(daemon, case)  # type: ignore[arg-type]
    daemon.settle()


def test_every_lost_commit_of_a_run_is_made_up_for(daemon: ManagedDaemon) -> None:
    for count in (1, 2, 3):
        note = daemon.save()
        daemon.wait_until_found(note)
        daemon.settle_and_compact()
        min((daemon.table / "_versions").glob("*.manifest")).unlink()
        daemon.wait_for_facts("index_lost", count)
        daemon.wait_until_found(note)
        daemon.settle()


def test_an_index_directory_that_was_away_serves_again(daemon: ManagedDaemon) -> None:
    vectors = Path(daemon.home.vectors)
    embedded = daemon.embedded_count()
    away = vectors.with_name("away")
    vectors.rename(away)
    daemon.wait_for_reason("INDEX_NOT_FOUND")
    shutil.rmtree(vectors, ignore_errors=True)
    away.rename(vectors)
    daemon.settle()
    assert daemon.embedded_count() == embedded


def test_a_job_that_failed_twice_is_tried_again_when_its_provider_is_back(
    daemon: ManagedDaemon,
) -> None:
    old = daemon.generation
    daemon.provider.go_offline()
    daemon.wait_for_reason("OLLAMA_UNREACHABLE")
    daemon.request_job("reindex")
    daemon.wait_for(
        lambda _: [f["outcome"] for f in daemon.facts("job_finished")][-2:] == ["failed"] * 2,
        "a failed job and its failed retry",
    )
    daemon.provider.go_online()
    daemon.wait_for(
        lambda said: said["index"]["generation"] != old, "the reindex that was asked for"
    )
    daemon.settle()


class Unplugged:
    """A vault on a disk of its own, which can really be unplugged."""

    def __init__(self, stack: ExitStack, image: Path, place: Path) -> None:
        self._image, self.place = image, place
        with image.open("wb") as file:
            file.truncate(16 * 1024 * 1024)
        run(["mkfs.ext4", "-q", str(image)])
        mount(stack, "-o", "loop", str(image), str(place))

    def unplug(self) -> None:
        unmount(str(self.place))

    def plug_in(self) -> None:
        run(["mount", "-o", "loop", str(self._image), str(self.place)])


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.skipif(shutil.which("mkfs.ext4") is None, reason="no mkfs.ext4 here")
def test_a_disk_that_is_unplugged_and_back_is_watched_again(stack: ExitStack) -> None:
    with Arena(SEED) as arena, Provider() as provider, stack:
        disk = Unplugged(stack, arena.folder / "image", arena.folder / "vault")
        daemon = ManagedDaemon(arena, provider, Tables(arena), watch=NEVER)
        daemon.start()
        daemon.index()
        for other_number in (False, True):
            disk.unplug()
            daemon.wait_for_reason("VAULT_NOT_FOUND")
            if other_number:  # the device number that it had is another's now
                mount(stack, "-o", "loop", str(_blank(arena.folder)), str(arena.folder / "other"))
            disk.plug_in()
            daemon.wait_until_found(daemon.save())
            daemon.wait_for(lambda said: said["vault"]["watch"] == "native", "a watch")
            daemon.wait_until_found(daemon.save())
            daemon.settle()
        daemon.stop()
        subprocess.run(["umount", str(disk.place)], check=True)


def _blank(folder: Path) -> Path:
    image = folder / "blank"
    with image.open("wb") as file:
        file.truncate(16 * 1024 * 1024)
    run(["mkfs.ext4", "-q", str(image)])
    return image
