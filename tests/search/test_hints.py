"""Hints about the model of the index and about a time without notes."""

from collections.abc import Iterable
from datetime import date
from typing import Any, cast

import pytest

from ragd.embed.providers.shipped_models import ENGLISH, MULTILINGUAL, ShippedModel
from ragd.protocol.tool_schemas import SearchRequest
from ragd.search.dates import NamedTime, Span
from ragd.search.dates.time_messages import explain_no_note_of_time
from ragd.search.hints import ENGLISH_ONLY, find_hints
from ragd.search.prepared_query import PreparedQuery
from ragd.search.query.query_terms import query_terms
from ragd.search.retrieval import Question


class Dated:
    """An index with this many passages of any time, and with notes in these languages."""

    def __init__(self, passages: int, languages: dict[str, int]) -> None:
        self.passages = passages
        self.languages = languages

    async def count_notes_in(self, languages: Iterable[str]) -> dict[str, int]:
        return {one: self.languages[one] for one in languages if one in self.languages}

    async def count(self, where: str | None) -> int:
        return self.passages


def question(
    language: str | None, model: ShippedModel | None, passages: int = 0, **notes: int
) -> Question:
    spans = (Span(date(2026, 10, 1), date(2026, 10, 31)),)
    terms = query_terms("x", len)
    index, task = cast(Any, Dated(passages, notes)), cast(Any, None)
    return Question(terms, index, None, None, True, task, "", None, spans, language, model=model)


NO_TIME = NamedTime((), "x")
PREPARED = PreparedQuery("x", SearchRequest(query="x"))


@pytest.mark.parametrize(
    ("language", "model", "hints"),
    [
        ("de", ENGLISH, [ENGLISH_ONLY]),
        ("zh", ENGLISH, [ENGLISH_ONLY]),
        ("en", ENGLISH, []),
        (None, ENGLISH, []),
        ("de", MULTILINGUAL, []),
        ("de", None, []),
    ],
)
async def test_a_question_in_another_language_than_the_model_reads_gets_a_hint(
    language: str | None, model: ShippedModel | None, hints: list[str]
) -> None:
    assert await find_hints(PREPARED, NO_TIME, question(language, model), True) == hints


async def test_an_answer_that_is_not_good_names_the_notes_that_the_model_cannot_read() -> None:
    spanish = question("en", ENGLISH, passages=1, es=12, sv=40)
    [said] = await find_hints(PREPARED, NO_TIME, spanish, True, is_unsure=True)
    assert said == (
        "Some notes are in Spanish. This index finds them by words only. To find them by meaning, "
        "run `ragctl config set embedding.language multilingual`, then `ragctl reindex`."
    )
    assert await find_hints(PREPARED, NO_TIME, spanish, False) == [said]
    assert await find_hints(PREPARED, NO_TIME, spanish, True) == []
    several = question("en", ENGLISH, passages=1, es=2, fr=1, de=1, it=1)
    [said] = await find_hints(PREPARED, NO_TIME, several, False)
    assert said.startswith("Some notes are in other languages: Spanish, German, French and others.")


@pytest.mark.parametrize(
    "one",
    [
        question("en", ENGLISH, passages=1, es=2),
        question("en", MULTILINGUAL, passages=1, es=12),
        question("en", None, passages=1, es=12),
    ],
)
async def test_few_notes_and_models_that_read_them_get_no_hint(one: Question) -> None:
    assert await find_hints(PREPARED, NO_TIME, one, False, is_unsure=True) == []


async def test_a_question_in_another_language_gets_one_hint_about_languages() -> None:
    asked = question("es", ENGLISH, passages=1, es=12)
    assert await find_hints(PREPARED, NO_TIME, asked, False) == [ENGLISH_ONLY]


async def test_a_time_without_notes_is_reported_unless_the_question_is_answered() -> None:
    said = ["No note is dated in October 2026."]
    assert await find_hints(PREPARED, NO_TIME, question("en", ENGLISH), False) == said
    assert await find_hints(PREPARED, NO_TIME, question("en", ENGLISH), True) == []
    assert await find_hints(PREPARED, NO_TIME, question("en", ENGLISH, passages=1), False) == []


async def test_an_event_whose_day_no_note_states_is_reported() -> None:
    named = NamedTime((), "x", unknown_event="the wedding")
    [said] = await find_hints(PREPARED, named, question("en", ENGLISH, passages=1), True)
    assert said == (
        'No note states the day of "the wedding", so the time counted from it is not known; '
        "its words were searched."
    )


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        ([("2026-10-05", "2026-10-05")], "No note is dated 2026-10-05."),
        ([("2024-02-01", "2024-02-29")], "No note is dated in February 2024."),
        ([("2024-01-01", "2024-12-31")], "No note is dated in 2024."),
        ([("0001-01-01", "2019-12-31")], "No note is dated 2019-12-31 or earlier."),
        ([("2026-10-05", "2026-10-11")], "No note is dated between 2026-10-05 and 2026-10-11."),
        (
            [("2025-10-01", "2025-10-31"), ("2026-10-01", "2026-10-31")],
            "No note is dated in that time.",
        ),
    ],
)
def test_the_time_is_named_in_words(spans: list[tuple[str, str]], said: str) -> None:
    days = [Span(*map(date.fromisoformat, one)) for one in spans]
    assert explain_no_note_of_time(days) == said
