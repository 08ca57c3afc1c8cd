"""Times as texts of the log, and back."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragd.folds.times import iso_of_ns, ns_of_iso, ns_range_of_iso

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


ENDS = [-2_208_988_800_000_000_000, 253_402_300_799_999_999_000]
MOMENTS = st.integers(-(10**25), 10**25) | st.sampled_from([*ENDS, 0, 10**18])


@given(MOMENTS, MOMENTS | st.integers(-2_000, 2_000))
def test_a_range_has_the_moments_that_are_written_alike_and_compares_as_they_do(
    moment: int, other: int
) -> None:
    for later in (other, moment + other):
        text = iso_of_ns(moment)
        found = ns_range_of_iso(text)
        assert found is not None
        first, last = found
        assert (first <= later <= last) is (iso_of_ns(later) == text)
        assert (later >= first) is (iso_of_ns(later) >= text)


def test_a_text_that_is_never_written_has_no_moments() -> None:
    assert ns_range_of_iso("yesterday") is ns_range_of_iso("2026-01-02T03:04:05Z") is None
    assert ns_range_of_iso("1850-01-02T03:04:05.000000Z") == (float("-inf"), float("-inf"))
