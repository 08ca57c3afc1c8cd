"""Counts the words of the table. Arrow does nearly all of it, without holding Python's lock.

Texts are split at spaces first, and only the different pieces are searched for letters: a table has
far fewer of them than words.
"""

from typing import Any

from ragd.search.query.typos import normalised
from ragd.store.lance import libraries

SHORTEST, LONGEST = 3, 32  # letters
_BETWEEN = r"[^\pL\pM]+"
_JOINED_AT = 500_000  # counts that wait to be added up


class WordCounts:
    """How often each word occurs in the texts that were added; of very many words, the frequent
    ones. One thread at a time may use it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[Any] = []  # tables of words and counts; a word may be in several
        self._waiting = 0

    def add(self, texts: Any) -> None:
        """Add the words of a column."""
        pc = libraries.pyarrow().compute
        words = pc.list_flatten(pc.ascii_split_whitespace(pc.utf8_lower(texts)))
        pieces = pc.value_counts(words)
        split = pc.split_pattern_regex(pieces.field(0), _BETWEEN)
        words = pc.list_flatten(split)
        counts = pc.take(pieces.field(1), pc.list_parent_indices(split))
        length = pc.utf8_length(words)
        fits = pc.and_(pc.greater_equal(length, SHORTEST), pc.less_equal(length, LONGEST))
        found = {"word": words.filter(fits), "count": counts.filter(fits)}
        self._parts.append(libraries.pyarrow().table(found))
        self._waiting += len(self._parts[-1])
        if self._waiting > _JOINED_AT:
            self._join()

    def result(self) -> dict[str, int]:
        """The counts of the most frequent words, in the form that is compared."""
        found: dict[str, int] = {}
        if self._parts:
            self._join()
            words, counts = (column.to_pylist() for column in self._parts[0].columns)
            for word, count in zip(words, counts, strict=True):
                known = word if word.isascii() else normalised(word)
                found[known] = found.get(known, 0) + count
        if len(found) > self._most:
            frequent = sorted(found, key=lambda word: -found[word])[: self._most]
            found = {word: found[word] for word in frequent}
        return found

    def _join(self) -> None:
        """Add up what waits. If there are too many different words, drop rare ones."""
        pa = libraries.pyarrow()
        joined = pa.concat_tables(self._parts).group_by("word").aggregate([("count", "sum")])
        joined = joined.select(["word", "count_sum"]).rename_columns(["word", "count"])
        if len(joined) > 2 * self._most:
            order = [("count", "descending")]
            joined = joined.take(pa.compute.select_k_unstable(joined, 2 * self._most, order))
        self._parts, self._waiting = [joined], 0
