"""Kill cycles: an appender on the same log again and again, killed at any moment, then checked."""

import os
import time
from pathlib import Path

from chaos.checks import PAGE, Book
from chaos.harness import KILLED, Arena, Child, require
from ragd.paths import Home

KILL_WITHIN_S = 0.15
SNIPE_WITHIN_S = 2.0
TEARS_WITHIN = 100


def prepare(arena: Arena, home: Home, *more: str, armed: str = "") -> Child:
    """An appender with a seed of its own, which waits for the word."""
    seed = str(arena.rng.getrandbits(32))
    return arena.start("-m", "chaos.appender", home.root, "--seed", seed, *more, armed=armed)


def start(arena: Arena, home: Home, *more: str, armed: str = "") -> Child:
    """An appender at work."""
    child = prepare(arena, home, *more, armed=armed)
    child.go()
    return child


def run(arena: Arena, cycles: int) -> None:
    """So many kills on one log; at the end it is opened and closed in order."""
    home = Home(str(arena.folder / "log"))
    book = Book(home)
    following = prepare(arena, home)
    for _ in range(cycles):
        child, following = following, prepare(arena, home)
        book.remember_state()
        before = book.check()
        child.go()
        _kill_somewhen(arena, home, child)
        book.note(child)
        book.check_recovered(child, before)
        arena.tally["kill cycles"] += 1
    following.kill()
    _finish(arena, book)
    arena.tally["acknowledged facts found again"] += book.acknowledged
    arena.tally["tails torn by kills, recovered"] += book.torn
    require(book.torn > 0 or cycles < TEARS_WITHIN, f"{cycles} kills tore nothing: aim better")


def _finish(arena: Arena, book: Book) -> None:
    before = book.check()
    live_in_order(arena, book, facts=20)
    after = book.check()
    require(before.last < after.last, "the last life said nothing")
    arena.tally["records in the log, in the end"] += after.last
    arena.tally["of them dropped by retention"] += after.oldest - 1


def live_in_order(arena: Arena, book: Book, facts: int) -> None:
    """A whole life: opened, some facts, an orderly stop, and nothing left to repair."""
    book.remember_state()
    before = book.check()
    child = start(arena, book.home, "--facts", str(facts))
    require(child.ended() == 0, f"an orderly life failed: {child}")
    book.note(child)
    book.check_recovered(child, before)
    book.check_settled()


def _kill_somewhen(arena: Arena, home: Home, child: Child) -> None:
    """At any moment: while it starts or repairs, after a few facts, in the midst of a write."""
    rng = arena.rng
    how = rng.choice(("starting", "repairing", "early", "any", "any", "mid-write", "mid-write"))
    if how == "starting":
        time.sleep(rng.uniform(0, 0.2))
    elif how == "repairing":
        require(child.wait_for("R"), f"it ended by itself: {child}")
        time.sleep(rng.uniform(0, 0.003))
    else:
        require(child.wait_for("A"), f"it ended by itself: {child}")
        if how == "mid-write":
            _wait_for_a_half_write(Path(home.events), child)
        else:
            time.sleep(rng.uniform(0, KILL_WITHIN_S if how == "any" else 0.01))
    require(child.kill() == KILLED, f"it ended by itself: {child}")


def _wait_for_a_half_write(events: Path, child: Child) -> None:
    """A segment that ends at a page boundary is being written: whole groups rarely end there."""
    end = time.monotonic() + SNIPE_WITHIN_S
    while not child.has_said("B") and time.monotonic() < end:
        newest = max((e.path for e in os.scandir(events) if e.name.endswith(".ndjson")), default="")
        for _ in range(50):
            size = os.stat(newest).st_size
            if size and size % PAGE == 0:
                return
