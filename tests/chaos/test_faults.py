"""The faults of `python -m chaos --only faults`, each kind under one daemon."""

from collections.abc import Iterator

import pytest

from chaos import faults
from chaos.harness import Arena
from tests.chaos.test_chaos import SEED

pytestmark = [pytest.mark.slow]

# tests/health runs these, and the faults of the vault and the load
ELSEWHERE = {"sleep", "overflow", "jump_amid_work", "jump_while_paused", "stand_still_for_a_minute"}


@pytest.fixture
def arena() -> Iterator[Arena]:
    with Arena(SEED) as arena:
        yield arena


@pytest.mark.parametrize("kind", ["ollama", "index", "time"])
def test_a_daemon_outlives_every_fault_of_a_kind_at_no_lasting_cost(
    arena: Arena, kind: str
) -> None:
    with faults.running_daemon(arena) as daemon:
        for name, fault in faults.FAULTS[kind].items():
            if name not in ELSEWHERE:
                faults.run_fault(daemon, name, fault)


def test_minutes_of_an_ollama_that_comes_and_goes_leave_no_trace(arena: Arena) -> None:
    faults.run_flapping(arena)


def test_the_list_is_as_long_as_promised() -> None:
    assert len(faults.FAULTS["index"]) >= 10
    named = {name for kind in faults.FAULTS.values() for name in kind}
    provider = {"refused", "hanging", "500", "slow", "cut", "invalid JSON", "wrong dimensions"}
    assert provider | {"NaN", "unmount", "rename", "empty", "jump", "sleep", "restart"} <= named
    assert ELSEWHERE | {"search_while_tidying", "never_read"} <= named
