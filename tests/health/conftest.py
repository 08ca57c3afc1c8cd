"""Real daemons on real vaults, with a fake Ollama, for tests of faults and recovery."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from chaos.harness import Arena
from chaos.managed_daemon import ManagedDaemon
from chaos.provider import Provider
from chaos.tables import Tables
from tests.chaos.test_chaos import SEED

DaemonFactory = Callable[..., ManagedDaemon]


@pytest.fixture
def prepare() -> Iterator[DaemonFactory]:
    """Makes a home and a vault for a daemon without starting it."""
    with ExitStack() as until_the_end:
        arena = until_the_end.enter_context(Arena(SEED))

        def make(**options: Any) -> ManagedDaemon:
            provider = until_the_end.enter_context(Provider())
            return ManagedDaemon(arena, provider, Tables(arena), **options)

        yield make


@pytest.fixture
def new_daemon(prepare: DaemonFactory) -> ManagedDaemon:
    return prepare()


@pytest.fixture
def start_daemon(prepare: DaemonFactory) -> DaemonFactory:
    """Starts a daemon; with `indexed` (the default) it has a complete index."""

    def begin(*, indexed: bool = True, **options: Any) -> ManagedDaemon:
        daemon = prepare(**options)
        daemon.start()
        if indexed:
            daemon.index()
        return daemon

    return begin


@pytest.fixture
def daemon(start_daemon: DaemonFactory) -> ManagedDaemon:
    return start_daemon()
