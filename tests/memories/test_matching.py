"""Which memories match a question."""

import pytest

from ragd.memories.matching import Memory, MemoryMatcher, terms

KEPT = [
    Memory("debt_to_sreenivas", "I still owe Sreenivas $70.", "a.md", "2026-01-01"),
    Memory("debt_to_meera", "I owe Meera a dinner.", "b.md", "2026-01-02"),
    Memory("doorbell_idea", "A light in the kitchen in place of a sound.", "c.md", "2026-01-03"),
    Memory("欠小明", "我欠小明五百块钱。", "d.md", "2026-01-04"),
    Memory("빚", "어머니께 빚을 갚았다", "e.md", "2026-01-05"),
    Memory("Müll", "Die Straße wird am Dienstag geräumt.", "f.md", "2026-01-06"),
]


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("How much do I owe Sreenivas?", ["debt_to_sreenivas", "debt_to_meera"]),
        ("SREENIVAS", ["debt_to_sreenivas"]),
        ("the kitchen light", ["doorbell_idea"]),
        ("doorbell", ["doorbell_idea"]),
        ("doorbells", []),
        ("我欠小明多少钱？", ["欠小明"]),
        ("어머니 빚을", ["빚"]),
        ("strasse", ["Müll"]),
        ("what is it and who are you", []),
        ("", []),
        ("?! $", []),
        ("x" * 100_000, []),
    ],
)
def test_memories_that_share_words_are_found_best_first(query: str, keys: list[str]) -> None:
    assert [memory.key for memory in MemoryMatcher(KEPT).find_matching(query, 5)] == keys


def test_the_rarer_word_and_then_the_newer_memory_counts_more() -> None:
    matcher = MemoryMatcher(KEPT)
    assert [m.key for m in matcher.find_matching("owe", 5)] == [
        "debt_to_meera",
        "debt_to_sreenivas",
    ]
    assert [m.key for m in matcher.find_matching("owe 70", 1)] == ["debt_to_sreenivas"]
    assert matcher.find_matching("owe", 0) == []


def test_terms_are_words_or_pairs_in_scripts_without_spaces() -> None:
    assert terms("The light, in 小明五百") == ["light", "小明", "明五", "五百"]
    assert terms("钱 a") == ["钱"]
    assert terms("빚을 갚다") == ["빚을", "갚다"]
