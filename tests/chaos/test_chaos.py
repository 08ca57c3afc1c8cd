"""The short form of `make chaos`: real processes are killed. CHAOS_SEED=… sets the seed."""

import os
import sys
from collections.abc import Iterator

import pytest

from chaos import appends, daemons, full_disk, indexing, jobs, points
from chaos.checks import Promises
from chaos.harness import Arena
from ragd.paths import Home
from ragd.runtime.crash_points import POINTS

SEED = int(os.environ.get("CHAOS_SEED", "20261116"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="kill -9 and Unix sockets"),
]


@pytest.fixture
def arena() -> Iterator[Arena]:
    with Arena(SEED) as arena:
        yield arena


def test_twenty_kills_lose_nothing_that_was_acknowledged(arena: Arena) -> None:
    appends.run(arena, 20)
    assert arena.tally["kill cycles"] == 20
    assert arena.tally["acknowledged facts found again"] > 20


def test_every_crash_point_has_a_case() -> None:
    assert points.covered(jobs.CHAINS) == set(POINTS)


@pytest.mark.parametrize("half", [0, 1])
def test_a_log_recovers_from_a_crash_at_every_point(arena: Arena, half: int) -> None:
    points.crash_appenders(arena, points.APPENDER[half::2])


def test_a_log_recovers_from_crashes_amid_its_recovery(arena: Arena) -> None:
    points.crash_in_chains(arena, 2)


def test_a_daemon_recovers_from_a_crash_at_each_of_its_points(arena: Arena) -> None:
    own = [case for case in points.DAEMON if not case.point.startswith(("log", "recovery"))]
    points.crash_daemons(arena, own)


def test_a_job_that_dies_at_any_point_is_finished_by_the_next_start(arena: Arena) -> None:
    jobs.run(arena, jobs.CHAINS)
    assert arena.tally["vectors that were not made again"] > 0


def test_a_few_kills_while_a_changing_vault_is_indexed_leave_it_whole(arena: Arena) -> None:
    indexing.run(arena, 4 * indexing.CYCLES_PER_KILL)
    assert arena.tally["compared with the vault, row by row"] == 1


def test_a_killed_daemon_leaves_nothing_in_the_way_of_the_next(arena: Arena) -> None:
    harness = daemons.DaemonHarness(arena, Promises(Home(str(arena.folder / "h"))), notes=3)
    daemons.kill_cycles(harness, arena, 3)


def test_of_ten_daemons_at_once_one_serves_and_nine_name_it(arena: Arena) -> None:
    daemons.start_ten_at_once(daemons.DaemonHarness(arena, Promises(Home(str(arena.folder / "h")))))


@pytest.mark.skipif(not full_disk.is_possible(), reason="no private mounts on this machine")
def test_a_full_disk_ends_neither_the_log_nor_the_daemon(arena: Arena) -> None:
    full_disk.run(arena, 0)
