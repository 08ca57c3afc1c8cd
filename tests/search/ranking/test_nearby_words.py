"""The share of a question's words that stand near each other."""

import pytest

from ragd.search.query.query_terms import query_terms, stem_places, stems_of
from ragd.search.ranking import fusion
from ragd.search.ranking.fusion import Candidate, FusionWeights
from ragd.search.ranking.nearby_words import NEAR, share_nearby
from ragd.search.ranking.title_match import Frequencies, WordWeights, weigh_words

APART = " and so on" * (NEAR // 10)


def weights_of(question: str) -> WordWeights:
    return weigh_words(query_terms(question, len).stems, Frequencies())


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("The ferry to Leipzig was late.", 1.0),
        ("LEIPZIG, by ferry!", 1.0),
        (f"A ferry.{APART} Leipzig.", 0.5),
        (f"A ferry.{APART} Leipzig, without a ferry.", 1.0),
        ("Two ferry rides.", 0.5),
        ("A boat.", 0.0),
        ("", 0.0),
    ],
)
def test_words_count_only_if_they_stand_near_each_other(text: str, share: float) -> None:
    assert share_nearby(weights_of("ferry Leipzig"), (), text) == pytest.approx(share)


def test_a_word_of_a_name_counts_everywhere_in_the_passage() -> None:
    text = f"{APART} a ferry {APART}"
    assert share_nearby(weights_of("ferry Leipzig"), ("Leipzig 2024",), text) == pytest.approx(1.0)


def test_chinese_words_are_compared_in_pairs() -> None:
    assert share_nearby(weights_of("手机号码"), (), "她的手机号码变了") == pytest.approx(1.0)


@pytest.mark.parametrize(
    "text", ["Ferry, ferries; ferrying", "Fähre, Fähren: eine Fährt", "手机号码"]
)
def test_the_places_are_where_the_stems_are(text: str) -> None:
    stems = stems_of(text)
    places = stem_places(text, stems)
    assert {stem for _, stem in places} == stems
    assert places == sorted(places)
    assert all(stems_of(text[at:]) >= {stem} for at, stem in places)


def test_a_passage_with_the_words_in_one_place_comes_first() -> None:
    scattered = Candidate("scattered", "x.md", bm25=9.0, nearby=0.5)
    together = Candidate("together", "y.md", bm25=8.8, nearby=1.0)
    found = [scattered, together]
    assert fusion.order(found, FusionWeights())[0] is scattered
    assert fusion.order(found, FusionWeights(nearby=0.22))[0] is together
    assert together.from_nearby == pytest.approx(0.22)
