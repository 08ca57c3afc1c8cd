"""The port to the file system: what the log relies on, with the real and the simulated disk."""

import os
import sys
from pathlib import Path

import pytest

from ragd.eventlog.disk import Disk, RealDisk
from ragd.runtime.durable_files import private_directory
from tests.eventlog.simulated_disk import SimulatedDisk


@pytest.fixture(params=["real", "simulated"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Disk:
    return RealDisk(tmp_path / "events") if request.param == "real" else SimulatedDisk()


# The contract


def test_a_folder_that_is_not_there_holds_nothing(disk: Disk) -> None:
    assert disk.names() == []


def test_a_file_is_created_whole(disk: Disk) -> None:
    disk.create("a", b"content")
    disk.create("aside/b", b"")
    assert disk.names() == ["a", "aside/b"]
    assert (disk.read("a"), disk.read("aside/b")) == (b"content", b"")


def test_creating_replaces(disk: Disk) -> None:
    disk.create("a", b"old and longer")
    disk.create("a", b"new")
    assert disk.read("a") == b"new"


def test_a_part_of_a_file_can_be_read(disk: Disk) -> None:
    disk.create("a", b"0123456789")
    assert disk.read("a", 3) == b"3456789"
    assert disk.read("a", 3, 4) == b"3456"
    assert disk.read("a", 8, 100) == b"89"
    assert disk.read("a", 100, 5) == b""


def test_reading_what_is_not_there_says_so(disk: Disk) -> None:
    disk.create("a", b"")
    with pytest.raises(FileNotFoundError):
        disk.read("b")
    with pytest.raises(FileNotFoundError):
        disk.rename("b", "c")


def test_appending_goes_on_at_the_end_also_after_a_cut_and_a_rewrite(disk: Disk) -> None:
    disk.create("a", b"0123")
    file = disk.append_to("a")
    file.write(b"456789")
    file.truncate(6)
    file.write(b"abc")
    file.rewrite(2, b"23")
    file.write(b"d")
    file.sync()
    file.close()
    assert disk.read("a") == b"012345abcd"


def test_a_file_can_be_moved_and_removed(disk: Disk) -> None:
    disk.create("a", b"x")
    disk.create("b", b"y")
    disk.rename("a", "aside/a.pending")
    disk.rename("aside/a.pending", "aside/a")
    disk.rename("b", "")
    assert disk.names() == ["aside/a"]
    assert disk.read("aside/a") == b"x"


# The real one


def test_what_is_created_is_for_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        disk = RealDisk(tmp_path / "events")
        disk.create("a", b"")
        disk.create("aside/a", b"")
    finally:
        os.umask(before)
    aside = tmp_path / "events" / "aside"
    assert (aside / "a").stat().st_mode & 0o777 == 0o600
    assert aside.stat().st_mode & 0o777 == 0o700
    assert aside.parent.stat().st_mode & 0o777 == 0o700


def test_folders_are_no_files_of_the_log(tmp_path: Path) -> None:
    disk = RealDisk(tmp_path)
    disk.create("a", b"")
    (tmp_path / "folder").mkdir()
    assert disk.names() == ["a"]


def test_a_write_that_the_system_splits_is_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:3]))
    disk = RealDisk(tmp_path)
    disk.create("a", b"0123456789")
    disk.append_to("a").write(b"abcdefghij")
    assert disk.read("a") == b"0123456789abcdefghij"


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every sync and rename, in order, by the name of the file it was about."""
    if sys.platform != "linux":
        pytest.skip("needs /proc")
    done: list[str] = []

    def spy(name: str) -> None:
        real = getattr(os, name)

        def spied(handle: int) -> None:
            done.append(f"sync {Path(os.readlink(f'/proc/self/fd/{handle}')).name}")
            real(handle)

        monkeypatch.setattr(os, name, spied)

    spy("fsync")
    spy("fdatasync")
    replace = os.replace

    def spied_replace(old: Path, new: Path) -> None:
        done.append(f"rename {Path(old).name} {Path(new).name}")
        replace(old, new)

    monkeypatch.setattr(os, "replace", spied_replace)
    return done


def test_a_new_file_is_durable_before_it_has_its_name_and_its_name_before_we_go_on(
    steps: list[str], tmp_path: Path
) -> None:
    disk = RealDisk(tmp_path / "events")
    disk.create("a", b"x")
    folder = f"sync {tmp_path.name}"
    assert steps == [folder, "sync a.tmp", "rename a.tmp a", "sync events"]
    steps.clear()
    disk.create("b", b"x")
    assert steps == ["sync b.tmp", "rename b.tmp b", "sync events"]


def test_the_folder_for_what_is_set_aside_is_itself_durable(
    steps: list[str], tmp_path: Path
) -> None:
    disk = RealDisk(tmp_path / "events")
    disk.create("a", b"x")
    steps.clear()
    disk.create("aside/t", b"x")
    assert steps == ["sync events", "sync t.tmp", "rename t.tmp t", "sync aside"]
    steps.clear()
    disk.rename("a", "aside/a")
    assert steps == ["rename a a", "sync aside", "sync events"]
    steps.clear()
    disk.rename("aside/a", "")
    assert steps == ["sync aside"]


def test_a_file_opened_for_appending_has_a_durable_name(steps: list[str], tmp_path: Path) -> None:
    disk = RealDisk(tmp_path / "events")
    disk.create("a", b"x")
    steps.clear()
    file = disk.append_to("a")
    assert steps == ["sync events"]
    file.write(b"y")
    file.sync()
    assert steps == ["sync events", "sync a"]
    file.close()


def test_a_home_that_is_made_is_durable_down_to_its_folders(
    steps: list[str], tmp_path: Path
) -> None:
    private_directory(tmp_path / "new" / "home" / "events")
    assert steps == [f"sync {tmp_path.name}", "sync new", "sync home"]
