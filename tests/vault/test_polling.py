"""File events from scans, where the system's watch fails."""

import os
from pathlib import Path

from ragd.vault.collection_files import CollectionScan
from ragd.vault.files import NoteFile, VaultFiles, VaultGone
from ragd.vault.folder_rules import FolderRules
from ragd.vault.polling import POLL_S, Polling, differences
from ragd.vault.threads import Lane
from tests.daemon.virtual_clock import VirtualClock

LANE = Lane("test", 1, 30.0)


def notes(**sizes_and_times: tuple[int, int]) -> dict[str, NoteFile]:
    return {f"{name}.md": NoteFile(f"{name}.md", *how) for name, how in sizes_and_times.items()}


def test_two_scans_show_what_happened_between_them() -> None:
    before = notes(same=(1, 1), longer=(1, 1), later=(1, 1), gone=(1, 1))
    now = notes(same=(1, 1), longer=(2, 1), later=(1, 2), new=(1, 1))
    assert differences(before, now) == {
        ("modified", "longer.md"),
        ("modified", "later.md"),
        ("deleted", "gone.md"),
        ("added", "new.md"),
    }


class PassingClock(VirtualClock):
    """A clock that only advances in sleep."""

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._elapsed += seconds


async def test_the_first_scan_is_compared_with_and_each_later_one_waits(tmp_path: Path) -> None:
    vault = VaultFiles(str(tmp_path))
    (tmp_path / "a.md").write_text("a")

    def scan() -> CollectionScan:
        found = vault.scan(FolderRules(), ["*.md"])
        return CollectionScan(found.notes, found.identity)

    clock = PassingClock()
    polling = Polling(clock, LANE, scan)
    assert await polling.next() == set()
    assert clock.slept == []
    (tmp_path / "b.md").write_text("b")
    os.utime(tmp_path / "a.md", (1, 1))
    assert await polling.next() == {("added", "b.md"), ("modified", "a.md")}
    assert await polling.next() == set()
    assert clock.slept == [POLL_S, POLL_S]
    os.rename(tmp_path, tmp_path.with_name("away"))
    assert await polling.next() == {("deleted", ".")}
    os.rename(tmp_path.with_name("away"), tmp_path)
    assert await polling.next() == set()


async def test_events_have_the_paths_in_the_root(tmp_path: Path) -> None:
    folder = VaultFiles(str(tmp_path))
    (tmp_path / "a.md").write_text("a")

    def scan() -> CollectionScan:
        found = folder.scan(FolderRules(), ["*.md"], prefix="@papers/")
        return CollectionScan(found.notes, found.identity)

    polling = Polling(PassingClock(), LANE, scan, "@papers/")
    await polling.next()
    (tmp_path / "b.md").write_text("b")
    assert await polling.next() == {("added", "b.md")}


async def test_a_scan_that_takes_long_is_followed_by_a_long_pause() -> None:
    clock = PassingClock()

    def scan() -> CollectionScan:
        clock.advance(2.0)
        return CollectionScan([], (1, 1))

    polling = Polling(clock, LANE, scan)
    await polling.next()
    await polling.next()
    assert clock.slept == [40.0]


async def test_a_vault_that_is_not_there_yet_is_compared_with_later(tmp_path: Path) -> None:
    def scan() -> CollectionScan:
        raise VaultGone("missing")

    polling = Polling(PassingClock(), LANE, scan)
    assert await polling.next() == {("deleted", ".")}
