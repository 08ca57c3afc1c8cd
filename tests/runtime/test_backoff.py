"""The pauses between attempts."""

from ragd.runtime.backoff import backoff_s


def test_the_pause_doubles_after_each_failure_up_to_the_limit() -> None:
    assert [backoff_s(n, 2.0, 60.0) for n in range(1, 8)] == [2, 4, 8, 16, 32, 60, 60]


def test_any_number_of_failures_waits_for_the_limit() -> None:
    assert backoff_s(10_000, 0.1, 10.0) == 10.0


def test_the_first_pause_is_never_longer_than_the_limit() -> None:
    assert backoff_s(1, 5.0, 0.05) == 0.05
