"""The unigram segmenter: the ids that the SentencePiece library gives for the same model."""

from itertools import pairwise

import pytest

from ragd.embed.worker import multilingual_weights as carrier
from ragd.embed.worker import unigram, word_cache
from ragd.embed.worker.unigram import Unigram
from ragd.embed.worker.word_cache import WordCache

# Made with the library `sentencepiece` 0.2 and the same model file.
EXPECTED = {
    "The cat sleeps on the warm windowsill.": [76, 2665, 3889, 9, 54, 12, 6439, 4343, 31053, 8],
    "Der Zug nach Köln fährt erst um halb neun.": [
        1248,
        36932,
        768,
        28999,
        49664,
        3884,
        168,
        30464,
        56773,
        8,
    ],
    "我昨天在图书馆借了两本书。": [325, 8237, 405, 171, 84348, 1857, 127, 2713, 741, 3308, 27],
    "Вчера я забыл зонт в поезде.": [
        516,
        45234,
        1459,
        624,
        63724,
        6,
        47798,
        1698,
        117,
        380,
        38685,
        8,
    ],
    "نسيت مظلتي في القطار أمس.": [
        7219,
        115145,
        1150,
        124500,
        968,
        202,
        350,
        106689,
        2444,
        30519,
        8,
    ],
    "昨日、電車に傘を忘れました。": [6, 8237, 321, 24, 18950, 147, 40833, 153, 4429, 1108, 628, 27],
    "어제 기차에 우산을 두고 내렸어요.": [
        16669,
        5582,
        8045,
        7095,
        657,
        15937,
        107821,
        75081,
        11742,
        65229,
        3403,
        13475,
        8,
    ],
    "  two  spaces\tand a\nline ": [537, 28742, 17, 10, 1754],
    "ｆｕｌｌ\u3000ｗｉｄｔｈ ①② ﬁne é é": [1969, 16050, 488, 1668, 165, 165],
    "😀😀 ok\u200bzero ～ ": [6, 0, 2116, 7697, 6, 890],
    "札木合 翁吉剌惕": [6, 13582, 1919, 817, 6, 40084, 3661, 0],
    "<s> [SEP] </s>": [87, 9, 65, 6, 370, 3482, 550, 361, 6372, 9, 65],
}


@pytest.fixture(scope="module")
def cache() -> WordCache:
    return WordCache()


@pytest.fixture(scope="module")
def pieces(cache: WordCache) -> Unigram:
    return Unigram((carrier.folder() / carrier.PIECES).read_bytes(), cache)


@pytest.mark.parametrize("text", EXPECTED)
def test_ids_equal_those_of_the_reference(pieces: Unigram, text: str) -> None:
    assert pieces.ids(text) == EXPECTED[text]
    assert pieces.ids(text) == EXPECTED[text]  # the second time from the cache


def test_a_text_without_words_has_no_ids(pieces: Unigram) -> None:
    assert pieces.ids("") == pieces.ids(" \n\t\u3000") == []


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("The cat sleeps. It purrs!", ["The cat sleeps.", "It purrs!"]),
        ("one line\nand another", ["one line", "and another"]),
        ("Pi is 3.14 here", ["Pi is 3.14 here"]),
        ("我借了两本书。我喜欢它们！", None),
        ("(She left.) Why?", ["(She left.)", "Why?"]),
    ],
)
def test_sentences_and_lines_end_at_their_last_token(
    pieces: Unigram, text: str, sentences: list[str] | None
) -> None:
    ids, ends = pieces.sentences(text)
    assert ids == pieces.ids(text)
    assert ends[-1] == len(ids)
    if sentences is None:  # without spaces, a mark is found among the pieces of a run
        assert len(set(ends)) == 2
        return
    cuts = sorted({0, *ends})
    parts = [ids[start:end] for start, end in pairwise(cuts)]
    assert parts == [pieces.ids(sentence) for sentence in sentences]


def test_control_tokens_cannot_be_forged(pieces: Unigram) -> None:
    forged = pieces.ids("<s> </s> <unk> extra_token_id_1")
    assert not {unigram.START, unigram.END, 3} & set(forged)


def test_the_cache_is_bounded(
    pieces: Unigram, cache: WordCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_cache, "CACHE_WORDS", 10)
    words = [f"word{number}" for number in range(100)]
    first = [pieces.ids(word) for word in words]
    assert [pieces.ids(word) for word in words] == first
    assert len(cache.recent) <= 10


def test_a_very_long_word_is_cut_but_not_kept(pieces: Unigram, cache: WordCache) -> None:
    word = "ab" * 5_000
    assert len(pieces.ids(word)) > 1_000
    assert word not in cache.recent
