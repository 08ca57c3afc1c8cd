"""Calls to the vault: a hanging disk blocks few threads, and each caller gets an error."""

import asyncio
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragd.events import DependencyLost, VaultUnavailable
from ragd.vault import disk_waits
from ragd.vault.disk_waits import disk_answered, waits_for_disk
from ragd.vault.files import VaultGone
from ragd.vault.threads import Lane, VaultNotResponding, unavailable_error, unavailable_fact


class Disk:
    """A disk that hangs until released."""

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        self.answers.wait()
        return "read"


@pytest.fixture
def disk() -> Iterator[Disk]:
    disk = Disk()
    yield disk
    disk.answers.set()


async def test_a_call_gives_its_result_and_its_exception_to_the_caller() -> None:
    lane = Lane("test", 2, 30.0)
    assert await lane.run(sorted, [2, 1], reverse=True) == [2, 1]
    with pytest.raises(VaultGone):
        await lane.run(_gone)


def _gone() -> None:
    raise VaultGone("missing")


async def test_a_call_that_hangs_is_given_up_with_an_honest_error(disk: Disk) -> None:
    lane = Lane("test", 2, 0.05)
    with pytest.raises(VaultNotResponding) as why:
        await lane.run(disk)
    assert unavailable_error(why.value).code == "VAULT_NOT_RESPONDING"
    assert unavailable_fact(why.value) == DependencyLost(
        dependency="vault", code="VAULT_NOT_RESPONDING"
    )
    gone = VaultGone("missing")
    assert unavailable_error(gone).code == "VAULT_NOT_FOUND"
    assert unavailable_fact(gone) == VaultUnavailable(reason="missing")


async def test_while_all_threads_hang_no_other_is_started(disk: Disk) -> None:
    lane = Lane("test", 2, 0.05)
    calls = [lane.run(disk) for _ in range(8)]
    told = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(one) for one in told] == [VaultNotResponding] * 8
    assert disk.calls == 2
    with pytest.raises(VaultNotResponding):
        await lane.run(disk)
    assert disk.calls == 2


async def test_other_callers_do_not_notice(disk: Disk) -> None:
    blocked, free = Lane("blocked", 1, 0.05), Lane("free", 1, 30.0)
    with pytest.raises(VaultNotResponding):
        await blocked.run(disk)
    assert await free.run(len, "ok") == 2
    assert await asyncio.to_thread(len, "ok") == 2


async def test_a_lane_works_again_when_the_disk_does(disk: Disk) -> None:
    lane = Lane("test", 1, 0.05)
    with pytest.raises(VaultNotResponding):
        await lane.run(disk)
    disk.answers.set()
    while lane.is_blocked():
        await asyncio.sleep(0)
    assert await lane.run(disk) == "read"


async def test_a_call_that_waits_for_a_thread_has_its_turn(disk: Disk) -> None:
    lane = Lane("test", 1, 30.0)
    first, second = asyncio.create_task(lane.run(disk)), asyncio.create_task(lane.run(len, "ok"))
    while not disk.calls:
        await asyncio.sleep(0)
    disk.answers.set()
    assert (await first, await second) == ("read", 2)


async def test_a_caller_who_gave_up_takes_its_waiting_call_along(disk: Disk) -> None:
    lane, other = Lane("test", 1, 30.0), Disk()
    first, second = asyncio.create_task(lane.run(disk)), asyncio.create_task(lane.run(other))
    while not disk.calls:
        await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    disk.answers.set()
    assert await first == "read"
    assert await lane.run(len, "ok") == 2
    assert other.calls == 0


async def test_computing_is_not_hanging(disk: Disk) -> None:
    """A long note takes long to chunk, but the disk has answered."""
    lane = Lane("test", 1, 0.05)
    cut = threading.Event()

    def read_and_cut() -> str:
        _look()
        cut.wait()
        return "cut"

    call = asyncio.create_task(lane.run(read_and_cut))
    for _ in range(3):  # meanwhile calls with the same limit are given up
        with pytest.raises(VaultNotResponding):
            await Lane("other", 1, lane.limit_s).run(disk)
    assert not call.done()
    cut.set()
    assert await call == "cut"


@waits_for_disk
def _look() -> None:
    """The disk answers at once."""


def test_a_slow_disk_that_answers_is_not_hanging() -> None:
    wait = disk_waits.DiskWait()
    seen: list[float | None] = []

    @waits_for_disk
    def slow() -> None:
        _look()  # marked functions call each other: this one still waits
        seen.append(wait.since)
        disk_answered()
        seen.append(wait.since)

    disk_waits.begin(wait)
    slow()
    disk_waits.end()
    first, second = seen
    assert first is not None and second is not None and 0 < first <= second
    assert wait.since is None


def test_without_a_loop_the_same_limit_holds(disk: Disk) -> None:
    lane = Lane("test", 1, 0.05)
    with pytest.raises(VaultNotResponding):
        lane.run_and_wait(disk)
    assert Lane("other", 1, 30.0).run_and_wait(len, "ok") == 2


def test_no_call_into_the_vault_runs_on_the_default_pool() -> None:
    """The default pool is shared with the log, the configuration and the index."""
    default = re.compile(r"(?:to_thread\(|run_in_executor\(None,)\s*(?:self\._?)?notes\b[^,)]*")
    sources = sorted((Path(__file__).parents[2] / "ragd").rglob("*.py"))
    assert sources
    found = [f"{path.name}: {match.group()}" for path in sources for match in _calls(path, default)]
    assert found == []
    assert default.search("await asyncio.to_thread(self._notes.scan, may_be_empty=True)")


def _calls(path: Path, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    return list(pattern.finditer(path.read_text("utf-8")))
