"""The filters of a search."""

from datetime import timedelta, timezone

import pytest

from ragd.errors import RagdError
from ragd.search.query import filters
from ragd.search.query.filters import Filters
from ragd.store.lance import condition

KNOWN = ["Journal", "Journal/2024", "journal", "Ideen/Ku\u0308che", "A'b"]


def everything(folder: str) -> bool:
    return True


def test_a_folder_matches_in_any_case_and_composition_and_an_exact_name_matches_alone() -> None:
    assert filters.match_directories(["Journal"], KNOWN, everything) == ("Journal",)
    assert filters.match_directories(["JOURNAL"], KNOWN, everything) == ("Journal", "journal")
    assert filters.match_directories(["Ideen/Küche"], KNOWN, everything) == ("Ideen/Ku\u0308che",)


@pytest.mark.parametrize("name", ["Journal/2023", "Jour", "2024", "Journal/20"])
def test_unknown_and_denied_folders_get_the_same_error(name: str) -> None:
    with pytest.raises(RagdError) as unknown:
        filters.match_directories([name], KNOWN, everything)
    with pytest.raises(RagdError) as closed:
        filters.match_directories(["Journal"], KNOWN, lambda folder: False)
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
    assert (
        set(filters.match_tags(filters.requested_tags([asked]), known)) - {"#u\u0308bung"} == found
    )


def test_an_empty_tag_and_a_reversed_range_are_refused_with_the_field() -> None:
    with pytest.raises(RagdError, match="`tags`"):
        filters.requested_tags(["##"])
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
        ("9999-12-31T23:30:00Z", "9999-12-31"),  # there is no later day
    ],
)
def test_a_timestamp_means_its_day_in_the_users_time_zone(written: str, day: str) -> None:
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
def test_timestamps_in_the_wrong_order_are_refused(start: str, end: str) -> None:
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
