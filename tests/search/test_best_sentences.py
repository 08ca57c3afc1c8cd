"""Which sentences of a passage answer a question."""

from hypothesis import given
from hypothesis import strategies as st

from ragd.search.best_sentences import KEPT, MOST, best_places, split_places

TEXT = (
    "The ferry was late again, because of the fog.\nHer brother met us at the harbour with soup."
    " We slept until noon! Nobody minded that at all."
)


def texts(text: str) -> list[str]:
    return [text[start:end] for start, end in split_places(text)]


def test_sentences_and_lines_are_apart_and_short_ones_go_with_the_next() -> None:
    assert texts(TEXT) == [
        "The ferry was late again, because of the fog.",
        "Her brother met us at the harbour with soup.",
        "We slept until noon! Nobody minded that at all.",
    ]
    assert texts("For the bell:\n- clips\n- compound that is grey and thick") == [
        "For the bell:\n- clips\n- compound that is grey and thick"
    ]
    assert texts("") == texts(" \n ") == []


@given(st.text(alphabet="ab .!?\n。", max_size=9_000))
def test_no_text_is_lost_and_the_number_of_places_is_bounded(text: str) -> None:
    places = split_places(text)
    assert len(places) <= MOST + 1
    assert "".join("".join(texts(text)).split()) == "".join(text.split())
    assert places == sorted(places)


def test_meaning_decides_and_shared_words_count_with_it() -> None:
    places = split_places(TEXT)
    first, second, third = places

    def share(text: str) -> float:
        return 1.0 if "brother" in text else 0.0

    assert best_places(TEXT, places, [0.9, 0.5, 0.6], share) == (first, second, third)
    assert best_places(TEXT, places, [0.6, 0.5, 0.4], share)[0] == second
    long = "\n".join([TEXT] * 9)
    assert len(best_places(long, split_places(long), [0.1] * 27, share)) == KEPT
