"""RoBERTa's byte-level BPE in plain Python: text to token ids.

It never reads a file: the caller passes the vocabulary and the merges. A text is split into words,
each with the space before it. A word's bytes are merged pair by pair, in the order in which the
merges were learnt. Words are kept in a bounded cache. A control token in a note ("<s>") is ordinary
text here, so a note cannot forge one.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from ragd.embed.worker.windows import SENTENCE_END
from ragd.embed.worker.word_cache import WordCache

START, END = 0, 2

_BITS = 16  # of an id
_ID = (1 << _BITS) - 1
_NONE = -1
# Unicode's white space. Python's \s has four control characters more.
_SPACE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_NUMBERS_END = 0x20000  # above this, all numbers are decimal digits


class BytePairs:
    """A vocabulary with its merges, and a cache of words."""

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        merges: Sequence[str],
        cache: WordCache | None = None,
    ) -> None:
        self._bytes = [vocabulary[character] for character in byte_characters()]
        self._merges: dict[int, int] = {}  # two ids -> the merge's rank and the new id
        for rank, merge in enumerate(merges):
            left, right = merge.split(" ")
            pair = vocabulary[left] << _BITS | vocabulary[right]
            self._merges.setdefault(pair, rank << _BITS | vocabulary[left + right])
        self._words = _word_pattern()
        self._cache = cache or WordCache()

    def ids(self, text: str) -> list[int]:
        """The ids of `text`, without the start and end tokens that a model needs."""
        return self.sentences(text)[0]

    def sentences(self, text: str) -> tuple[list[int], list[int]]:
        """The same ids, and where sentences and lines end: the number of ids up to each end."""
        found: list[int] = []
        ends: list[int] = []
        known = self._cache.recent
        closes = False
        for word in self._words.findall(text):
            if (closes and word[0].isspace()) or "\n" in word:
                ends.append(len(found))
            closes = not word[-1].isalnum() and SENTENCE_END.search(word) is not None
            found.extend(known.get(word) or self._remember(word))
        ends.append(len(found))
        return found, ends

    def _remember(self, word: str) -> tuple[int, ...]:
        found = self._cache.older.get(word) or tuple(self.cut(word))
        self._cache.keep(word, found)
        return found

    def cut(self, word: str) -> list[int]:
        """The tokens of a word. Each byte is a node of a linked list, and each pair of neighbours
        that can be merged is in a heap, so the time is nearly proportional to the word's length."""
        nodes = [self._bytes[byte] for byte in word.encode("utf-8", "replace")]
        size = len(nodes)
        before, after = list(range(-1, size - 1)), list(range(1, size + 1))
        waiting = [
            (merge, place)
            for place in range(size - 1)
            if (merge := self._merge(nodes[place], nodes[place + 1])) != _NONE
        ]
        heapify(waiting)
        while waiting:
            merge, place = heappop(waiting)
            following = after[place]
            if (
                following >= size
                or nodes[place] == _NONE
                or self._merge(nodes[place], nodes[following]) != merge
            ):
                continue  # one of the two has been merged with another neighbour
            nodes[place], nodes[following] = merge & _ID, _NONE
            following = after[place] = after[following]
            if following < size:
                before[following] = place
                self._add_pair(waiting, nodes, place, following)
            if before[place] >= 0:
                self._add_pair(waiting, nodes, before[place], place)
        return [node for node in nodes if node != _NONE]

    def _add_pair(
        self, waiting: list[tuple[int, int]], nodes: list[int], place: int, following: int
    ) -> None:
        merge = self._merge(nodes[place], nodes[following])
        if merge != _NONE:
            heappush(waiting, (merge, place))

    def _merge(self, left: int, right: int) -> int:
        return self._merges.get(left << _BITS | right, _NONE)


def byte_characters() -> list[str]:
    """The character for each byte in the vocabulary: the same one if it is visible, else one from
    256 on, in the order of the bytes."""
    seen = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in seen else next(others)) for byte in range(256)]


def _word_pattern() -> re.Pattern[str]:
    """GPT-2's words: the ends of "it's" and "we're", letters, numbers or signs with the space
    before them, and white space. Python's `re` has no class for all numbers, so it is made here."""
    others = [
        chr(code)
        for code in range(0x80, _NUMBERS_END)
        if unicodedata.category(chr(code)) in ("Nl", "No")
    ]
    numbers = "".join(others)
    return re.compile(
        "'(?:s|t|re|ve|m|ll|d)"
        rf"| ?[^\W\d_{numbers}]+"
        rf"| ?[\d{numbers}]+"
        rf"| ?(?:_|[^{_SPACE}\w])+"
        rf"|[{_SPACE}]+(?![^{_SPACE}])"
        rf"|[{_SPACE}]+"
    )
