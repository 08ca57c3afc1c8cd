"""How close a passage is to the time that a question names."""

from datetime import UTC, date

import pytest
from msgspec import Struct

from ragd.search.dates.candidate_dates import YEAR_IN_NAME, mark_dates
from ragd.search.dates.day_spans import Span
from ragd.search.ranking.fusion import Candidate

YEAR = Span(date(2024, 1, 1), date(2024, 12, 31))


class Hit(Struct):
    """A passage of a dated note."""

    names: tuple[str, ...]
    chunk_id: str = "c"
    date: str | None = "2024-12-29"
    modified_at: str = "2024-12-29T12:00:00Z"
    text: str = ""
    title: str = ""


def closeness(name: str, span: Span = YEAR) -> float:
    found = {"c": Candidate("c", "a.md")}
    mark_dates(found, [Hit((name,))], [span], lambda moment: moment.astimezone(UTC))
    return found["c"].closeness


@pytest.mark.parametrize("name", ["2024 in review", "What 2024 was", "Jahr 2024"])
def test_a_note_named_after_the_year_is_nearer_than_a_day_of_it(name: str) -> None:
    assert closeness(name) == YEAR_IN_NAME > closeness("Groceries")


@pytest.mark.parametrize("name", ["2024-12-29", "9 March 2024", "20240309", "2023 in review"])
def test_a_day_and_another_year_are_not_the_year(name: str) -> None:
    assert closeness(name) == closeness("Groceries")


def test_only_a_whole_year_counts() -> None:
    month = Span(date(2024, 12, 1), date(2024, 12, 31))
    assert closeness("2024 in review", month) == closeness("Groceries", month)


@pytest.mark.parametrize(("own", "day"), [("2024-12-29", None), (None, "2025-01-02")])
def test_a_passage_without_a_date_has_the_day_of_its_file(own: str | None, day: str | None) -> None:
    found = {"c": Candidate("c", "a.md")}
    hit = Hit(("a",), date=own, modified_at="2025-01-02T12:00:00Z")
    mark_dates(found, [hit], [], lambda moment: moment.astimezone(UTC))
    assert (found["c"].date, found["c"].file_day) == (own, day)
