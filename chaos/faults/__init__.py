"""Faults of every kind under a daemon that goes on: what it says meanwhile, and that it heals.

After each: healthy, idle, the rows are the vault's, sync-result.json is the fold, no actor crashed,
and the process takes no more of the machine than before.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from chaos.faults import indexes, loads, ollama, times, vaults
from chaos.harness import Arena
from chaos.provider import Provider
from chaos.resident import Resident
from chaos.tables import Tables

# The waits of daily use, in a daemon whose minutes pass in seconds.
FAST = 60.0
CALM: dict[str, Any] = {
    "health": {"probe_s": 10},
    "watch": {"debounce_s": 2, "collect_s": 5, "rescan_s": 120},
}

Fault = Callable[[Resident], None]
FAULTS: dict[str, dict[str, Fault]] = {
    "ollama": {case.name: partial(ollama.suffer, case=case) for case in ollama.CASES},
    "vault": {case.__name__: partial(vaults.suffer, case=case) for case in vaults.CASES},
    "index": {case.name: partial(indexes.suffer, case=case) for case in indexes.CASES}
    | {
        "a commit lost": indexes.lose_a_commit,
        "an older copy restored": indexes.restore_an_older_copy,
    },
    "time": {case.__name__: case for case in times.CASES},
    "load": {case.__name__: case for case in loads.CASES},
}


@contextmanager
def residing(arena: Arena, speed: float = 1.0, **settings: Any) -> Iterator[Resident]:
    """A daemon with a whole index; in the end all is well, and it stops in order."""
    with Provider() as provider, Arena(arena.seed, "resident") as own:
        resident = Resident(own, provider, Tables(own), speed=speed, **settings)
        resident.start()
        resident.index()
        yield resident
        resident.settle()
        resident.stop()


def suffer(resident: Resident, name: str, fault: Fault) -> None:
    """From healthy to healthy, at no lasting cost."""
    resident.settle()
    pid, before = resident.child.pid, resident.takes()
    try:
        fault(resident)
        resident.settle()
        if resident.child.pid == pid:
            resident.check_growth(before)
    except Exception as why:
        why.add_note(f"the fault: {name}")
        raise


def run(arena: Arena, cycles: int) -> None:
    """The whole list, each kind under one daemon that outlives it all."""
    for kind, faults in FAULTS.items():
        with residing(arena) as resident:
            for name, fault in faults.items():
                suffer(resident, name, fault)
                arena.tally[f"faults outlived: {kind}"] += 1
    flapping(arena)


def flapping(arena: Arena) -> None:
    """Ollama up and down for five minutes of the daemon's time."""
    with residing(arena, FAST, **CALM) as resident:
        suffer(resident, "flapping", ollama.flap)
    arena.tally["faults outlived: flapping"] += 1
