"""`python -m chaos`: kill cycles, crash points, faults. Prints its seed, keeps evidence."""

import argparse
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable

from chaos import agent_memory, appends, daemons, faults, full_disk, indexing, mix, points
from chaos.harness import Arena

PARTS: dict[str, Callable[[Arena, int], None]] = {
    "appends": appends.run,
    "points": points.run,
    "daemon": daemons.run,
    "disk": full_disk.run,
    "index": indexing.run,
    "faults": faults.run,
    "memory": agent_memory.run,
    "mix": mix.run,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m chaos", description=__doc__)
    parser.add_argument("--cycles", type=int, default=200, help="kills of the appending process")
    parser.add_argument("--rounds", type=int, default=200, help="rounds of the mix")
    parser.add_argument("--seed", type=int, default=None, help="repeat the choices of a run")
    parser.add_argument("--only", choices=PARTS, help="run one part only")
    given = parser.parse_args()
    seed = secrets.randbits(32) if given.seed is None else given.seed
    only = f" --only {given.only}" if given.only else ""
    counts = f"--cycles {given.cycles} --rounds {given.rounds}"
    again = f"python -m chaos {counts} --seed {seed}{only}"
    print(f"seed {seed}", flush=True)
    tally: Counter[str] = Counter()
    for name, part in PARTS.items():
        if given.only not in (None, name):
            continue
        began = time.monotonic()
        try:
            with Arena(seed) as arena:
                part(arena, given.rounds if name == "mix" else given.cycles)
        except Exception as why:
            _print_failure(why, again)
            return 1
        tally += arena.tally
        print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    _print_summary(tally, seed)
    return 0


def _print_failure(why: Exception, again: str) -> None:
    import traceback

    traceback.print_exception(why)
    print(f"\nFAILED: {why}\n  repeat with: {again}", file=sys.stderr)


def _print_summary(tally: Counter[str], seed: int) -> None:
    print("\nall promises held")
    for what, count in tally.items():
        print(f"  {count:>9,}  {what}")
    print(f"  {seed:>9}  seed")


if __name__ == "__main__":
    sys.exit(main())
