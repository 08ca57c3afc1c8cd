"""Stems of words in their own language."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import Stemmer

from ragd.notes.stems import has_stems, stemmed, stems


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("ru", "ключи от квартиры", "ключами квартиру"),
        ("ru", "новая книга", "новую книгу"),
        ("ar", "الكتاب في المكتبة", "كتاب مكتبة"),
        ("es", "las canciones favoritas", "canción favorito"),
        ("de", "die Häuser der Gärten", "Haus Garten"),
        ("fr", "les chevaux rapides", "cheval rapide"),
        ("it", "le strade perdute", "strada perduto"),
    ],
)
def test_forms_of_a_word_share_a_stem(language: str, one: str, other: str) -> None:
    assert len(index_tokens(one, language) & index_tokens(other, language)) >= len(other.split())


def index_tokens(text: str, language: str) -> set[str]:
    """The tokens of a text: the index stems every word as if it were English."""
    words = f"{text.lower()} {stems(text, language)}".split()
    return set(Stemmer.Stemmer("english").stemWords(words))


def test_english_and_unknown_languages_have_none() -> None:
    for language in ("en", "zh", "xx", None):
        assert stems("running houses", language) == ""
        assert not has_stems(language)


def test_stems_of_the_english_stemmer_are_left_out() -> None:
    assert "auto" not in stems("Autos", "de").split()


def test_threads_do_not_disturb_each_other() -> None:
    text = "Die Häuser der Freundinnen standen neben alten Gärten. " * 50
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(stems, [text] * 40, ["de"] * 40))) == 1


def test_a_question_has_each_word_once() -> None:
    assert stemmed("Wo stehen Häuser, und Autos?", "de") == "Wo steh haus, und Autos?"
    assert stemmed("Où sont les chevaux", None) == "Où sont les chevaux"
    assert stemmed("الكِتاب", "ar") == "كتاب"
