"""What heals must not heal by the next rescan: here there is none for an hour."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from chaos.faults import vaults
from chaos.harness import Arena
from chaos.provider import Provider
from chaos.resident import Resident
from chaos.tables import Tables
from tests.chaos.test_chaos import SEED
from tests.health.conftest import Reside
from tests.small_disks import mount, run, unmount

NEVER = {"debounce_s": 0.05, "collect_s": 0.2, "rescan_s": 3600}


@pytest.fixture
def resident(reside: Reside) -> Resident:
    return reside(watch=NEVER)


@pytest.mark.parametrize("case", vaults.CASES, ids=lambda case: case.__name__)
def test_a_vault_that_is_back_is_looked_through_at_once(resident: Resident, case: object) -> None:
    vaults.suffer(resident, case)  # type: ignore[arg-type]
    resident.settle()


def test_every_lost_commit_of_a_run_is_made_up_for(resident: Resident) -> None:
    for count in (1, 2, 3):
        note = resident.save()
        resident.until_found(note)
        resident.calm()
        min((resident.table / "_versions").glob("*.manifest")).unlink()
        resident.until_facts("index_lost", count)
        resident.until_found(note)
        resident.settle()


def test_an_index_directory_that_was_away_serves_again(resident: Resident) -> None:
    vectors = Path(resident.home.vectors)
    embedded = resident.embedded()
    away = vectors.with_name("away")
    vectors.rename(away)
    resident.until_reason("INDEX_NOT_FOUND")
    shutil.rmtree(vectors, ignore_errors=True)
    away.rename(vectors)
    resident.settle()
    assert resident.embedded() == embedded


def test_a_job_that_failed_twice_is_tried_again_when_its_provider_is_back(
    resident: Resident,
) -> None:
    old = resident.generation
    resident.provider.go_away()
    resident.until_reason("OLLAMA_UNREACHABLE")
    resident.ask_for("reindex")
    resident.until(
        lambda _: [f["outcome"] for f in resident.facts("job_finished")][-2:] == ["failed"] * 2,
        "a failed job and its failed retry",
    )
    resident.provider.come_back()
    resident.until(
        lambda said: said["index"]["generation"] != old, "the reindex that was asked for"
    )
    resident.settle()


class Unplugged:
    """A vault on a disk of its own, which can be unplugged for real."""

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
        resident = Resident(arena, provider, Tables(arena), watch=NEVER)
        resident.start()
        resident.index()
        for other_number in (False, True):
            disk.unplug()
            resident.until_reason("VAULT_NOT_FOUND")
            if other_number:  # the device number that it had is another's now
                mount(stack, "-o", "loop", str(_blank(arena.folder)), str(arena.folder / "other"))
            disk.plug_in()
            resident.until_found(resident.save())
            resident.until(lambda said: said["vault"]["watch"] == "native", "a watch")
            resident.until_found(resident.save())
            resident.settle()
        resident.stop()
        subprocess.run(["umount", str(disk.place)], check=True)


def _blank(folder: Path) -> Path:
    image = folder / "blank"
    with image.open("wb") as file:
        file.truncate(16 * 1024 * 1024)
    run(["mkfs.ext4", "-q", str(image)])
    return image
