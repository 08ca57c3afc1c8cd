"""Deleted notes are counted together over minutes, and held until a person confirms."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragd.batch.deletion_hold import RECENT_S, DeletionHold, is_suspicious
from ragd.batch.sync_plan import SyncPlan
from ragd.events import (
    BatchStored,
    DeletionsHeld,
    ScannedCollection,
    StoredFile,
    VaultScanned,
)
from ragd.state.ledger import Ledger
from ragd.vault.collection_paths import VAULT
from tests.daemon.virtual_clock import VirtualClock
from tests.eventlog.homes import Home

ACTOR = "batcher"


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with Home(tmp_path).ledger() as ledger:
        yield ledger


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def hold(ledger: Ledger, clock: VirtualClock) -> DeletionHold:
    return DeletionHold(ledger, clock)


def names(first: int, last: int) -> list[str]:
    return [f"{number}.md" for number in range(first, last)]


async def store(ledger: Ledger, *paths: str) -> None:
    files = [StoredFile(path, "", 1, 10, 1) for path in paths]
    stored = BatchStored(job_id="", files=files, removed=[], table_version=1)
    await ledger.journal.append_parts("store_writer", stored)


async def remove(ledger: Ledger, *paths: str) -> None:
    removed = BatchStored(job_id="", files=[], removed=list(paths), table_version=2)
    await ledger.journal.append_parts("store_writer", removed)


@pytest.mark.parametrize(
    ("deleted", "known", "suspicious"),
    [
        (0, 0, False),
        (1, 1, True),
        (1, 2, False),
        (50, 100, False),
        (51, 100, True),
        (51, 170, False),
        (52, 170, True),
    ],
)
def test_over_fifty_and_over_thirty_percent_or_everything_is_suspicious(
    deleted: int, known: int, suspicious: bool
) -> None:
    assert is_suspicious(deleted, known) is suspicious


def test_while_some_are_held_nothing_more_leaves() -> None:
    assert is_suspicious(1, 1000, holding=True)
    assert not is_suspicious(0, 1000, holding=True)
    assert not is_suspicious(50, 51), "this alone would let them go"


async def test_a_few_leave_and_count_with_later_ones_for_a_while(
    ledger: Ledger, clock: VirtualClock, hold: DeletionHold
) -> None:
    await store(ledger, *names(0, 120))
    await hold.judge(ACTOR, names(0, 30))
    assert not hold.is_active
    await remove(ledger, *names(0, 30))
    assert hold.would_hold(names(30, 60)), "60 of 120 within minutes"
    clock.advance(RECENT_S + 1)
    assert not hold.would_hold(names(30, 60))


async def test_held_notes_count_with_those_that_vanish_later_and_each_hold_is_recorded(
    ledger: Ledger, hold: DeletionHold
) -> None:
    await store(ledger, *names(0, 100))
    await hold.judge(ACTOR, names(0, 60))
    assert ledger.state.health.deletions_held == 60
    await hold.judge(ACTOR, names(60, 61))
    assert ledger.state.health.deletions_held == 61
    assert hold.is_held("60.md")
    hold.release(["3.md"])
    assert not hold.is_held("3.md")
    hold.accept()
    assert not hold.is_held("60.md")


async def test_the_held_notes_are_forgotten_when_the_hold_is_over(
    ledger: Ledger, hold: DeletionHold
) -> None:
    await store(ledger, *names(0, 100))
    await hold.judge(ACTOR, names(0, 60))
    hold.forget_if_over()
    assert hold.is_held("1.md")
    await hold.record(ACTOR, {})
    hold.forget_if_over()
    assert not hold.is_held("1.md")


async def test_a_hold_that_does_not_change_is_not_recorded_again(
    ledger: Ledger, hold: DeletionHold
) -> None:
    await hold.record(ACTOR, {VAULT: 7})
    seq = ledger.state.seq
    await hold.record(ACTOR, {VAULT: 7})
    assert ledger.state.seq == seq


class Roots:
    """A scan that found every root on one device, except for those that are gone."""

    def __init__(self, device: int, *gone: str) -> None:
        self._device = device
        self.gone = gone

    def device(self, collection: str) -> int:
        return self._device


def plan_of(deleted: list[str], denied: list[str]) -> SyncPlan:
    return SyncPlan([], [*deleted, *denied], deletions=frozenset(deleted))


async def test_a_plan_keeps_denied_notes_when_its_deletions_are_held(hold: DeletionHold) -> None:
    held = hold.apply_to(plan_of(names(0, 69), ["99.md"]), names(0, 100), Roots(1))
    assert (held.removals, held.held) == (["99.md"], {VAULT: 69})
    allowed = hold.apply_to(plan_of(names(0, 9), ["99.md"]), names(0, 100), Roots(1))
    assert (len(allowed.removals), allowed.held) == (10, {})


async def test_any_deletion_is_held_while_some_are_held_or_the_device_is_another(
    ledger: Ledger, hold: DeletionHold
) -> None:
    await ledger.journal.append("watcher", VaultScanned(files=1, changed=0, removed=0, device=1))
    assert hold.apply_to(plan_of(["1.md"], []), names(0, 100), Roots(1)).held == {}
    assert hold.apply_to(plan_of(["1.md"], []), names(0, 100), Roots(2)).held == {VAULT: 1}
    await ledger.journal.append("batcher", DeletionsHeld(count=5))
    assert hold.apply_to(plan_of(["1.md"], []), names(0, 100), Roots(1)).held == {VAULT: 1}


# Several collections


def papers(first: int, last: int) -> list[str]:
    return [f"@papers/{name}" for name in names(first, last)]


@pytest.fixture
async def both(ledger: Ledger) -> Ledger:
    """A catalog with 100 notes in the vault and 100 in `papers`."""
    roots = [ScannedCollection(VAULT), ScannedCollection("papers")]
    scanned = VaultScanned(files=1, changed=0, removed=0, collections=roots)
    await ledger.journal.append("watcher", scanned)
    await store(ledger, *names(0, 100), *papers(0, 100))
    return ledger


async def test_each_collection_is_judged_by_its_own_counts(
    both: Ledger, hold: DeletionHold
) -> None:
    known = [*names(0, 100), *papers(0, 100)]
    gone = [*names(0, 40), *papers(0, 55)]
    plan = hold.apply_to(plan_of(gone, []), known, Roots(1))
    assert plan.held == {"papers": 55}
    assert plan.removals == names(0, 40)
    plan = hold.apply_to(plan_of(gone, []), known, Roots(1), accepts=lambda name: name == "papers")
    assert (plan.held, len(plan.removals)) == ({}, 95)


async def test_notes_that_vanish_one_by_one_are_judged_in_their_collection(
    both: Ledger, hold: DeletionHold
) -> None:
    await hold.judge(ACTOR, names(0, 40))
    assert not hold.would_hold(papers(0, 40)), "the 40 of the vault do not count here"
    await hold.judge(ACTOR, papers(0, 60))
    health = both.state.health
    assert (health.held_in("papers"), health.held_in(VAULT)) == (60, 0)
    assert hold.is_held("@papers/7.md")
    assert not hold.would_hold(["77.md"]), "the vault itself holds nothing"
    assert hold.would_hold(["@papers/77.md"])


async def test_what_is_held_in_a_collection_that_is_gone_stays(
    both: Ledger, hold: DeletionHold
) -> None:
    await hold.record(ACTOR, {"papers": 60, VAULT: 5})
    plan = hold.apply_to(plan_of([], []), names(0, 100), Roots(1, "papers"))
    assert plan.held == {"papers": 60}
    await hold.record(ACTOR, plan.held)
    assert both.state.health.held == {"papers": 60}


async def test_a_person_accepts_the_deletions_of_one_collection(
    both: Ledger, hold: DeletionHold
) -> None:
    await hold.judge(ACTOR, papers(0, 60))
    await hold.judge(ACTOR, names(0, 60))
    hold.accept(lambda name: name == "papers")
    assert hold.is_held("1.md") and not hold.is_held("@papers/1.md")
    await hold.record(ACTOR, {VAULT: 60})
    hold.forget_if_over()
    assert hold.is_held("1.md")
    await hold.record(ACTOR, {})
    hold.forget_if_over()
    assert not hold.is_held("1.md")


@pytest.mark.parametrize("group", ["sessions", "memory"])
async def test_nothing_is_held_in_what_belongs_to_an_agent(
    ledger: Ledger, hold: DeletionHold, group: str
) -> None:
    paths = [f"@{group}/main/{number}.md" for number in range(60)]
    await store(ledger, *paths)
    roots = [ScannedCollection(name, device=1) for name in (VAULT, f"{group}/main")]
    scanned = VaultScanned(files=60, changed=0, removed=0, newest_mtime=None, collections=roots)
    await ledger.journal.append("watcher", scanned)
    assert not hold.would_hold(paths)
    await hold.judge(ACTOR, paths)
    assert not any(map(hold.is_held, paths))
    plan = SyncPlan([], paths, deletions=frozenset(paths))
    assert hold.apply_to(plan, paths, Elsewhere()) == plan


class Elsewhere:
    """A scan that found every root on another device than before."""

    gone: frozenset[str] = frozenset()

    def device(self, collection: str) -> int:
        return 2
