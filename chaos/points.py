"""Every crash point, armed in a process that gets there; then what it left is checked."""

import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import NamedTuple

from chaos import appends, daemons, full_disk, jobs, spoil
from chaos.checks import Book
from chaos.harness import KILLED, Arena, require
from ragd.paths import Home
from ragd.runtime.crash_points import POINTS

LIVES_MAX = 6
AT_ONCE = 2
CHAIN_OF = 4
TORN = "tails torn at crash points or by hand, recovered"

Spoil = Callable[[Book, Random], None]


class Case(NamedTuple):
    """A point, how late it may be armed at most, and what is done to the log beforehand."""

    point: str
    latest: int = 1
    spoil: Spoil | None = None

    def __str__(self) -> str:
        return f"{self.point} after {self.spoil.__name__}" if self.spoil else self.point


APPENDER: tuple[Case, ...] = (
    Case("log.before_write", 20),
    Case("log.mid_write", 20),
    Case("log.after_write", 20),
    Case("log.after_sync", 20),
    Case("segment.before_create", 2),
    Case("segment.after_temporary", 2),
    Case("segment.after_rename", 2),
    Case("recovery.after_keep", 1, spoil.tear),
    Case("recovery.after_cut", 1, spoil.tear),
    Case("recovery.after_rewrite"),
    Case("recovery.after_rewrite", 1, spoil.tear),
    Case("recovery.before_record", 1, spoil.tear),
    Case("recovery.after_mark", 1, spoil.tear),
    Case("recovery.after_mark", 1, spoil.damage_last),
    Case("log.mid_write", 2, spoil.tear),
    Case("log.after_sync", 2, spoil.tear),
    Case("recovery.after_aside", 1, spoil.damage_last),
    Case("recovery.after_aside", 1, spoil.damage_middle),
    Case("recovery.before_record", 1, spoil.damage_last),
    Case("log.after_sync", 3, spoil.damage_last),
    Case("snapshot.before_write", 1, spoil.damage_middle),
    Case("snapshot.before_write", 2),
    Case("snapshot.after_write", 2),
    Case("snapshot.after_forget", 3),
    Case("retention.after_drop", 2),
    Case("durable.after_temporary", 4),
    Case("durable.after_rename", 4),
)

DAEMON: tuple[Case, ...] = (
    Case("daemon.after_lock"),
    Case("daemon.after_bind"),
    Case("daemon.before_stopped"),
    Case("daemon.after_stopped"),
    Case("durable.after_temporary"),
    Case("durable.after_rename"),
    Case("log.mid_write", 2),
    Case("log.after_sync", 2),
    Case("recovery.after_cut", 1, spoil.tear),
    Case("recovery.before_record", 1, spoil.tear),
    Case("recovery.after_aside", 1, spoil.damage_last),
)


def run(arena: Arena, cycles: int) -> None:
    """All of them, and some chains of several in a row."""
    missing = set(POINTS) - covered(jobs.CASES)
    require(not missing, f"no case for the crash points {sorted(missing)}")
    at_appender(arena)
    at_daemon(arena)
    jobs.run(arena)
    chains(arena, max(2, cycles // 40))


def covered(of_jobs: Sequence[jobs.Case]) -> set[str]:
    """The points at which some process dies."""
    own = {case.point for case in (*APPENDER, *DAEMON)} | set(full_disk.POINTS)
    return own.union(*(case.points for case in of_jobs))


def at_appender(arena: Arena, cases: Sequence[Case] = APPENDER) -> None:
    """The points of the log, in a process that only appends."""
    _all(arena, cases, _crash_appender)


def at_daemon(arena: Arena, cases: Sequence[Case] = DAEMON) -> None:
    """The points of the daemon, and some of the log's, in the daemon itself."""
    _all(arena, cases, _crash_daemon)


def chains(arena: Arena, count: int) -> None:
    """Several crashes in a row, each in the midst of cleaning up after the last."""
    home = _fed(arena)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for tally in pool.map(lambda number: _chain(arena.seed, home, number), range(count)):
            arena.tally.update(tally)


Crash = Callable[[Arena, Book, Case], None]


def _all(arena: Arena, cases: Sequence[Case], crash: Crash) -> None:
    """Each on a copy of the same log, two at a time; what a case does follows from the seed."""
    home = _fed(arena) if crash is _crash_appender else _briefly_fed(arena)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        tallies = pool.map(lambda case: _one(arena.seed, home, case, crash), cases)
        for tally in tallies:
            arena.tally.update(tally)


def _one(seed: int, fed: Home, case: Case, crash: Crash) -> dict[str, int]:
    with Arena(seed, f"{crash.__name__} {case}") as arena:
        book = _copy(arena, fed)
        try:
            if case.spoil is not None:
                case.spoil(book, arena.rng)
            crash(arena, book, case)
        except Exception as why:
            why.add_note(f"at the crash point {case}")
            raise
    return {f"crashes at {len(POINTS)} points": 1, TORN: book.torn}


def _fed(arena: Arena) -> Home:
    """A log that has lived: several segments and snapshots, an orderly end."""
    home = Home(str(arena.folder / "fed"))
    if not Path(home.root).exists():
        appends.live_in_order(arena, Book(home), facts=600)
    return home


def _briefly_fed(arena: Arena) -> Home:
    """A log of a few facts: a daemon's points need no more, and it starts the sooner."""
    house = daemons.House(arena, Book(Home(str(arena.folder / "briefly"))))
    for _ in range(5):
        house.record_a_job()
    return house.home


def _copy(arena: Arena, fed: Home) -> Book:
    home = Home(str(arena.folder / "h"))
    shutil.copytree(fed.root, home.root)
    book = Book(home)
    book.check()
    return book


def _crash_appender(arena: Arena, book: Book, case: Case) -> None:
    """Until it dies there by itself; then a life in order."""
    for _ in range(LIVES_MAX):
        armed = f"{case.point}:{arena.rng.randint(1, case.latest)}"
        child = appends.start(arena, book.home, "--facts", "600", armed=armed)
        code = child.ended()
        book.note(child)
        if code == KILLED:
            appends.live_in_order(arena, book, facts=30)
            return
        require(code == 0, f"it failed: {child}")
        book.check()
    require(False, f"the crash point {case} was never hit")


def _crash_daemon(arena: Arena, book: Book, case: Case) -> None:
    """Start it, ask it to stop if it lives that long; then start it again, and all is well."""
    house = daemons.House(arena, book)
    Path(book.home.sync_result).unlink(missing_ok=True)  # to be written again at the start
    child = house.start(armed=f"{case.point}:{arena.rng.randint(1, case.latest)}")
    if case.point.endswith("_stopped"):
        house.wait_until_it_answers(child)
        house.ask_to_stop()
    require(child.ended() == KILLED, f"the crash point {case} was never hit: {child}")
    house.live_in_order()


def _chain(seed: int, fed: Home, number: int) -> dict[str, int]:
    with Arena(seed, f"chain {number}") as arena:
        book = _copy(arena, fed)
        arena.rng.choice((spoil.tear, spoil.damage_last, spoil.damage_middle))(book, arena.rng)
        steps = [arena.rng.choice(APPENDER) for _ in range(CHAIN_OF)]
        try:
            for case in steps:
                armed = f"{case.point}:{arena.rng.randint(1, min(3, case.latest))}"
                child = appends.start(arena, book.home, "--facts", "60", armed=armed)
                require(child.ended() in (0, KILLED), f"it failed: {child}")
                book.note(child)
                book.check()
            appends.live_in_order(arena, book, facts=30)
        except Exception as why:
            why.add_note("after the chain " + ", ".join(case.point for case in steps))
            raise
    return {"chains of crashes": 1, TORN: book.torn}
