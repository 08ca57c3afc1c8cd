"""The first scan of a large vault does not compete with what the first answer needs."""

import asyncio
from pathlib import Path

import pytest

from ragd.events import DependencyLost, DependencyRecovered, Fact, VaultScanned
from ragd.watch import rescans
from ragd.watch.rescans import CHECKED_WITHIN_S
from tests.patience import PATIENCE_S
from tests.pipeline.watching import WatchedClock, facts, run_watcher


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Shopping.md").write_text("- bread\n")
    return folder


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rescans, "MANY_NOTES", 0)


async def until_it_waits(clock: WatchedClock) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await clock.until_sleep(CHECKED_WITHIN_S)


@pytest.mark.parametrize(
    "checked",
    [
        DependencyRecovered(dependency="index"),
        DependencyLost(dependency="index", code="INDEX_CORRUPTED"),
    ],
    ids=["whole", "damaged"],
)
async def test_the_first_scan_waits_until_the_index_is_checked(
    tmp_path: Path, vault: Path, large: None, checked: Fact
) -> None:
    clock = WatchedClock()
    async with run_watcher(tmp_path / "home", vault, clock=clock, index=False) as watching:
        await until_it_waits(clock)
        await watching.append(DependencyRecovered(dependency="vault"))
        seq = await watching.append(checked)
        assert (await watching.until(VaultScanned)).seq > seq


async def test_the_first_scan_does_not_wait_long(tmp_path: Path, vault: Path, large: None) -> None:
    clock = WatchedClock()
    async with run_watcher(tmp_path / "home", vault, clock=clock, index=False) as watching:
        await until_it_waits(clock)
        assert not await facts(watching, VaultScanned, 0)
        clock.advance(CHECKED_WITHIN_S)
        await watching.until(VaultScanned)


async def test_the_first_scan_of_few_notes_does_not_wait(tmp_path: Path, vault: Path) -> None:
    clock = WatchedClock()
    async with run_watcher(tmp_path / "home", vault, clock=clock, index=False) as watching:
        await watching.until(VaultScanned)
        assert CHECKED_WITHIN_S not in clock.slept
