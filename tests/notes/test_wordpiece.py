"""WordPiece; the expected ids were made once with the reference library, `tokenizers`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.notes import wordpiece as module
from ragd.notes.wordpiece import WordPiece
from tests.containers import largest_container


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", []),
        (
            "Hello, World! It's 2024-01-15.",
            [7592, 1010, 2088, 999, 2009, 1005, 1055, 16798, 2549, 1011, 5890, 1011, 2321, 1012],
        ),
        ("naïve café Über résumé", [15743, 7668, 19169, 13746]),
        ("日本語と漢字", [1864, 1876, 1950, 1666, 1904, 100]),
        ("한국어", [1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008]),
        (
            "unaffable supercalifragilistic",
            [14477, 20961, 3468, 3565, 9289, 10128, 29181, 24411, 4588],
        ),
        ("Привет мир", [1194, 16856, 10325, 25529, 15290, 22919, 1191, 10325, 16856]),
        (
            "http://example.com/a?b=c",
            [8299, 1024, 1013, 1013, 2742, 1012, 4012, 1013, 1037, 1029, 1038, 1027, 1039],
        ),
        ("ΣΊΣΥΦΟΣ", [1173, 18199, 29733, 29735, 29736, 29730, 29733]),
        ("a" * 101, [100]),
        ("👩\u200d💻 🎉", [100, 100]),
        ("C++ & $5 < 6", [1039, 1009, 1009, 1004, 1002, 1019, 1026, 1020]),
        ("tab\tnew\nline\xa0nbsp", [21628, 2047, 2240, 1050, 5910, 2361]),
        ("“quoted” — dash…", [1523, 9339, 1524, 1517, 11454, 1529]),
        ("สวัสดี", [100]),
        ("\x00\x07ok\u200bay", [3100]),
        ("ﬁne Ⅷ", [1984, 2638, 100]),
        ("don't #tag/sub_x", [2123, 1005, 1056, 1001, 6415, 1013, 4942, 1035, 1060]),
    ],
)
def test_the_ids_are_those_of_the_reference(
    wordpiece: WordPiece, text: str, ids: list[int]
) -> None:
    assert wordpiece.ids(text) == ids


def test_the_vocabulary_is_the_whole_one(wordpiece: WordPiece) -> None:
    assert wordpiece.size == 30_522
    assert (wordpiece.pad_id, wordpiece.unknown_id) == (0, 100)
    assert (wordpiece.start_id, wordpiece.end_id) == (101, 102)


def test_a_note_cannot_forge_a_special_token(wordpiece: WordPiece) -> None:
    assert not {0, 101, 102, 103} & set(wordpiece.ids("[CLS] [SEP] [PAD] [MASK]"))


@given(text=st.text())
def test_the_count_is_the_number_of_ids(wordpiece: WordPiece, text: str) -> None:
    assert wordpiece.count(text) == len(wordpiece.ids(text))


@given(text=st.text(st.characters(max_codepoint=127)))
def test_ascii_has_no_more_tokens_than_characters(wordpiece: WordPiece, text: str) -> None:
    assert wordpiece.count(text) <= len(text)


def test_full_caches_change_nothing(wordpiece: WordPiece, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CACHE_WORDS", 8)
    small = WordPiece("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b", "##c"]))
    words = [f"a{'b' * (n % 5)}{'c' * (n % 7)}" for n in range(300)]
    for word in words + words:
        expected = len(word)
        assert small.count(f"{word}!") == expected + 1
        assert len(small.ids(f"{word}!")) == expected + 1
    assert largest_container(small) <= 8
