"""Real daemons on real vaults, with an Ollama of our own, that live through what happens."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from chaos.harness import Arena
from chaos.provider import Provider
from chaos.resident import Resident
from chaos.tables import Tables

SEED = int(os.environ.get("CHAOS_SEED", "20261116"))

Reside = Callable[..., Resident]


@pytest.fixture
def reside() -> Iterator[Reside]:
    """Begins a daemon; with `indexed` (the default) it has a whole index."""
    with ExitStack() as until_the_end:
        arena = until_the_end.enter_context(Arena(SEED))

        def begin(*, indexed: bool = True, **options: Any) -> Resident:
            provider = until_the_end.enter_context(Provider())
            resident = Resident(arena, provider, Tables(arena), **options)
            resident.start()
            if indexed:
                resident.index()
            return resident

        yield begin


@pytest.fixture
def resident(reside: Reside) -> Resident:
    return reside()
