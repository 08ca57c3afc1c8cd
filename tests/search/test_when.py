"""The time that a question names."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.search.when import OLDEST_YEAR, named

TODAY = date(2026, 11, 16)  # a Monday


@pytest.mark.parametrize(
    ("question", "spans"),
    [
        ("How was my mental health in 2024?", [("2024-01-01", "2024-12-31")]),
        ("what happened on 2024-01-15", [("2024-01-15", "2024-01-15")]),
        ("2024/1/5", [("2024-01-05", "2024-01-05")]),
        ("notes of 2024-03", [("2024-03-01", "2024-03-31")]),
        ("on 15 January 2024", [("2024-01-15", "2024-01-15")]),
        ("on the 15th of January, 2024", [("2024-01-15", "2024-01-15")]),
        ("Jan. 15th 2024", [("2024-01-15", "2024-01-15")]),
        ("February 2024", [("2024-02-01", "2024-02-29")]),
        ("am 3. März 2025", [("2025-03-03", "2025-03-03")]),
        ("2023年5月2日我买了什么", [("2023-05-02", "2023-05-02")]),
        ("2023年5月", [("2023-05-01", "2023-05-31")]),
        ("2023年", [("2023-01-01", "2023-12-31")]),
        ("last March", [("2026-03-01", "2026-03-31")]),
        ("last December", [("2025-12-01", "2025-12-31")]),
        ("this May", [("2026-05-01", "2026-05-31")]),
        ("what did I do yesterday", [("2026-11-15", "2026-11-15")]),
        ("last week", [("2026-11-09", "2026-11-15")]),
        ("this month", [("2026-11-01", "2026-11-30")]),
        ("last month", [("2026-10-01", "2026-10-31")]),
        ("letztes Jahr", [("2025-01-01", "2025-12-31")]),
        ("2023 and 2024", [("2023-01-01", "2023-12-31"), ("2024-01-01", "2024-12-31")]),
    ],
)
def test_a_named_time_is_read(question: str, spans: list[tuple[str, str]]) -> None:
    assert named(question, TODAY) == spans


@pytest.mark.parametrize("question", ["On May 2nd, I bought a dress", "5月2号我买了什么", "2 May"])
def test_a_day_without_a_year_is_that_of_every_year(question: str) -> None:
    found = named(question, TODAY)
    assert ("2023-05-02", "2023-05-02") in found
    assert len(found) == TODAY.year - OLDEST_YEAR + 1


def test_a_day_that_some_years_do_not_have() -> None:
    found = named("on 29 February", TODAY)
    assert ("2024-02-29", "2024-02-29") in found and len(found) == 9


@pytest.mark.parametrize(
    "question",
    [
        *("may I march?", "It may be so", "", "the 5 of us", "2024th", "x2024", "room 12", "1024"),
        *("30 February 2024", "2024-13-01", "the first half", "issue-2024-x", "v2024.1.99999"),
    ],
)
def test_what_names_no_time(question: str) -> None:
    assert named(question, TODAY) == []


@given(st.text(max_size=100), st.dates(date(1, 2, 1), date(9999, 11, 30)))
def test_any_text_on_any_day(text: str, today: date) -> None:
    assert all(start <= end for start, end in named(text, today))
