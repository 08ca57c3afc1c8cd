"""Faults of every kind under a running daemon: what it reports meanwhile, and that it recovers.

After each fault the daemon is healthy and idle, the rows equal the vault, sync-result.json equals
the fold, no actor has crashed, and the process uses no more resources than before.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from chaos.faults import indexes, loads, ollama, times, vaults
from chaos.harness import Arena
from chaos.managed_daemon import ManagedDaemon
from chaos.provider import Provider
from chaos.tables import Tables

# The default intervals, for a daemon whose clock runs faster.
FAST = 60.0
USUAL_INTERVALS: dict[str, Any] = {
    "health": {"probe_s": 10},
    "watch": {"debounce_s": 2, "collect_s": 5, "rescan_s": 120},
}

Fault = Callable[[ManagedDaemon], None]
FAULTS: dict[str, dict[str, Fault]] = {
    "ollama": {case.name: partial(ollama.run_case, case=case) for case in ollama.CASES},
    "vault": {case.__name__: partial(vaults.run_case, case=case) for case in vaults.CASES},
    "index": {case.name: partial(indexes.run_case, case=case) for case in indexes.CASES}
    | {
        "a commit lost": indexes.lose_a_commit,
        "an older copy restored": indexes.restore_an_older_copy,
    },
    "time": {case.__name__: case for case in times.CASES},
    "load": {case.__name__: case for case in loads.CASES},
}


@contextmanager
def running_daemon(arena: Arena, speed: float = 1.0, **settings: Any) -> Iterator[ManagedDaemon]:
    """A daemon with a complete index; at the end it settles and stops cleanly."""
    with Provider() as provider, Arena(arena.seed, "resident") as own:
        daemon = ManagedDaemon(own, provider, Tables(own), speed=speed, **settings)
        daemon.start()
        daemon.index()
        yield daemon
        daemon.settle()
        daemon.stop()


def run_fault(daemon: ManagedDaemon, name: str, fault: Fault) -> None:
    """Run one fault. Before and after it the daemon is healthy and uses the same resources."""
    daemon.settle()
    pid, before = daemon.child.pid, daemon.resource_use()
    try:
        fault(daemon)
        daemon.settle()
        if daemon.child.pid == pid:
            daemon.check_growth(before)
    except Exception as why:
        why.add_note(f"the fault: {name}")
        raise


def run(arena: Arena, cycles: int) -> None:
    """Run all faults, each kind under one daemon."""
    for kind, faults in FAULTS.items():
        with running_daemon(arena) as daemon:
            for name, fault in faults.items():
                run_fault(daemon, name, fault)
                arena.tally[f"faults outlived: {kind}"] += 1
    run_flapping(arena)


def run_flapping(arena: Arena) -> None:
    """Ollama goes up and down for five minutes of the daemon's time."""
    with running_daemon(arena, FAST, **USUAL_INTERVALS) as daemon:
        run_fault(daemon, "flapping", ollama.flap)
    arena.tally["faults outlived: flapping"] += 1
