"""How often each word of the table occurs."""

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from ragd.store.lance.word_counts import WordCounts


def counted(*batches: Sequence[str], most: int = 1_000) -> dict[str, int]:
    counts = WordCounts(most)
    for texts in batches:
        counts.add(pa.array(texts, pa.string()))
    return counts.result()


def test_words_are_counted_whatever_is_between_them() -> None:
    texts = ["Backup, backup; (back-up) restore.", "the\u00a0backup\u2014restore\tRESTORE 2nd"]

    assert counted(texts) == {"backup": 3, "back": 1, "restore": 3, "the": 1}


def test_words_of_all_batches_are_added_up() -> None:
    assert counted(["water the plants"], ["water"], ["plants, water"]) == {
        "water": 3,
        "the": 1,
        "plants": 2,
    }


def test_a_word_is_counted_with_and_without_accents_as_one() -> None:
    assert counted(["café CAFÉ cafe\u0301 cafe", "Ελλάδα"]) == {"cafe": 4, "ελλαδα": 1}


def test_of_too_many_words_the_frequent_ones_are_kept() -> None:
    frequent = [f"frequent{letter}" for letter in "abcde"]
    batches = [
        [" ".join([*frequent, *(f"rare{chr(97 + batch)}{chr(97 + n)}" for n in range(20))])]
        for batch in range(20)
    ]

    assert counted(*batches, most=5) == dict.fromkeys(frequent, 20)


def test_many_batches_are_added_up_in_between() -> None:
    batches = [
        [
            f"word{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}"
            for n in range(17_576)
        ]
        for _ in range(31)
    ]

    assert Counter(counted(*batches, most=20_000).values()) == {31: 17_576}


def test_without_texts_there_are_no_words() -> None:
    assert counted() == {}
    assert counted([]) == {}
    assert counted(["", "12 - 34"]) == {}
