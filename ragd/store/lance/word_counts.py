"""Counts the words of the table. Arrow does it without holding Python's lock."""

from typing import Any

from ragd.search.query.typos import normalised
from ragd.store.lance import libraries

SHORTEST, LONGEST = 3, 32  # letters
_BETWEEN = r"[^\pL\pM]+"


def add(texts: Any, counts: dict[str, int], most: int) -> None:
    """Add the words of a column. If there are too many different words, drop rare ones."""
    pc = libraries.pyarrow().compute
    words = pc.list_flatten(pc.split_pattern_regex(pc.utf8_lower(texts), _BETWEEN))
    length = pc.utf8_length(words)
    fits = pc.and_(pc.greater_equal(length, SHORTEST), pc.less_equal(length, LONGEST))
    for pair in pc.value_counts(words.filter(fits)).to_pylist():
        word = pair["values"] if pair["values"].isascii() else normalised(pair["values"])
        counts[word] = counts.get(word, 0) + pair["counts"]
    if len(counts) > 2 * most:
        keep(counts, most)


def keep(counts: dict[str, int], most: int) -> None:
    """Keep only the most frequent words."""
    if len(counts) > most:
        rare = sorted(counts, key=lambda word: counts[word])[: len(counts) - most]
        for word in rare:
            del counts[word]
