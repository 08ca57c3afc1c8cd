"""The filters of a query."""

from datetime import timedelta, timezone

import pytest

from ragd.errors import RagdError
from ragd.search.query import filters
from ragd.search.query.filters import Filters
from ragd.store.lance import condition

KNOWN = ["Journal", "Journal/2024", "journal", "Ideen/Ku\u0308che", "A'b"]


def everything(folder: str) -> bool:
    return True


def test_a_folder_is_known_in_any_case_and_composition_and_the_exact_one_goes_first() -> None:
    assert filters.known_directories(["Journal"], KNOWN, everything) == ("Journal",)
    assert filters.known_directories(["JOURNAL"], KNOWN, everything) == ("Journal", "journal")
    assert filters.known_directories(["Ideen/Küche"], KNOWN, everything) == ("Ideen/Ku\u0308che",)


@pytest.mark.parametrize("name", ["Journal/2023", "Jour", "2024", "Journal/20"])
def test_an_unknown_folder_and_a_closed_one_are_refused_in_the_same_words(name: str) -> None:
    with pytest.raises(RagdError) as unknown:
        filters.known_directories([name], KNOWN, everything)
    with pytest.raises(RagdError) as closed:
        filters.known_directories(["Journal"], KNOWN, lambda folder: False)
    assert unknown.value.code == closed.value.code == "UNKNOWN_DIRECTORY"
    assert unknown.value.message == closed.value.message


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("#project", {"#Project", "#project/x/y", "#PROJECT/Z"}),
        ("Project/X", {"#project/x/y"}),
        ("project/x/y/", {"#project/x/y"}),
        ("proj", set()),
        ("ÜBUNG", {"#übung"}),
        ("日記", {"#日記"}),
    ],
)
def test_a_tag_covers_those_below_it_in_any_case(asked: str, found: set[str]) -> None:
    known = [
        "#Project",
        "#project/x/y",
        "#PROJECT/Z",
        "#projects",
        "#u\u0308bung",
        "#übung",
        "#日記",
    ]
    assert set(filters.known_tags(filters.asked_tags([asked]), known)) - {"#u\u0308bung"} == found


def test_a_tag_without_a_name_and_a_range_that_runs_backwards_are_refused_by_name() -> None:
    with pytest.raises(RagdError, match="`tags`"):
        filters.asked_tags(["##"])
    with pytest.raises(RagdError, match=r"`date_range.from`"):
        days("2024-02-01", "2024-01-31")
    assert days("2024-02-01", "2024-02-01") == ("2024-02-01", "2024-02-01")
    assert days(None, "2024-01-31") == (None, "2024-01-31")


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2024-01-15T23:30", "2024-01-15"),  # the user's own time
        ("2024-01-15 23:30:59.123456789", "2024-01-15"),
        ("2024-01-15T21:59:59Z", "2024-01-15"),
        ("2024-01-15T22:00:00Z", "2024-01-16"),  # two hours later where the user is
        ("2024-01-15T23:30:00+02:00", "2024-01-15"),
        ("2024-01-15T23:30:00-0800", "2024-01-16"),
        ("9999-12-31T23:30:00Z", "9999-12-31"),  # no later day can be said
    ],
)
def test_a_timestamp_stands_for_the_day_where_the_user_is(written: str, day: str) -> None:
    assert days(written, None) == (day, None)
    assert days(None, written) == (None, day)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2024-01-15T18:00", "2024-01-15T08:00"),
        ("2024-01-15T08:00Z", "2024-01-15T09:59"),  # ten o'clock here
        ("2024-01-16T00:00", "2024-01-15"),
    ],
)
def test_timestamps_that_are_the_wrong_way_round_are_refused(start: str, end: str) -> None:
    with pytest.raises(RagdError, match=r"`date_range.from`"):
        days(start, end)


def test_a_day_lasts_until_its_end() -> None:
    assert days("2024-01-15T23:59:59", "2024-01-15") == ("2024-01-15", "2024-01-15")


def days(start: str | None, end: str | None) -> tuple[str | None, str | None]:
    """For a user two hours east of Greenwich."""
    east = timezone(timedelta(hours=2))
    return filters.day_range(start, end, lambda moment: moment.astimezone(east))


def test_the_filters_as_sql() -> None:
    assert condition(Filters()) is None
    assert condition(Filters(("A'b",))) == "((source_file >= 'A''b/' AND source_file < 'A''b0'))"
    assert condition(Filters(start="2024-01-01", end="2024-12-31", tags=("#a", "#b"))) == (
        "date >= '2024-01-01' AND date <= '2024-12-31' AND array_has_any(note_tags, ['#a', '#b'])"
    )
    assert condition(Filters(tags=())) == "FALSE"
    spans = (("2024-01-01", "2024-12-31"), ("2023-05-02", "2023-05-02"))
    assert condition(Filters(spans=spans)) == (
        "((date >= '2024-01-01' AND date <= '2024-12-31') OR date IN ('2023-05-02'))"
    )
