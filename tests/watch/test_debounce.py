"""Each changed path waits for silence, with a ceiling."""

from ragd.watch.debounce import CEILING_S, Debounce


def test_a_path_settles_after_its_silence() -> None:
    debounce = Debounce()
    debounce.add("a.md", 100.0)
    assert debounce.next_due(2.0) == 102.0
    assert debounce.pop_settled(101.9, 2.0) == []
    assert debounce.pop_settled(102.0, 2.0) == ["a.md"]
    assert len(debounce) == 0


def test_each_change_starts_the_silence_again_for_that_path_alone() -> None:
    debounce = Debounce()
    debounce.add("a.md", 100.0)
    debounce.add("b.md", 100.0)
    debounce.add("a.md", 101.5)
    assert debounce.next_due(2.0) == 102.0
    assert debounce.pop_settled(102.0, 2.0) == ["b.md"]
    assert "a.md" in debounce
    assert debounce.pop_settled(103.5, 2.0) == ["a.md"]


def test_a_path_that_is_never_quiet_settles_at_the_ceiling_and_then_waits_again() -> None:
    debounce = Debounce()
    settled = []
    for tenth in range(250):
        now = tenth / 10
        debounce.add("log.md", now)
        settled += [now for _ in debounce.pop_settled(now, 2.0)]
    assert settled == [10.0, 20.1]  # the change after the first time begins a new ceiling


def test_a_longer_silence_than_the_ceiling_is_kept() -> None:
    debounce = Debounce()
    debounce.add("a.md", 0.0)
    assert debounce.next_due(3 * CEILING_S) == 3 * CEILING_S
