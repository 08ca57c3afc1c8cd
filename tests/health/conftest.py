"""Real daemons on real vaults, with an Ollama of our own, that live through what happens."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from chaos.harness import Arena
from chaos.provider import Provider
from chaos.resident import Resident
from chaos.tables import Tables
from tests.chaos.test_chaos import SEED

Reside = Callable[..., Resident]


@pytest.fixture
def prepare() -> Iterator[Reside]:
    """Makes a home and a vault for a daemon, which is not started."""
    with ExitStack() as until_the_end:
        arena = until_the_end.enter_context(Arena(SEED))

        def make(**options: Any) -> Resident:
            provider = until_the_end.enter_context(Provider())
            return Resident(arena, provider, Tables(arena), **options)

        yield make


@pytest.fixture
def newcomer(prepare: Reside) -> Resident:
    return prepare()


@pytest.fixture
def reside(prepare: Reside) -> Reside:
    """Begins a daemon; with `indexed` (the default) it has a whole index."""

    def begin(*, indexed: bool = True, **options: Any) -> Resident:
        resident = prepare(**options)
        resident.start()
        if indexed:
            resident.index()
        return resident

    return begin


@pytest.fixture
def resident(reside: Reside) -> Resident:
    return reside()
