"""Days in names and texts."""

import pytest

from ragd.notes.dates import date_in_path, date_in_text


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("Journal/2024-01-15.md", "2024-01-15"),
        ("2024-01-15 Monday.md", "2024-01-15"),
        ("20240115.md", "2024-01-15"),
        ("202401151230 An idea.md", "2024-01-15"),
        ("20240115123059.md", "2024-01-15"),
        ("Journal/2024/01/15.md", "2024-01-15"),
        ("2024/01/15 Monday.md", "2024-01-15"),
        ("2024_01_15.md", "2024-01-15"),
        ("2023-05/2024-01-15.md", "2024-01-15"),
        ("2024-01-15/idea.md", "2024-01-15"),
        ("2023-01-01/2024-02-02/idea.md", "2024-02-02"),
    ],
)
def test_a_day_is_found_in_a_path(path: str, day: str) -> None:
    assert date_in_path(path) == (day, True)


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("2024-03.md", "2024-03-01"),
        ("2024-03 review.md", "2024-03-01"),
        ("Months/2024-03/idea.md", "2024-03-01"),
        ("2024-W03.md", "2024-01-15"),
        ("2020-W53.md", "2020-12-28"),
    ],
)
def test_a_month_and_a_week_are_their_first_day(path: str, day: str) -> None:
    assert date_in_path(path) == (day, False)


@pytest.mark.parametrize(
    "path",
    [
        "idea.md",
        "2024.md",
        "2024-13.md",
        "2024-02-30.md",
        "2024-W60.md",
        "1999-2004 trip.md",
        "12345678.md",
        "123456789012345.md",
        "ISBN 9780140449136.md",
        "0000-00-00.md",
    ],
)
def test_a_path_without_a_day_gives_none(path: str) -> None:
    assert date_in_path(path) == (None, False)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-01-15", "2024-01-15"),
        ("2024-01-15T10:30:00Z", "2024-01-15"),
        ("[[2024-01-15]] and 2025-01-01", "2024-01-15"),
        ("on 2024/01/15", "2024-01-15"),
        ("2024-01", None),
        ("2024-99-99 then 2024-01-15", "2024-01-15"),
        ("", None),
    ],
)
def test_a_text_may_name_a_day(text: str, day: str | None) -> None:
    assert date_in_text(text) == day
