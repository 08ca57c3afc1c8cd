"""The score of a result: from 0 to 1, never higher than the one before it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from ragd.search.ranking import score as likelihood
from ragd.search.ranking.cosine_scale import DEFAULT_SCALE, SCALES
from ragd.search.ranking.score import (
    NEEDED,
    NEEDED_FOREIGN,
    STEP,
    UNSURE_BELOW,
    Evidence,
    is_answered,
    stands_out,
)

PARTS = st.floats(0, 1)
EVIDENCE = st.builds(Evidence, st.none() | PARTS, PARTS, PARTS)
TIMELY = st.builds(Evidence, st.none() | PARTS, PARTS, PARTS, PARTS, other_words=PARTS)
GOOD = Evidence(1.0, 1.0, 1.0)
POOR = Evidence(0.1, 0.3, 1.0)


def scores(
    found: list[Evidence], model: str | None = "english", needed: float = NEEDED
) -> list[float]:
    return likelihood.scores(found, model, needed)


@pytest.mark.parametrize("model", ["english", "multilingual", None])
def test_a_full_match_scores_high_and_a_poor_match_scores_low(model: str | None) -> None:
    assert scores([GOOD], model)[0] > 0.7
    assert scores([POOR], model)[0] < 0.3
    assert scores([Evidence(None, 1.0, 1.0)], model)[0] > 0.5, "words alone can answer"


def test_a_question_is_answered_by_words_by_meaning_or_by_a_time() -> None:
    assert is_answered([POOR, GOOD])
    assert is_answered([Evidence(0.5, 0.0, 1.0)]), "in other words"
    assert is_answered([Evidence(None, 0.5, 1.0)])
    assert is_answered([Evidence(timely=0.4)])
    assert is_answered([Evidence(certain=1.0)])
    assert not is_answered([Evidence(0.05, 0.2, 1.0)])
    assert is_answered([Evidence(0.05, 0.2, 1.0)], NEEDED_FOREIGN)
    assert is_answered([Evidence(0.0, 0.4, 1.0)]), "one of two words, as often with prices"
    assert not is_answered([])


def test_the_right_time_counts_only_with_some_other_word_or_a_near_meaning() -> None:
    neither = Evidence(0.0, 0.5, 1.0, timely=1.0, other_words=0.0)
    [low] = scores([neither])
    [by_words] = scores([structs.replace(neither, other_words=1.0)])
    [by_meaning] = scores([structs.replace(neither, stands_out=0.5)])
    assert low < UNSURE_BELOW < by_words
    assert low < UNSURE_BELOW < by_meaning
    other_time = structs.replace(neither, timely=0.0, other_words=1.0)
    assert scores([other_time, neither])[0] == scores([other_time])[0], "nor for one before it"
    assert is_answered([neither]), "it is of the time that is asked for"


def test_less_meaning_is_enough_for_a_time_in_a_foreign_question() -> None:
    near = Evidence(0.1, 0.2, 1.0, timely=1.0, other_words=0.0)
    assert scores([near], needed=NEEDED_FOREIGN) > scores([near])


@given(st.lists(TIMELY, max_size=12))
def test_no_score_is_higher_than_one_before_it(found: list[Evidence]) -> None:
    each = scores(found)
    assert each == sorted(each, reverse=True)
    assert all(0 <= score < 1 for score in each)


def test_evidence_for_a_result_counts_for_those_before_it() -> None:
    one, other = scores([POOR, GOOD])
    assert one == scores([GOOD])[0]
    assert other == one - STEP, "and who sorts by score keeps the order"


@given(EVIDENCE, EVIDENCE)
def test_a_worse_result_does_not_change_the_scores_before_it(
    one: Evidence, other: Evidence
) -> None:
    assert scores([GOOD, one, other])[0] == scores([GOOD])[0]


def test_a_list_of_everything_requested_is_certain() -> None:
    assert scores([Evidence(certain=1.0), Evidence(certain=0.5)]) == [1.0, 0.5]


def test_a_cosine_below_the_background_does_not_stand_out() -> None:
    for scale in (DEFAULT_SCALE, *SCALES.values()):
        assert stands_out(-0.2, scale) == 0.0
        assert stands_out(scale.far_out / 2, scale) == 0.5
        assert stands_out(0.9, scale) == 1.0
