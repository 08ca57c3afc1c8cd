"""Silence by a timer for each path, with a ceiling."""

from ragd.watch.debounce import CEILING_S, Restless


def test_a_path_settles_after_its_silence() -> None:
    restless = Restless()
    restless.touch("a.md", 100.0)
    assert restless.next_due(2.0) == 102.0
    assert restless.settled(101.9, 2.0) == []
    assert restless.settled(102.0, 2.0) == ["a.md"]
    assert len(restless) == 0


def test_each_touch_starts_the_silence_anew_for_that_path_alone() -> None:
    restless = Restless()
    restless.touch("a.md", 100.0)
    restless.touch("b.md", 100.0)
    restless.touch("a.md", 101.5)
    assert restless.next_due(2.0) == 102.0
    assert restless.settled(102.0, 2.0) == ["b.md"]
    assert "a.md" in restless
    assert restless.settled(103.5, 2.0) == ["a.md"]


def test_a_path_that_never_rests_is_told_at_the_ceiling_and_then_waited_for_again() -> None:
    restless = Restless()
    told = []
    for tenth in range(250):
        now = tenth / 10
        restless.touch("log.md", now)
        told += [now for _ in restless.settled(now, 2.0)]
    assert told == [10.0, 20.1]  # the touch after the first telling begins a new ceiling


def test_a_longer_silence_than_the_ceiling_is_kept() -> None:
    restless = Restless()
    restless.touch("a.md", 0.0)
    assert restless.next_due(3 * CEILING_S) == 3 * CEILING_S
