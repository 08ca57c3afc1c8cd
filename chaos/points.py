"""Every crash point, armed in a process that reaches it; then the files are checked."""

import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import NamedTuple

from chaos import appends, daemons, full_disk, jobs, spoil
from chaos.checks import Promises
from chaos.harness import KILLED, Arena, require
from ragd.paths import Home
from ragd.runtime.crash_points import POINTS

LIVES_MAX = 6
AT_ONCE = 2
CHAIN_OF = 4
TORN = "tails torn at crash points or by hand, recovered"

Spoil = Callable[[Promises, Random], None]


class PointCrash(NamedTuple):
    """A point, at which hit of it to die at the latest, and the damage done to the log before."""

    point: str
    latest: int = 1
    spoil: Spoil | None = None

    def __str__(self) -> str:
        return f"{self.point} after {self.spoil.__name__}" if self.spoil else self.point


APPENDER: tuple[PointCrash, ...] = (
    PointCrash("log.before_write", 20),
    PointCrash("log.mid_write", 20),
    PointCrash("log.after_write", 20),
    PointCrash("log.after_sync", 20),
    PointCrash("segment.before_create", 2),
    PointCrash("segment.after_temporary", 2),
    PointCrash("segment.after_rename", 2),
    PointCrash("recovery.after_keep", 1, spoil.tear),
    PointCrash("recovery.after_cut", 1, spoil.tear),
    PointCrash("recovery.after_rewrite"),
    PointCrash("recovery.after_rewrite", 1, spoil.tear),
    PointCrash("recovery.before_record", 1, spoil.tear),
    PointCrash("recovery.after_mark", 1, spoil.tear),
    PointCrash("recovery.after_mark", 1, spoil.damage_last),
    PointCrash("log.mid_write", 2, spoil.tear),
    PointCrash("log.after_sync", 2, spoil.tear),
    PointCrash("recovery.after_aside", 1, spoil.damage_last),
    PointCrash("recovery.after_aside", 1, spoil.damage_middle),
    PointCrash("recovery.before_record", 1, spoil.damage_last),
    PointCrash("log.after_sync", 3, spoil.damage_last),
    PointCrash("snapshot.before_write", 1, spoil.damage_middle),
    PointCrash("snapshot.before_write", 2),
    PointCrash("snapshot.after_write", 2),
    PointCrash("snapshot.after_forget", 3),
    PointCrash("retention.after_drop", 2),
    PointCrash("durable.after_temporary", 4),
    PointCrash("durable.after_rename", 4),
)

DAEMON: tuple[PointCrash, ...] = (
    PointCrash("daemon.after_lock"),
    PointCrash("daemon.after_bind"),
    PointCrash("daemon.before_stopped"),
    PointCrash("daemon.after_stopped"),
    PointCrash("durable.after_temporary"),
    PointCrash("durable.after_rename"),
    PointCrash("log.mid_write", 2),
    PointCrash("log.after_sync", 2),
    PointCrash("recovery.after_cut", 1, spoil.tear),
    PointCrash("recovery.before_record", 1, spoil.tear),
    PointCrash("recovery.after_aside", 1, spoil.damage_last),
)


def run(arena: Arena, cycles: int) -> None:
    """Crash at every point, and in chains of several points."""
    missing = set(POINTS) - covered(jobs.CASES)
    require(not missing, f"no case for the crash points {sorted(missing)}")
    crash_appenders(arena)
    crash_daemons(arena)
    jobs.run(arena)
    crash_in_chains(arena, max(2, cycles // 40))


def covered(of_jobs: Sequence[jobs.JobCrash]) -> set[str]:
    """The points at which some process dies."""
    own = {case.point for case in (*APPENDER, *DAEMON)} | set(full_disk.POINTS)
    return own.union(*(case.points for case in of_jobs))


def crash_appenders(arena: Arena, cases: Sequence[PointCrash] = APPENDER) -> None:
    """Crash at the points of the log, in a process that only appends."""
    _run_cases(arena, cases, _crash_appender)


def crash_daemons(arena: Arena, cases: Sequence[PointCrash] = DAEMON) -> None:
    """Crash at the points of the daemon, and at some of the log, in the daemon."""
    _run_cases(arena, cases, _crash_daemon)


def crash_in_chains(arena: Arena, count: int) -> None:
    """Several crashes in a row, each while the process recovers from the one before."""
    home = _long_log(arena)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for tally in pool.map(lambda number: _run_chain(arena.seed, home, number), range(count)):
            arena.tally.update(tally)


Crash = Callable[[Arena, Promises, PointCrash], None]


def _run_cases(arena: Arena, cases: Sequence[PointCrash], crash: Crash) -> None:
    """Run each case on a copy of the same log, two at a time."""
    home = _long_log(arena) if crash is _crash_appender else _short_log(arena)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        tallies = pool.map(lambda case: _run_case(arena.seed, home, case, crash), cases)
        for tally in tallies:
            arena.tally.update(tally)


def _run_case(seed: int, original: Home, case: PointCrash, crash: Crash) -> dict[str, int]:
    with Arena(seed, f"{crash.__name__} {case}") as arena:
        promises = _copy(arena, original)
        try:
            if case.spoil is not None:
                case.spoil(promises, arena.rng)
            crash(arena, promises, case)
        except Exception as why:
            why.add_note(f"at the crash point {case}")
            raise
    return {f"crashes at {len(POINTS)} points": 1, TORN: promises.torn}


def _long_log(arena: Arena) -> Home:
    """A log with several segments and snapshots and a clean end."""
    home = Home(str(arena.folder / "original"))
    if not Path(home.root).exists():
        appends.run_cleanly(arena, Promises(home), facts=600)
    return home


def _short_log(arena: Arena) -> Home:
    """A log of a few facts: enough for the points of the daemon, and faster to start."""
    harness = daemons.DaemonHarness(arena, Promises(Home(str(arena.folder / "briefly"))))
    for _ in range(5):
        harness.record_a_job()
    return harness.home


def _copy(arena: Arena, original: Home) -> Promises:
    home = Home(str(arena.folder / "h"))
    shutil.copytree(original.root, home.root)
    promises = Promises(home)
    promises.check()
    return promises


def _crash_appender(arena: Arena, promises: Promises, case: PointCrash) -> None:
    """Run until it dies at the point; then a clean run."""
    for _ in range(LIVES_MAX):
        armed = f"{case.point}:{arena.rng.randint(1, case.latest)}"
        child = appends.start(arena, promises.home, "--facts", "600", armed=armed)
        code = child.wait_for_exit()
        promises.record(child)
        if code == KILLED:
            appends.run_cleanly(arena, promises, facts=30)
            return
        require(code == 0, f"it failed: {child}")
        promises.check()
    require(False, f"the crash point {case} was never hit")


def _crash_daemon(arena: Arena, promises: Promises, case: PointCrash) -> None:
    """Start it, and ask it to stop if the point is in the stop; then a clean run."""
    harness = daemons.DaemonHarness(arena, promises)
    Path(promises.home.sync_result).unlink(missing_ok=True)  # to be written again at the start
    child = harness.start(armed=f"{case.point}:{arena.rng.randint(1, case.latest)}")
    if case.point.endswith("_stopped"):
        harness.wait_until_it_answers(child)
        harness.ask_to_stop()
    require(child.wait_for_exit() == KILLED, f"the crash point {case} was never hit: {child}")
    harness.run_cleanly()


def _run_chain(seed: int, original: Home, number: int) -> dict[str, int]:
    with Arena(seed, f"chain {number}") as arena:
        promises = _copy(arena, original)
        arena.rng.choice((spoil.tear, spoil.damage_last, spoil.damage_middle))(promises, arena.rng)
        steps = [arena.rng.choice(APPENDER) for _ in range(CHAIN_OF)]
        try:
            for case in steps:
                armed = f"{case.point}:{arena.rng.randint(1, min(3, case.latest))}"
                child = appends.start(arena, promises.home, "--facts", "60", armed=armed)
                require(child.wait_for_exit() in (0, KILLED), f"it failed: {child}")
                promises.record(child)
                promises.check()
            appends.run_cleanly(arena, promises, facts=30)
        except Exception as why:
            why.add_note("after the chain " + ", ".join(case.point for case in steps))
            raise
    return {"chains of crashes": 1, TORN: promises.torn}
