"""Fusion, relevance, and the terms of a question."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from ragd.embed.providers.embedder_port import pack
from ragd.embed.providers.shipped_models import MULTILINGUAL
from ragd.notes.wordpiece import WordPiece
from ragd.search.dates import Span, closeness
from ragd.search.query.query_terms import query_terms
from ragd.search.ranking import fusion
from ragd.search.ranking.cosine_scale import DEFAULT_SCALE, SCALES, CosineScale
from ragd.search.ranking.fusion import Candidate, FusionWeights, vector_trust
from ragd.search.ranking.relevance import FLOOR, relevance
from ragd.search.ranking.title_match import Frequencies, count_frequencies, weigh_words
from ragd.search.results import obsidian_link
from ragd.store.lance import cosines


class Hit(Struct, frozen=True):
    chunk_id: str
    score: float
    source_file: str = "x.md"
    text_key: bytes = b""
    names: tuple[str, ...] = ()
    vector: bytes | None = None
    language: str | None = None


def hits(**scores: float) -> list[Hit]:
    return sorted((Hit(name, s) for name, s in scores.items()), key=lambda hit: -hit.score)


def order(found: list[Candidate]) -> str:
    return "".join(one.chunk_id for one in found)


def fused(
    vector: list[Hit], text: list[Hit], weights: FusionWeights, timely: tuple[str, ...] = ()
) -> list[Candidate]:
    found = fusion.gather(vector, text)
    for chunk_id in found.keys() & timely:
        found[chunk_id].closeness = 1.0
    return fusion.order(found.values(), weights)


def by_ranks(vector: list[Hit], text: list[Hit], *timely: str) -> list[Candidate]:
    return fused(vector, text, FusionWeights(by_ranks=True), timely)


def by_weights(
    vector: list[Hit], text: list[Hit], of_vector: float, of_text: float, *timely: str
) -> list[Candidate]:
    return fused(vector, text, FusionWeights(of_vector, of_text), timely)


def test_by_ranks_passages_of_both_lookups_come_first() -> None:
    found = by_ranks(hits(a=0.9, b=0.8), hits(b=9.0, c=8.0))
    assert order(found) == "bac"
    assert (found[0].cosine, found[0].bm25) == (0.8, 9.0)
    assert (found[1].cosine, found[1].bm25) == (0.9, None)


def test_by_weights_a_lookup_without_weight_has_no_effect() -> None:
    vector, text = hits(a=0.9, b=0.5, c=0.1), hits(c=9.0, b=3.0)
    assert order(by_weights(vector, text, 1, 0)) == "abc"
    assert order(by_weights([], text, 0.5, 0.5)) == "cb"
    assert order(by_weights(vector, [], 0.5, 0.5)) == "abc"


def test_by_weights_nearly_equal_cosines_have_little_effect() -> None:
    words = hits(b=10.0, a=8.0)
    assert order(by_weights(hits(a=0.52, b=0.51, c=0.50), words, 0.5, 0.5))[0] == "b"
    assert order(by_weights(hits(a=0.72, b=0.21, c=0.20), words, 0.5, 0.5))[0] == "a"


def test_meaning_weighs_less_where_the_model_cannot_read() -> None:
    assert vector_trust(1.0) == 1.0 and vector_trust(0.0) == pytest.approx(0.3)
    assert vector_trust(0.2) < vector_trust(0.8)


def test_passages_of_the_named_time_move_up_but_not_above_everything() -> None:
    vector, text = hits(a=0.9, b=0.6, c=0.1), hits(a=10.0, b=6.0, c=1.0)
    assert order(by_ranks(vector, text, "b")) == "bac"
    assert order(by_weights(vector, text, 0.5, 0.5, "b")) == "bac"
    found = fusion.gather(vector, text)
    found["c"].closeness = 0.5  # some days later, or within a named year
    assert order(fusion.order(found.values(), FusionWeights(0.5, 0.5))) == "acb"
    assert by_weights([], [], 0.5, 0.5, "a") == []


def test_dated_passages_of_other_times_move_down_if_some_are_of_the_named_time() -> None:
    def ranked(closeness: float) -> str:
        found = fusion.gather([], hits(a=10.0, b=8.0, c=3.0))
        found["a"].date = "2020-10-29"
        found["c"].closeness = closeness
        return order(fusion.order(found.values(), FusionWeights(0.5, 0.5)))

    assert ranked(0.0) == "abc"  # no time is named, or nothing is of that time
    assert ranked(0.55).index("b") < ranked(0.55).index("a")


def candidate(name: str, note: str, **evidence: object) -> Candidate:
    return Candidate(name, note, **evidence)  # type: ignore[arg-type]


def test_the_words_of_a_note_s_names_move_its_passages_up() -> None:
    found = [
        candidate("a", "a.md", bm25=10.0),
        candidate("b", "b.md", bm25=8.0, title_cover=1.0),
        candidate("c", "c.md", bm25=8.0, note_words=1.0),
    ]
    assert order(fusion.order(found, FusionWeights(0.5, 0.5))) == "abc"
    assert order(fusion.order(found, FusionWeights(0.5, 0.5, title=0.2, note=0.15))) == "bca"


def test_the_best_passage_of_a_note_with_exactly_that_name_is_first() -> None:
    found = [
        candidate("a", "a.md", bm25=10.0),
        candidate("b", "b.md", bm25=1.0, exact_title=True),
        candidate("c", "b.md", bm25=2.0, exact_title=True),
    ]
    assert order(fusion.order(found, FusionWeights(0.5, 0.5))) == "cab"


def test_a_passage_that_carries_the_tag_comes_before_the_rest_of_its_note() -> None:
    found = [candidate("a", "a.md", bm25=10.0), candidate("b", "a.md", bm25=1.0, tagged=True)]
    assert order(fusion.order(found, FusionWeights(0.5, 0.5))) == "ba"


def test_passages_found_by_words_get_their_cosine() -> None:
    asked, near = pack([1.0, 0.0]), pack([1.0, 1.0])
    text = [Hit("b", 3.0, vector=near), Hit("c", 2.0, vector=None), Hit("a", 1.0, vector=near)]
    found = fusion.gather([Hit("a", 0.9)], text)
    fusion.add_cosines(found, cosines(asked, fusion.vectors_without_cosine(found, text)))
    each = {name: one.cosine for name, one in found.items()}
    assert each == {"a": 0.9, "b": pytest.approx(0.5**0.5), "c": None}
    assert cosines(asked, {}) == {}


def test_a_note_with_several_good_passages_is_better_than_its_best_one() -> None:
    text = [Hit("a", 4.0, "a.md"), Hit("b", 3.0, "b.md"), Hit("c", 3.0, "b.md")]
    found = fusion.gather([], text)
    fusion.add_note_words(found)
    assert found["b"].note_words == found["c"].note_words == 1.0
    assert found["a"].note_words == pytest.approx(4 / 4.5)


def test_rare_words_of_a_name_count_more_than_common_ones() -> None:
    known = count_frequencies(["the plan"] * 90 + ["a heron"] * 2 + ["something"] * 8)
    stems = frozenset({"plan", "heron"})
    heron, plan = (weigh_words(stems, known).share_in_names([name]) for name in ("Heron", "Plan"))
    assert 0 < plan < heron < 1
    assert weigh_words(stems, known).share_in_names(["plan_ofHerons"]) == 1.0
    assert weigh_words(stems, known).share_in_names(["Boat", "Herons", "Plan"]) == heron
    assert (
        weigh_words(frozenset(), known).share_in_names(["Plan"])
        == weigh_words(stems, known).share_in_names([])
        == 0.0
    )
    assert weigh_words(stems, Frequencies()).share_in_names(["Plan"]) == 0.5


SCORES = st.lists(st.floats(-1, 1, width=32), max_size=60)


@given(SCORES, SCORES)
def test_fusion_keeps_every_hit_once_in_a_stable_order(
    one: list[float], other: list[float]
) -> None:
    vector = hits(**{f"v{n}": s for n, s in enumerate(one)})
    text = hits(**{f"v{n}": s + 1 for n, s in enumerate(other)})
    for found in (by_ranks(vector, text), by_weights(vector, text, 0.5, 0.5)):
        ids = [candidate.chunk_id for candidate in found]
        assert sorted(ids) == sorted({hit.chunk_id for hit in (*vector, *text)})
        weights = [candidate.weight for candidate in found]
        assert weights == sorted(weights, reverse=True)


# Relevance

SHARE = st.floats(0, 1)


@given(st.floats(-1, 1), SHARE, SHARE, st.sampled_from([DEFAULT_SCALE, *SCALES.values()]))
def test_a_score_is_between_0_and_1_and_more_of_anything_is_never_less(
    cosine: float, words: float, readable: float, scale: CosineScale
) -> None:
    score = relevance(cosine, words, readable, scale=scale)
    assert 0 <= score <= 1
    assert score >= relevance(None, words, readable, scale=scale)
    assert score >= relevance(cosine - 0.1, words, readable, scale=scale)
    assert score >= relevance(cosine, words / 2, readable, scale=scale)
    assert score >= relevance(cosine, words, readable / 2, scale=scale)


def test_random_letters_need_a_higher_cosine_than_words() -> None:
    letters = relevance(0.36, 0.0, readable=0.0, scale=DEFAULT_SCALE)
    assert letters < FLOOR < relevance(0.30, 0.0, readable=1.0, scale=DEFAULT_SCALE)


def test_a_passage_of_the_right_time_is_shown_without_other_evidence() -> None:
    nothing = relevance(None, 0.0, 1.0, scale=DEFAULT_SCALE)
    assert nothing < FLOOR < relevance(None, 0.0, 1.0, closeness=1.0, scale=DEFAULT_SCALE)


@pytest.mark.parametrize("last", ["2025-09-03", "2025-09-30", "2025-11-30", "2026-08-31"])
def test_a_passage_of_a_named_time_is_shown_however_long_that_time_is(last: str) -> None:
    """ "How did I feel last autumn?": the notes of the time rarely say "feel"."""
    spans = [Span(date(2025, 9, 1), date.fromisoformat(last))]

    def shown(day: str) -> bool:
        near = closeness(date.fromisoformat(day), spans)
        return relevance(None, 0.0, 1.0, closeness=near, scale=DEFAULT_SCALE) >= FLOOR

    assert shown("2025-09-02")
    assert not shown("2025-05-02")


# The terms of a question


def test_content_words_are_all_but_function_words(wordpiece: WordPiece) -> None:
    found = query_terms("What did I write about the Doorbell's battery, and when?", wordpiece.count)
    assert found.content_words == "write Doorbell's battery,"
    assert found.stems == {"write", "doorb", "batte"}
    assert found.share_in("Doorbells", "two BATTERIES") == pytest.approx(2 / 3)
    assert found.share_in("") == 0.0


def test_a_question_of_only_function_words_keeps_them(wordpiece: WordPiece) -> None:
    found = query_terms("The Who", wordpiece.count)
    assert found.content_words == "The Who"
    assert found.share_in("a record by The Who") == 1.0


@pytest.mark.parametrize(
    ("question", "content_words"),
    [
        ("What did I read about the war?", "read war?"),
        ("Wo war der Kater gestern?", "Kater gestern?"),
        ("war museum", "war museum"),
        ("my son has a hat", "son hat"),
        ("où est le chat de la voisine", "chat voisine"),
        ("war", "war"),
    ],
)
def test_a_function_word_is_one_in_its_own_language_only(
    wordpiece: WordPiece, question: str, content_words: str
) -> None:
    assert query_terms(question, wordpiece.count).content_words == content_words


def test_accents_width_and_case_do_not_matter(wordpiece: WordPiece) -> None:
    assert query_terms("eine KÜCHE für Café", wordpiece.count).share_in("kuche cafe") == 1.0
    assert query_terms("ＡＳＳＡＭ", wordpiece.count).share_in("assam") == 1.0


def test_chinese_and_korean_are_read_in_pairs(wordpiece: WordPiece) -> None:
    assert query_terms("机器学习", wordpiece.count).stems == {"机器", "器学", "学习"}
    assert query_terms("도서관에서", wordpiece.count).share_in("도서관") == pytest.approx(2 / 4)


def test_words_outside_the_vocabulary_are_not_readable(wordpiece: WordPiece) -> None:
    assert query_terms("how was my mental health?", wordpiece.count).readable == 1.0
    assert query_terms("zmxncb qwpoei", wordpiece.count).readable < 0.3
    assert query_terms("机器学习", wordpiece.count).readable == 0.0


@given(st.text(max_size=200))
def test_any_text_has_valid_terms(text: str) -> None:
    found = query_terms(text, len)
    assert 0 <= found.share_in(text) <= 1
    assert 0 <= found.readable <= 1


# How a result is cited


def test_a_link_opens_the_note_and_a_pdf_at_its_page() -> None:
    assert obsidian_link("My vault", "Küche/a&b#1.md") == (
        "obsidian://open?vault=My%20vault&file=K%C3%BCche%2Fa%26b%231.md"
    )
    assert obsidian_link("v", "a.pdf", "page=3") == (
        "obsidian://open?vault=v&file=a.pdf%23page%3D3"
    )
    assert obsidian_link("v", "a.canvas", "node=1") == "obsidian://open?vault=v&file=a.canvas"


def test_neighbouring_words_are_also_looked_up_as_one() -> None:
    asked = query_terms("How was my mental health?", len).full_text_words(())
    assert "mentalhealth" in asked.split()
    assert "goto" not in query_terms("go to", len).full_text_words(()).split()


def test_words_that_only_ask_are_not_looked_up() -> None:
    asked = query_terms("Where did I mention Palermo in my notes?", len)
    assert asked.full_text_words(()).lower().split() == ["palermo"]
    assert query_terms("my notes", len).full_text_words(()) == "notes"  # nothing else is asked


@pytest.mark.parametrize(
    "question",
    ["journey to Lisbon", "writer in residence", "Geschenk für Mama", "Schreibtisch", "Notizbuch"],
)
def test_words_that_begin_like_asking_ones_are_looked_up(question: str) -> None:
    terms = query_terms(question, len)
    assert question.split()[0] in terms.full_text_words(()).split()
    assert terms.key_stems == terms.stems


def test_a_part_of_a_question_has_the_function_words_of_the_whole() -> None:
    whole = "Was habe ich über die Steuer geschrieben?"
    assert query_terms("die Steuer", len, whole).content_words == "Steuer"


def test_words_weigh_less_if_no_passage_has_many_of_them() -> None:
    def weighs(*covers: float | None) -> float:
        found = [candidate(f"{at}", "x.md", bm25=9.0) for at in range(len(covers))]
        for one, cover in zip(found, covers, strict=True):
            one.cover = cover
        trusted = fusion.trust_words(FusionWeights(text=0.5, note=0.1), found, 0.2)
        assert trusted.note == pytest.approx(trusted.text / 5)
        return trusted.text

    assert weighs(0.1, 1.0) == 0.5
    assert weighs() == 0.5  # nothing was found by words
    assert weighs(0.5, 0.1) == pytest.approx(0.177, abs=0.001)
    assert weighs(0.0, None) == 0.125  # at least a quarter


def test_a_single_word_weighs_in_full_in_another_form() -> None:
    found = [
        candidate("a", "x.md", bm25=9.0)
    ]  # "jog" has found "jogging", so the share is not known
    assert fusion.trust_words(FusionWeights(text=0.5), found, 1.0).text == 0.5


def test_a_passage_by_meaning_comes_before_a_chance_match_of_words() -> None:
    found = fusion.gather(hits(meant=0.72, chance=0.60), hits(chance=9.0))
    found["chance"].cover = 0.2
    weights = FusionWeights(reach=0.125)
    assert order(fusion.order(found.values(), weights)) == "chancemeant"
    trusted = fusion.trust_words(weights, found.values(), 0.2)
    assert order(fusion.order(found.values(), trusted)) == "meantchance"


def test_a_passage_with_one_near_sentence_is_above_the_floor() -> None:
    scale = SCALES[MULTILINGUAL.name]

    def fit(unit: float | None) -> float:
        found = candidate("a", "x.md", cosine=0.15, unit_cosine=unit)
        return relevance(fusion.best_cosine(found), 0.0, 1.0, scale=scale)

    assert fit(None) < FLOOR
    assert fit(0.49) >= FLOOR
    assert fit(0.1) == fit(None)  # a unit takes nothing away


def test_a_passage_with_more_of_the_questions_words_comes_first() -> None:
    known = count_frequencies(["a ferry to Leipzig", "a ferry to Rome"])
    texts = {"a": "the ferry, the ferry, the ferry", "b": "a ferry to Leipzig"}
    found = fusion.gather((), hits(a=9.0, b=8.0))
    for one in found.values():
        one.text = texts[one.chunk_id]
    stems = query_terms("ferry Leipzig", len).stems
    fusion.add_covers(found, hits(a=9.0, b=8.0), weigh_words(stems, known).share_in_text)
    assert found["b"].cover == 1.0
    assert order(fusion.order(found.values(), FusionWeights(text=0.5))) == "ab"
    assert order(fusion.order(found.values(), FusionWeights(text=0.5, cover=0.4))) == "ba"


def test_names_of_a_note_count_as_words_of_its_passages() -> None:
    found = fusion.gather((), hits(a=9.0))
    named = [Hit("a", 9.0, names=("Leipzig",))]
    stems = query_terms("Leipzig", len).stems
    fusion.add_covers(found, named, weigh_words(stems, Frequencies()).share_in_text)
    assert found["a"].cover == 1.0


def test_a_note_with_thousands_of_found_passages_is_weighed() -> None:
    found = {f"{at}": candidate(f"{at}", "log.md", bm25=1.0) for at in range(3_000)}
    fusion.add_note_words(found)
    assert found["0"].note_words == 1.0


def test_a_passage_in_another_language_is_weighed_by_meaning() -> None:
    """Its words cannot match, so meaning gets their weight. Where a language is not known, nothing
    changes."""
    vector = [
        Hit("g", 0.55, language="de"),
        Hit("e", 0.4, language="en"),
        Hit("u", 0.4),
        Hit("n", 0.1, language="en"),
    ]
    text = [Hit("e", 9.0, language="en"), Hit("u", 9.0)]
    weights = FusionWeights(0.5, 0.5, reach=0.5, foreign=0.5)

    def ranked(language: str | None) -> str:
        candidates = fusion.gather(vector, text)
        fusion.mark_foreign(candidates, vector, language)
        return order(fusion.order(candidates.values(), weights))

    assert ranked("en") == "geun"
    assert ranked(None) == "eugn"
    assert ranked("de") == "eugn"


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("How did I feel?", True),
        ("what was going on", True),
        ("Wie ging es mir?", True),
        ("Was ist passiert?", True),
        ("How did I feel about Leipzig?", False),
        ("What did Ben do?", False),
        ("submarine", False),
    ],
)
def test_some_questions_ask_for_everything_of_their_time(question: str, asks: bool) -> None:
    assert query_terms(question, len).asks_what_happened is asks
