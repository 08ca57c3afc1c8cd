"""Kill cycles: an appender on the same log again and again, killed at any moment, then checked."""

import os
import time
from pathlib import Path

from chaos.checks import PAGE, Promises
from chaos.harness import KILLED, Arena, Child, require
from ragd.paths import Home

KILL_WITHIN_S = 0.15
SNIPE_WITHIN_S = 2.0
TEARS_WITHIN = 100


def prepare(arena: Arena, home: Home, *more: str, armed: str = "") -> Child:
    """Start an appender with a seed of its own. It waits for `begin`."""
    seed = str(arena.rng.getrandbits(32))
    return arena.start("-m", "chaos.appender", home.root, "--seed", seed, *more, armed=armed)


def start(arena: Arena, home: Home, *more: str, armed: str = "") -> Child:
    """Start an appender that begins at once."""
    child = prepare(arena, home, *more, armed=armed)
    child.begin()
    return child


def run(arena: Arena, cycles: int) -> None:
    """Kill appenders of one log; at the end the log is opened and closed cleanly."""
    home = Home(str(arena.folder / "log"))
    promises = Promises(home)
    following = prepare(arena, home)
    for _ in range(cycles):
        child, following = following, prepare(arena, home)
        promises.remember_state()
        before = promises.check()
        child.begin()
        _kill_at_random(arena, home, child)
        promises.record(child)
        promises.check_recovered(child, before)
        arena.tally["kill cycles"] += 1
    following.kill()
    _run_once_more(arena, promises)
    arena.tally["acknowledged facts found again"] += promises.acknowledged
    arena.tally["tails torn by kills, recovered"] += promises.torn
    require(
        promises.torn > 0 or cycles < TEARS_WITHIN,
        f"{cycles} kills tore no tail: kill closer to the writes",
    )


def _run_once_more(arena: Arena, promises: Promises) -> None:
    before = promises.check()
    run_cleanly(arena, promises, facts=20)
    after = promises.check()
    require(before.last < after.last, "the last run appended nothing")
    arena.tally["records in the log, in the end"] += after.last
    arena.tally["of them dropped by retention"] += after.oldest - 1


def run_cleanly(arena: Arena, promises: Promises, facts: int) -> None:
    """A whole run: open, append some facts, stop cleanly, leave nothing to repair."""
    promises.remember_state()
    before = promises.check()
    child = start(arena, promises.home, "--facts", str(facts))
    require(child.wait_for_exit() == 0, f"a clean run failed: {child}")
    promises.record(child)
    promises.check_recovered(child, before)
    promises.check_settled()


def _kill_at_random(arena: Arena, home: Home, child: Child) -> None:
    """Kill it while it starts or repairs, after a few facts, or in the middle of a write."""
    rng = arena.rng
    how = rng.choice(("starting", "repairing", "early", "any", "any", "mid-write", "mid-write"))
    if how == "starting":
        time.sleep(rng.uniform(0, 0.2))
    elif how == "repairing":
        require(child.wait_for("R"), f"it ended on its own: {child}")
        time.sleep(rng.uniform(0, 0.003))
    else:
        require(child.wait_for("A"), f"it ended on its own: {child}")
        if how == "mid-write":
            _wait_for_a_half_write(Path(home.events), child)
        else:
            time.sleep(rng.uniform(0, KILL_WITHIN_S if how == "any" else 0.01))
    require(child.kill() == KILLED, f"it ended on its own: {child}")


def _wait_for_a_half_write(events: Path, child: Child) -> None:
    """Return when a segment ends at a page boundary: whole groups rarely end there."""
    end = time.monotonic() + SNIPE_WITHIN_S
    while not child.has_printed("B") and time.monotonic() < end:
        newest = max((e.path for e in os.scandir(events) if e.name.endswith(".ndjson")), default="")
        for _ in range(50):
            size = os.stat(newest).st_size
            if size and size % PAGE == 0:
                return
