"""The daemon killed at any moment while it indexes a vault that changes; in the end they agree.

It is asked for jobs of every kind, or for none, and in the end it is left in peace.
"""

import time

from chaos.harness import Arena
from chaos.lives import Lives
from chaos.provider import Embedded, Provider
from chaos.tables import Tables
from chaos.vault import Vault
from ragd.embed.providers import local_model
from ragd.paths import Home

CYCLES_PER_KILL = 4
NOTES = 50
KILL_WITHIN_S = 3.0
MODES = ("sync", "full", "reindex", "reindex", "")  # nothing: it goes on with what is left
PEACE_AFTER = 10  # kills; then everything is compared


def run(arena: Arena, cycles: int) -> None:
    """Most kills with a provider that counts, some with the embedded model."""
    kills = max(3, cycles // CYCLES_PER_KILL)
    reader = Tables(arena)
    with Provider() as provider:
        with_model = kills // 5 if local_model.unavailable() is None else 0
        _kills(arena, reader, provider, kills - with_model)
        _kills(arena, reader, Embedded(), with_model)


def _kills(arena: Arena, reader: Tables, provider: Provider | Embedded, count: int) -> None:
    name = type(provider).__name__
    vault = Vault(arena.folder / f"vault {name}", arena.rng)
    for number in range(NOTES):
        vault.write(number)
    lives = Lives(arena, Home(str(arena.folder / name)), vault, reader, provider)
    for number in range(1, count + 1):
        mode = arena.rng.choice(MODES) if number > 1 else "full"
        if isinstance(provider, Provider):
            provider.delay_s = arena.rng.choice((0.0, 0.02, 0.1))
            if mode == "reindex" and arena.rng.random() < 0.5:
                provider.take_another_model()
        lives.kill(mode, lambda: _meanwhile(arena, vault))
        arena.tally[f"kills while indexing: {mode or 'nothing asked'}"] += 1
        if number % PEACE_AFTER == 0 or number == count:
            lives.finish(once=False)
            arena.tally["compared with the vault, row by row"] += 1
    arena.tally["status answered meanwhile"] += lives.answers


def _meanwhile(arena: Arena, vault: Vault) -> None:
    time.sleep(arena.rng.uniform(0, KILL_WITHIN_S))
    vault.change(NOTES + 10)
    time.sleep(arena.rng.uniform(0, 0.5))
