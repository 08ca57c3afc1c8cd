"""The words that explain the place of a passage."""

from datetime import date

import pytest

from ragd.search.dates import Span
from ragd.search.ranking.fusion import Candidate, FusionWeights, order
from ragd.search.ranking.result_explanation import (
    LINKED,
    ExplainedQuestion,
    explain_result,
    linked_explanation,
)

PLAIN = ExplainedQuestion(has_vector=True, spans=(), is_list=False)
MARCH = (Span(date(2025, 3, 1), date(2025, 3, 31)),)


def sentences(
    found: Candidate, question: ExplainedQuestion = PLAIN, day: str | None = None
) -> list[str]:
    return list(explain_result(found, (("tea",), ("milk",)), question, day).sentences)


def test_the_parts_of_every_candidate_add_up_to_its_weight() -> None:
    found = [
        Candidate("a", "a.md", cosine=0.7, vector_rank=1, bm25=3.0, text_rank=2, title_cover=0.5),
        Candidate("b", "b.md", cosine=0.4, vector_rank=2, date="2020-01-01", recency=0.3),
        Candidate("c", "c.md", bm25=9.0, text_rank=1, closeness=0.5, unwanted=1.0, note_words=1.0),
    ]
    for weights in (FusionWeights(title=0.2, note=0.1), FusionWeights(by_ranks=True, title=0.2)):
        for one in order(found, weights):
            parts = explain_result(one, ((), ()), PLAIN, None).parts
            assert sum(parts.values()) == pytest.approx(one.weight, abs=0.001)


def test_ranks_and_words_are_named() -> None:
    one = Candidate("a", "a.md", cosine=0.7, vector_rank=3, text_rank=2, bm25=1.0, above_crowd=-0.1)
    meaning, words, total = sentences(one)
    assert meaning == (
        "Meaning: number 3 of the nearest passages (cosine 0.70, 0.10 below an ordinary passage)."
    )
    assert words == "Words: number 2; it has “tea”, but not “milk”."
    assert total == "Together: 0.00 = 0."


@pytest.mark.parametrize(
    ("has_vector", "why"), [(False, "the question has no vector"), (True, "has no vector yet")]
)
def test_a_missing_vector_is_told_apart(has_vector: bool, why: str) -> None:
    question = ExplainedQuestion(has_vector=has_vector, spans=(), is_list=False)
    assert why in sentences(Candidate("a", "a.md"), question)[0]


@pytest.mark.parametrize(
    ("day", "told"),
    [
        ("2025-03-31", "is in the time"),
        ("2025-04-01", "is near the time"),
        (None, "it has no date"),
    ],
)
def test_the_time_is_compared_with_the_named_one(day: str | None, told: str) -> None:
    question = ExplainedQuestion(has_vector=True, spans=MARCH, is_list=False)
    assert any(told in one for one in sentences(Candidate("a", "a", closeness=0.3), question, day))


def test_names_tags_excluded_words_and_newer_values_are_told() -> None:
    one = Candidate("a", "a.md", exact_title=True, tagged=True, unwanted=0.5, is_superseded=True)
    told = " ".join(sentences(one))
    for word in ("Name:", "Tag:", "Excluded:", "Newer:"):
        assert word in told
    newest = Candidate("a", "a.md", chain="a", title_cover=0.5)
    assert "Newest:" in " ".join(sentences(newest)) and "50%" in " ".join(sentences(newest))


def test_a_list_and_a_linked_note_have_no_ranks() -> None:
    listed = ExplainedQuestion(has_vector=True, spans=(), is_list=True)
    told = explain_result(Candidate("a", "a.md", vector_rank=1), ((), ()), listed, None)
    assert len(told.sentences) == 1
    assert linked_explanation(told).sentences == (LINKED,)
