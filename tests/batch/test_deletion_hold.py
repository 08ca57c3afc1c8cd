"""Notes that vanish are judged as a whole, over minutes, and held until a person agrees."""

from ragd.batch.deletion_hold import LATELY_S, Deletions
from ragd.batch.sync_plan import is_suspicious
from tests.daemon.virtual_clock import VirtualClock


def names(first: int, last: int) -> list[str]:
    return [f"{number}.md" for number in range(first, last)]


def test_a_few_leave_and_are_remembered_for_a_while() -> None:
    clock = VirtualClock()
    deletions = Deletions(clock)
    assert deletions.judge(names(0, 30), 120, holding=False) == 0
    deletions.applied(30)
    assert deletions.judge(names(30, 60), 90, holding=False) == 30, "60 of 120 within minutes"
    assert deletions.is_held("30.md") and not deletions.is_held("29.md")
    clock.advance(LATELY_S + 1)
    assert deletions.lately == 0


def test_what_is_held_counts_with_what_vanishes_later() -> None:
    deletions = Deletions(VirtualClock())
    assert deletions.judge(names(0, 60), 100, holding=False) == 60
    assert deletions.judge(names(60, 61), 100, holding=True) == 61
    deletions.release(["3.md"])
    assert not deletions.is_held("3.md")
    deletions.agreed()
    assert not deletions.is_held("60.md")


def test_while_some_are_held_nothing_more_leaves() -> None:
    assert is_suspicious(1, 1000, holding=True)
    assert not is_suspicious(0, 1000, holding=True)
    assert not is_suspicious(50, 51), "this alone would let them go"
