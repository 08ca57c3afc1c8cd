"""Times as texts of the log, and back."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragd.folds.times import iso_of_ns, ns_of_iso

FIRST, LAST = "1900-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"


@given(st.integers(-(2**60), 2**62))
@example(0)
@example(7_000_000_000)
@example(-1)
def test_a_time_comes_back_from_its_text_to_the_microsecond(moment_ns: int) -> None:
    assert ns_of_iso(iso_of_ns(moment_ns)) == moment_ns // 1000 * 1000


def test_a_time_outside_the_calendar_becomes_the_nearest_one() -> None:
    assert iso_of_ns(-(2**63)) == FIRST
    assert iso_of_ns(2**70) == LAST
    assert iso_of_ns(ns_of_iso(FIRST)) == FIRST
    assert iso_of_ns(ns_of_iso(LAST)) == LAST


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-16", "2026-11-16T12:00:00+01:00"])
def test_a_text_that_is_not_a_time_of_the_log_is_zero(text: str) -> None:
    assert ns_of_iso(text) == 0
