"""The byte-level BPE: the ids that the library `tokenizers` gives for the same vocabulary."""

from itertools import pairwise

import pytest

from ragd.embed.worker import granite_weights as carrier
from ragd.embed.worker import word_cache
from ragd.embed.worker.byte_pairs import BytePairs, byte_characters
from ragd.embed.worker.word_cache import WordCache

# Made with the library `tokenizers` 0.23 and the same file, control tokens taken as text.
# fmt: off
EXPECTED = {
    "The cat sleeps on the warm windowsill.": [133, 4758, 36831, 15, 5, 3279, 6410, 1873, 4],
    " two  spaces\t and\n\n\nlines \n": [
        80, 1437, 5938, 50117, 8, 50140, 50118, 11723, 1437, 50118,
    ],
    "it's we're they'll I'D 'tis": [405, 18, 52, 214, 51, 581, 38, 108, 495, 128, 42334],
    "snake_case __init__ 3.14 10⁵ ½ Ⅷ": [
        22617, 5113, 1215, 11173, 27148, 25153, 30529, 155, 4, 1570, 158, 40669, 8906, 18430, 14333,
        5782, 6248,
    ],
    "café naïve e\u0301": [438, 2001, 1140, 39300, 364, 44025, 10172],
    "日本語のノート 一二三": [
        47954, 8210, 44636, 11582, 48537, 17772, 48018, 49330, 48943, 23133, 1437, 48105, 46499,
        14285, 49442,
    ],
    "한국어 👩\u200d👧 😀": [
        48589, 48, 46873, 8906, 12410, 43998, 25448, 20024, 26964, 15375, 17, 8384, 31193, 6248,
        17841, 7471,
    ],
    "a\x00b\x1cc\xa0d\u3000e": [102, 50108, 428, 50136, 438, 50141, 417, 48516, 7471, 242],
    "<s> </s> <mask>": [41552, 29, 15698, 49703, 29, 15698, 28696, 43776, 15698],
    "نص عربي": [31746, 21593, 8906, 25790, 9253, 29434, 41117, 26174],
    "pneumonoultramicroscopicsilicovolcanoconiosis": [
        642, 45042, 261, 39513, 4040, 46473, 3866, 1517, 2857, 22586, 1417, 1168, 7424, 33955,
        38115,
    ],
}
# fmt: on


@pytest.fixture(scope="module")
def tokens() -> carrier.Tokens:
    return carrier.load(carrier.folder())[1]


@pytest.fixture(scope="module")
def pieces(tokens: carrier.Tokens) -> BytePairs:
    return BytePairs(tokens.vocab, tokens.merges)


@pytest.mark.parametrize("text", EXPECTED)
def test_ids_are_those_of_the_reference(pieces: BytePairs, text: str) -> None:
    assert pieces.ids(text) == EXPECTED[text]
    assert pieces.ids(text) == EXPECTED[text], "and again from the cache"


def test_nothing_has_no_ids(pieces: BytePairs) -> None:
    assert pieces.ids("") == []


@pytest.mark.parametrize("text", ["", *EXPECTED, "x" * 5_000, "qzjxkvbw" * 2_000, "half \ud800"])
def test_every_byte_is_in_one_token(pieces: BytePairs, tokens: carrier.Tokens, text: str) -> None:
    """No byte is unknown or lost, even in very long words."""
    characters = byte_characters()
    names = {number: name for name, number in tokens.vocab.items()}
    joined = "".join(names[number] for number in pieces.ids(text))
    data = bytes(characters.index(character) for character in joined)
    assert data == text.encode("utf-8", "replace")


def test_a_note_cannot_forge_a_control_token(pieces: BytePairs) -> None:
    found = pieces.ids("<s> <pad> </s> <unk> <mask>")
    assert not {0, 1, 2, 3, 50264} & set(found)


def test_the_cache_is_bounded_and_gives_the_same(
    tokens: carrier.Tokens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_cache, "CACHE_WORDS", 4)
    cache = WordCache()
    small = BytePairs(tokens.vocab, tokens.merges, cache)
    for _ in range(2):
        for text, expected in EXPECTED.items():
            assert small.ids(text) == expected
    assert len(cache.recent) <= 4
    assert len(cache.older) <= 4


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("The cat sleeps. It purrs!", ["The cat sleeps.", " It purrs!"]),
        ("one line\nand another", ["one line", "\nand another"]),
        ("Pi is 3.14 here", ["Pi is 3.14 here"]),
        ('"She left." Why?', ['"She left."', " Why?"]),
    ],
)
def test_sentences_and_lines_end_at_their_last_token(
    pieces: BytePairs, text: str, sentences: list[str]
) -> None:
    ids, ends = pieces.sentences(text)
    assert ids == pieces.ids(text)
    parts = [ids[start:end] for start, end in pairwise(sorted({0, *ends}))]
    assert parts == [pieces.ids(sentence) for sentence in sentences]
