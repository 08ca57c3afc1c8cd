"""Rounds of random operations: saves, deletions, hides, renames, reindexes, faults and kills.

Each round has a vault, two collections (one with documents), a provider and a daemon of its own.
Collections are added, renamed, removed, unplugged and plugged in again. At its end the catalog, the
table and all files agree without a restart. Round n of seed S is round 0 of seed S + n.
"""

from chaos.mix.rounds import run, run_round

__all__ = ["run", "run_round"]
