"""Runs rounds, a few at a time, and reports each failure with its seed and operations."""

import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from chaos.harness import Arena, Broken
from chaos.mix import plan, prober, verdict
from chaos.mix.plan import Round, Step
from chaos.mix.world import World
from chaos.provider import Provider
from chaos.tables import Tables

AT_ONCE = 3  # a round mostly waits
FAILURES_MAX = 5  # then the remaining rounds are skipped
PRINT_EVERY = 20
PATIENCE_S = 120.0  # without any change; then the round fails


def run(arena: Arena, rounds: int, patience_s: float = PATIENCE_S) -> None:
    """Run rounds from the arena's seed on. Raises Broken if one failed."""
    reader = Tables(arena)
    failed: list[int] = []

    def one(seed: int) -> Counter[str]:
        if len(failed) >= FAILURES_MAX:
            return Counter()
        try:
            return run_round(seed, reader, patience_s)
        except Exception as why:
            failed.append(seed)
            _print_failure(seed, why)
            return Counter()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        seeds = range(arena.seed, arena.seed + rounds)
        for done, tally in enumerate(pool.map(one, seeds), 1):
            arena.tally.update(tally)
            if done % PRINT_EVERY == 0:
                print(f"mix: {done} of {rounds} rounds, {len(failed)} failed", flush=True)
    if failed:
        named = ", ".join(map(str, sorted(failed)))
        raise Broken(f"{len(failed)} of {rounds} rounds failed; their seeds: {named}")


def _print_failure(seed: int, why: Exception) -> None:
    notes = "\n".join(getattr(why, "__notes__", ()))
    print(
        f"\nROUND FAILED, seed {seed}: {type(why).__name__}: {why}\n{notes}\n"
        f"  repeat with: python -m chaos --only mix --rounds 1 --seed {seed}\n",
        file=sys.stderr,
        flush=True,
    )


def run_round(seed: int, reader: Tables, patience_s: float = PATIENCE_S) -> Counter[str]:
    """Run one round. Raises Broken with the operations as a note."""
    round_ = plan.make_round(seed)
    with Arena(seed, "mix") as arena, Provider() as provider:
        world = World(arena, round_, provider)
        try:
            return _run_steps(world, round_, seed, reader, patience_s)
        except Exception as why:
            said = f"operations of seed {seed}, beginning {round_.beginning}, {round_.settings}:\n"
            said += "\n".join(f"  {line}" for line in world.done)
            Path(arena.folder, "operations.txt").write_text(f"{said}\n\n{why}\n")
            why.add_note(said)
            raise


def _run_steps(
    world: World, round_: Round, seed: int, reader: Tables, patience_s: float
) -> Counter[str]:
    tally: Counter[str] = Counter()
    world.start()
    world.do(Step("ask", how="full"))
    if round_.beginning == "indexed":
        verdict.wait_for_agreement(world, reader, patience_s)
    with prober.Prober(world, seed) as asking:
        for step in round_.steps:
            if step.kind == "compare":
                verdict.wait_for_agreement(world, reader, patience_s)
            else:
                world.do(step)
            tally[f"mix: {step.kind}"] += 1
        verdict.wait_for_agreement(world, reader, patience_s)
    prober.check(asking.answers, world, list(world.listener.facts))
    verdict.check_searches(world, seed)
    verdict.check_log(world)
    world.stop()
    tally["mix: searches meanwhile"] += len(asking.answers)
    tally["mix: rounds in which all agreed"] += 1
    return tally
