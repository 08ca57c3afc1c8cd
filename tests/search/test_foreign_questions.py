"""Questions in a language that no note uses, or few."""

import asyncio
from typing import cast

from ragd.embed.providers.shipped_models import GRANITE, MULTILINGUAL, ShippedModel
from ragd.search.passage_scoring import floor_scale
from ragd.search.query.query_terms import query_terms
from ragd.search.query_vector import QueryVector
from ragd.search.ranking.cosine_scale import SCALES
from ragd.search.ranking.relevance import FLOOR, relevance
from ragd.search.ranking.title_match import Frequencies, count_frequencies
from ragd.search.retrieval import Question
from ragd.store.lance import ChunkIndex

SCALE = SCALES[MULTILINGUAL.name]


def question(language: str | None, *notes: str, model: ShippedModel | None = None) -> Question:
    return Question(
        query_terms("", len),
        cast(ChunkIndex, None),
        None,
        None,
        by_words=True,
        vector_task=cast("asyncio.Task[QueryVector]", None),
        language=language,
        frequencies=Frequencies(main_languages=notes),
        model=model,
    )


def test_a_question_is_foreign_if_no_note_is_in_its_language() -> None:
    assert question("zh", "en", "de").is_foreign
    assert not question("de", "en", "de").is_foreign


def test_few_notes_in_the_language_of_a_question_do_not_make_it_less_foreign() -> None:
    """With 6 % German notes, the answer to a German question is probably in an English one."""
    few = count_frequencies(["text"] * 100, ["en"] * 90 + ["de"] * 6 + [None] * 4)
    assert few.languages == ("en", "de")
    assert few.is_foreign("de") and not few.is_foreign("en")
    many = count_frequencies(["text"] * 100, ["en"] * 70 + ["de"] * 30)
    assert not many.is_foreign("de")


def test_without_a_known_language_no_question_is_foreign() -> None:
    assert not question(None, "en").is_foreign
    assert not question("de").is_foreign


def test_a_translation_is_found_at_the_cosine_of_nonsense() -> None:
    """One right passage in eight has less than 0.22 if the question is in another language."""
    assert SCALE.foreign is not None
    assert relevance(0.15, 0.0, 0.0, scale=SCALE) < FLOOR
    low = SCALE.__class__(SCALE.foreign, SCALE.foreign, *_rest())
    assert relevance(0.15, 0.0, 0.0, scale=low) >= FLOOR


def test_a_foreign_question_is_judged_by_the_foreign_scale() -> None:
    assert floor_scale(question("zh", "en", model=MULTILINGUAL)).unrelated == SCALE.foreign
    assert floor_scale(question("en", "en", model=MULTILINGUAL)) is SCALE


def test_an_english_model_reads_no_other_language() -> None:
    assert SCALES[GRANITE.name].foreign is None


def _rest() -> tuple[float, float, float, float]:
    return SCALE.same, SCALE.reach, SCALE.far_out, SCALE.linked_below
