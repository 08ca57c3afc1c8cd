"""Windows over long text."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragd.notes.windows import Limits, windows
from ragd.notes.wordpiece import WordPiece

PROSE = "The quick brown fox jumps over the lazy dog. It was not seen again! Was it? "


def cut(text: str, limits: Limits, wordpiece: WordPiece) -> list[str]:
    return [text[start:end] for start, end in windows(text, limits, wordpiece.count)]


def test_prose_is_cut_after_sentences(wordpiece: WordPiece) -> None:
    found = cut((PROSE * 40).strip(), Limits(100, 40, 2000), wordpiece)
    assert len(found) > 5
    assert all(part[-1] in ".!?" for part in found)
    assert all(part.startswith(("The quick", "It was", "Was it")) for part in found)


def test_lines_are_cut_after_lines(wordpiece: WordPiece) -> None:
    lines = [f"- item {number} with some words" for number in range(200)]
    for part in cut("\n".join(lines), Limits(100, 20, 2000), wordpiece):
        assert set(part.split("\n")) <= set(lines)


def test_windows_are_well_filled(wordpiece: WordPiece) -> None:
    found = cut((PROSE * 60).strip(), Limits(100, 20, 2000), wordpiece)
    assert all(wordpiece.count(part) >= 50 for part in found[:-1])


def test_a_word_longer_than_a_window_is_split_without_loss(wordpiece: WordPiece) -> None:
    word = "abcdefghij" * 500
    found = cut(f"before {word} after", Limits(500, 0, 2000), wordpiece)
    assert "".join(found).replace(" ", "") == f"before{word}after"
    assert all(len(part) <= 2000 for part in found)


def test_a_long_address_is_cut_at_its_marks(wordpiece: WordPiece) -> None:
    address = "https://example.com/" + "some-part/" * 400
    found = cut(address, Limits(500, 0, 2000), wordpiece)
    assert "".join(found) == address
    assert all(part[-1] in "/-" for part in found[:-1])


def test_text_without_spaces_is_cut_after_its_sentences(wordpiece: WordPiece) -> None:
    text = "今日は天気がいいですね。散歩に行きましょう。" * 60
    found = cut(text, Limits(100, 20, 2000), wordpiece)
    assert all(part.endswith("。") for part in found)
    assert all(wordpiece.count(part) <= 100 for part in found)


@pytest.mark.parametrize("overlap", [0, 8])
def test_text_without_spaces_is_cut_at_pauses_and_before_opening_brackets(
    wordpiece: WordPiece, overlap: int
) -> None:
    clauses = ["今日は天気がいいので、", "彼は「散歩に行く」と", "言った。", "価格は3,500円で、"]
    text = "".join(clauses) * 20
    for part in cut(text, Limits(30, overlap, 2000), wordpiece):
        assert part.endswith(("、", "。"))
        assert part.startswith(("今日は", "彼は", "価格は", "言った")) or overlap


def test_a_run_between_pauses_stays_whole_if_it_fits(wordpiece: WordPiece) -> None:
    for clause in ("今日は天気", "这是中文", "สวัสดีครับ", "日本語http://a.b/c?d=e"):
        text = "the word " + f"{clause}、" * 3 + f"and {clause}"
        for tokens in range(wordpiece.count(f"{clause}、"), 40):
            found = cut(text, Limits(tokens, 0, 2000), wordpiece)
            assert sum(part.count(clause) for part in found) == 4


def test_neighbours_share_letters_if_there_is_no_other_place_to_cut(wordpiece: WordPiece) -> None:
    text = "今日天気散歩公園桜花" * 60
    spans = list(windows(text, Limits(100, 20, 2000), wordpiece.count))
    assert len(spans) > 5
    for (_, end), (start, _) in pairwise(spans[:-1]):  # the last one has all that is left
        assert 5 <= end - start <= 20


def test_no_emoji_is_cut(wordpiece: WordPiece) -> None:
    for part in cut("👩\u200d💻❤\ufe0f" * 1500, Limits(500, 0, 2000), wordpiece):
        assert part[0] in "👩❤"
        assert part[-1] in "💻\ufe0f"


def test_no_letter_is_cut_from_its_marks(wordpiece: WordPiece) -> None:
    text = "e\u0301" * 3000
    for part in cut(text, Limits(500, 100, 2000), wordpiece):
        assert part[0] == "e"


def test_a_long_word_displaces_the_overlap(wordpiece: WordPiece) -> None:
    long_word = "/".join(["ab"] * 24)  # 47 tokens
    text = f"{PROSE * 3}{long_word} {PROSE}".strip()
    found = cut(text, Limits(50, 20, 2000), wordpiece)
    assert any(long_word in part for part in found)
    assert all(wordpiece.count(part) <= 50 for part in found)


@pytest.mark.parametrize("overlap", [0, 10, 50, 100])
def test_neighbours_share_the_configured_overlap(wordpiece: WordPiece, overlap: int) -> None:
    text = (PROSE * 100).strip()
    spans = list(windows(text, Limits(250, overlap, 2000), wordpiece.count))
    assert len(spans) > 5
    for (_, end), (start, _) in pairwise(spans):
        shared = wordpiece.count(text[start:end])
        assert shared <= overlap
        assert shared >= overlap // 3


WORDS = st.sampled_from(
    [
        "a",
        "word",
        "Sentence.",
        "really?",
        "naïve",
        "http://a.b/c?d=e",
        "日本語。",
        "漢字",
        "x" * 90,
        "한국어를",
        "สวัสดี",
        "--",
        "(so)",
        "#tag",
        "supercalifragilistic" * 3,
    ]
)
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from([" ", " ", "\n", "\n\n"])), min_size=1).map(
    lambda parts: "".join(word + space for word, space in parts).strip()
)


@settings(max_examples=150, deadline=None)
@given(
    text=TEXTS.map(lambda text: (text + "\n") * 6 + text),
    tokens=st.integers(10, 60),
    share=st.floats(0, 0.99),
    characters=st.integers(100, 400),
)
def test_windows_cover_fit_and_overlap(
    wordpiece: WordPiece, text: str, tokens: int, share: float, characters: int
) -> None:
    limits = Limits(tokens, int(tokens * share), characters)
    spans = list(windows(text, limits, wordpiece.count))
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    for start, end in spans:
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        assert end - start <= characters
        assert wordpiece.count(text[start:end]) <= tokens
    for (before, end), (start, after) in pairwise(spans):
        assert before < start <= end or not text[end:start].strip()
        assert end < after
        assert wordpiece.count(text[start:end]) <= limits.overlap


@pytest.mark.parametrize("bit", ["\u0301", "\u200d", "a" + "\u0301" * 60, "👩\u200d", "\ufe0f"])
def test_endless_marks_and_joiners_are_cut(wordpiece: WordPiece, bit: str) -> None:
    text = "x" + bit * (60_000 // len(bit)) + "x"
    found = list(windows(text, Limits(500, 100, 2000), wordpiece.count))
    assert len(found) <= 2 * len(text) // 2000
    assert found[0][0] == 0 and found[-1][1] == len(text)
    assert all(later[0] <= earlier[1] for earlier, later in pairwise(found))


def test_a_letter_with_its_marks_and_a_family_of_emoji_stay_whole(wordpiece: WordPiece) -> None:
    family = "👩🏽\u200d❤\ufe0f\u200d💋\u200d👩🏿"
    for letter in ("e\u0301\u0323", family):
        text = letter * (6_000 // len(letter))
        for start, end in windows(text, Limits(500, 0, 2000), wordpiece.count):
            assert start % len(letter) == 0 and end % len(letter) == 0
