"""`stems_in` finds the same stems as splitting the whole text does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.search.query.query_terms import content_stems, stems_in, stems_of

TEXTS = [
    "Type_hints and type-hints, the “cat’s” cats; catalogue 3.14.",
    "Die Größe der Brücke über dem Fluß, GRÖSSE, grosse.",
    "机器学习 is machine learning, 中文abc 猫, 大 人",
    "한국어 노트와 note, ｆｕｌｌ width",
    "Straße café café naïve Ångström İstanbul",
    "Gifts and a gift, ideas, an idea, ideasx, news and new, the gas, 1990s, glass, menus, Texas",
    "母・大 \u6bcd\ud7fc",  # a middle dot, and a character that is none
    "",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("other", TEXTS)
def test_the_stems_of_one_text_in_another(text: str, other: str) -> None:
    stems = stems_of(other)
    assert stems_in(text, stems) == stems & stems_of(text)


@given(st.text(max_size=60), st.text(max_size=30))
def test_the_stems_of_any_text_in_any_other(text: str, other: str) -> None:
    stems = stems_of(f"{other} {text[:20]}")
    assert stems_in(text, stems) == stems & stems_of(text)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("gift", "gifts", True),
        ("idea", "Ideas", True),
        ("cat", "cats", True),
        ("house", "houses", True),
        ("new", "news", False),
        ("glas", "glass", False),
        ("thi", "this", False),
        ("not", "note", False),
    ],
)
def test_a_short_plural_has_the_stem_of_its_singular(one: str, other: str, alike: bool) -> None:
    assert (stems_of(one) == stems_of(other)) is alike


@pytest.mark.parametrize(
    ("part", "question", "stems"),
    [
        ("the leaf processing", "types of tea but not the leaf processing", {"leaf", "proce"}),
        ("die Sahne", "Suppen mit Kürbis aber ohne die Sahne", {"sahne"}),
        ("the who", "bands except the who", {"the", "who"}),
    ],
)
def test_a_part_of_a_question_keeps_its_content_words(
    part: str, question: str, stems: set[str]
) -> None:
    assert content_stems(part, question) == stems
