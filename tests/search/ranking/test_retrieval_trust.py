"""The trust in meaning and words, by the languages of the question and the notes."""

import pytest

from ragd.embed.providers.shipped_models import MULTILINGUAL, SHIPPED
from ragd.search.ranking.cosine_scale import DEFAULT_SCALE, SCALES
from ragd.search.ranking.fusion import vector_trust
from ragd.search.ranking.relevance import FLOOR, relevance
from ragd.search.ranking.retrieval_trust import (
    FOREIGN,
    FOREIGN_PASSAGE,
    RetrievalTrust,
    retrieval_trust,
)

ENGLISH_NOTES = {"en": 200}


def test_the_english_model_is_trusted_as_far_as_it_can_read() -> None:
    assert retrieval_trust("english", 0.4, "de", ENGLISH_NOTES) == RetrievalTrust(
        vector_trust(0.4), 1.0
    )


def test_words_weigh_little_where_no_note_is_in_the_questions_language() -> None:
    found = retrieval_trust("multilingual", 0.0, "zh", ENGLISH_NOTES)
    assert found == RetrievalTrust(1.0, FOREIGN, FOREIGN_PASSAGE)


def test_words_weigh_in_full_where_notes_are_in_the_questions_language() -> None:
    found = retrieval_trust("multilingual", 0.0, "zh", {"en": 90, "zh": 10})
    assert found == RetrievalTrust(1.0, 1.0, FOREIGN_PASSAGE)
    half = retrieval_trust("multilingual", 0.0, "zh", {"en": 95, "zh": 5})
    assert half.text == pytest.approx((1 + FOREIGN) / 2)


@pytest.mark.parametrize("notes", [{}, {"en": 5, "de": 5}])
def test_a_question_without_a_language_is_trusted_both_ways(notes: dict[str, int]) -> None:
    assert retrieval_trust("multilingual", 0.0, None, notes) == RetrievalTrust(1.0, 1.0)
    assert retrieval_trust("multilingual", 1.0, "en", {}) == RetrievalTrust(1.0, 1.0)


def test_the_multilingual_model_is_trusted_less_in_a_language_it_does_not_read() -> None:
    assert retrieval_trust("multilingual", 0.0, "he", {"he": 9}) == RetrievalTrust(
        vector_trust(0.0), 1.0
    )
    assert retrieval_trust("multilingual", 0.0, "he", ENGLISH_NOTES).text == 1.0


def test_another_provider_is_trusted_in_any_language() -> None:
    assert retrieval_trust(None, 0.0, "zh", ENGLISH_NOTES) == RetrievalTrust(1.0, 1.0)


def test_each_model_has_a_scale_of_its_own() -> None:
    multilingual = SCALES[MULTILINGUAL.name]
    assert relevance(0.15, 0.0, 1.0, scale=multilingual) < FLOOR  # nonsense comes this near
    assert relevance(0.4, 0.0, 0.0, scale=multilingual) > 0.4  # a usual translation
    assert (
        relevance(0.4, 0.0, 0.0, scale=DEFAULT_SCALE) < FLOOR
    )  # letters that a model does not know
    assert SCALES.keys() == SHIPPED.keys()
