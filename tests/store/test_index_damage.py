"""Damage to the index: recorded by one object, once."""

import ast
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ragd
from ragd.events import DependencyLost, Fact, IndexLost
from ragd.store.index_damage import ANOTHER_VAULT, IndexDamage


class Log:
    """A log that keeps the appended facts and derives the losses."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.lost: dict[str, Any] = {}
        self.state = SimpleNamespace(health=SimpleNamespace(lost=self.lost))

    async def append(self, fact: Fact) -> None:
        self.facts.append(fact)
        if isinstance(fact, DependencyLost):
            self.lost[fact.dependency] = fact


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def damage(log: Log) -> IndexDamage:
    return IndexDamage(log, log.append)  # type: ignore[arg-type]


async def test_a_second_failed_call_records_nothing(log: Log, damage: IndexDamage) -> None:
    assert not damage.is_recorded
    await damage.record_failed_call("INDEX_CORRUPTED")
    await damage.record_failed_call("INDEX_NOT_FOUND")
    assert log.facts == [DependencyLost(dependency="index", code="INDEX_CORRUPTED")]
    assert damage.is_recorded


async def test_another_vaults_index_is_recorded_in_place_of_other_damage(
    log: Log, damage: IndexDamage
) -> None:
    await damage.record_failed_call("INDEX_CORRUPTED")
    await damage.record_another_vault()
    await damage.record_another_vault()
    assert [fact.code for fact in log.facts] == ["INDEX_CORRUPTED", ANOTHER_VAULT]  # type: ignore[attr-defined]


async def test_a_lost_table_is_recorded_with_its_reason(log: Log, damage: IndexDamage) -> None:
    await damage.record_lost_table("missing", "01A")
    assert log.facts == [IndexLost(reason="missing", generation="01A")]


def recorders(fact: str) -> Iterator[tuple[str, str]]:
    """The modules that make this fact, each with the source of the dependency that it names."""
    package = Path(ragd.__file__).parent
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == fact:
                named = [ast.unparse(k.value) for k in node.keywords if k.arg == "dependency"]
                yield str(path.relative_to(package)), "".join(named)


def test_no_other_module_records_damage_to_the_index() -> None:
    assert {path for path, _ in recorders("IndexLost")} == {"store/index_damage.py"}
    makers = {path for path, named in recorders("DependencyLost") if named == "'index'"}
    assert makers == {"store/index_damage.py"}
