"""Rounds of random operations: saves, deletions, hides, renames, reindexes, faults and kills.

Each round has a vault, a provider and a daemon of its own. At its end the catalog, the table and
the vault agree without a restart. Round n of seed S is round 0 of seed S + n.
"""

from chaos.mix.rounds import run, run_round

__all__ = ["run", "run_round"]
