"""The daemon killed at any moment while it indexes a changing vault and two collections, one of
them with documents; at the end all agree.

Jobs of every kind are requested, or none. In some runs its worker processes are killed, too: those
that split notes, make vectors or read documents. After some kills the daemon may finish its work.
"""

import contextlib
import os
import signal
import time
from pathlib import Path

from chaos.daemon_runs import DaemonRuns
from chaos.harness import Arena, Child
from chaos.provider import Embedded, Provider
from chaos.tables import Tables
from chaos.vault import Vault
from ragd.embed.providers import local_model
from ragd.paths import Home

CYCLES_PER_KILL = 4
NOTES = 90  # enough for the processes that split notes
KILL_WITHIN_S = 3.0
WORKER_LIVES_S = 0.3
MODES = ("sync", "full", "reindex", "reindex", "")  # "": it continues with unfinished work
COMPARE_AFTER = 10  # kills


def run(arena: Arena, cycles: int) -> None:
    """Most kills with a provider that counts its requests, some with the embedded model."""
    kills = max(3, cycles // CYCLES_PER_KILL)
    reader = Tables(arena)
    with Provider() as provider:
        with_model = kills // 5 if local_model.unavailable() is None else 0
        _kill_repeatedly(arena, reader, provider, kills - with_model)
        _kill_repeatedly(arena, reader, Embedded(), with_model)


def _kill_repeatedly(
    arena: Arena, reader: Tables, provider: Provider | Embedded, count: int
) -> None:
    name = type(provider).__name__
    vault = Vault(arena.folder / f"vault {name}", arena.rng, with_collections=True)
    for number in range(NOTES):
        vault.write(number)
    runs = DaemonRuns(arena, Home(str(arena.folder / name)), vault, reader, provider)
    for number in range(1, count + 1):
        mode = arena.rng.choice(MODES) if number > 1 else "full"
        if isinstance(provider, Provider):
            provider.delay_s = arena.rng.choice((0.0, 0.02, 0.1))
            # An interrupted reindex goes on with the model that it began with.
            if mode == "reindex" and arena.rng.random() < 0.5 and not runs.is_building:
                provider.change_model()
        runs.kill(mode, lambda child: _change_notes(arena, vault, child))
        arena.tally[f"kills while indexing: {mode or 'nothing asked'}"] += 1
        if number % COMPARE_AFTER == 0 or number == count:
            runs.finish(once=False)
            arena.tally["compared with the vault, row by row"] += 1
    arena.tally["status answered meanwhile"] += runs.answers


def _change_notes(arena: Arena, vault: Vault, child: Child) -> None:
    pause_s = arena.rng.uniform(0, KILL_WITHIN_S)
    if arena.rng.random() < 0.5:
        _kill_workers(arena, child, pause_s)
    else:
        time.sleep(pause_s)
    vault.change(NOTES + 10)
    time.sleep(arena.rng.uniform(0, 0.5))


def _kill_workers(arena: Arena, child: Child, during_s: float) -> None:
    """Kill worker processes of the daemon soon after they start. One that replaces a killed one is
    spared: a file that ends two processes in a row counts as unreadable."""
    spared: set[int] = set()
    replaced: set[str] = set()  # kinds whose next process is spared
    end = time.monotonic() + during_s
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, WORKER_LIVES_S))
        for pid in _workers_of(child.pid):
            with contextlib.suppress(OSError):  # it has just ended
                kind = Path(f"/proc/{pid}/cmdline").read_text()
                if pid in spared:
                    continue
                if kind in replaced:
                    replaced.remove(kind)
                    spared.add(pid)
                    continue
                os.kill(pid, signal.SIGKILL)
                replaced.add(kind)
                arena.tally["kills of a worker process"] += 1


def _workers_of(daemon: int) -> list[int]:
    found: list[int] = []
    for thread in Path(f"/proc/{daemon}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # the thread has just ended
            found += map(int, thread.read_text().split())
    return found
