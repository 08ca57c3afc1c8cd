"""Plain BM25 over whole notes, for comparison: no stemming, pairs of characters for Chinese."""

import math
import re
from collections import Counter
from collections.abc import Mapping

K1, B = 1.2, 0.75
_TOKEN = re.compile(r"[぀-ヿ㐀-䶿一-鿿]+|[^\W_぀-ヿ㐀-䶿一-鿿]+")
_UNSPACED = re.compile(r"[぀-ヿ㐀-䶿一-鿿]")


def tokens(text: str) -> list[str]:
    """Words in lower case; runs of Chinese and Japanese as overlapping pairs."""
    found: list[str] = []
    for token in _TOKEN.findall(text.lower()):
        if _UNSPACED.match(token) and len(token) > 1:
            found += [token[at : at + 2] for at in range(len(token) - 1)]
        else:
            found.append(token)
    return found


class Bm25:
    """An index over documents by name."""

    def __init__(self, documents: Mapping[str, str]) -> None:
        self._names = list(documents)
        self._lengths = []
        self._having: dict[str, list[tuple[int, int]]] = {}
        for number, text in enumerate(documents.values()):
            counted = Counter(tokens(text))
            self._lengths.append(counted.total())
            for token, times in counted.items():
                self._having.setdefault(token, []).append((number, times))
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def search(self, query: str, most: int, below: str = "") -> list[str]:
        """The best documents; with `below`, only those whose name begins with it."""
        scores: dict[int, float] = {}
        for token in set(tokens(query)):
            postings = self._having.get(token, [])
            rarity = math.log(1 + (len(self._names) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, times in postings:
                long = 1 - B + B * self._lengths[number] / self._mean
                gain = rarity * times * (K1 + 1) / (times + K1 * long)
                scores[number] = scores.get(number, 0.0) + gain
        ranked = sorted(scores, key=lambda number: (-scores[number], self._names[number]))
        return [self._names[n] for n in ranked if self._names[n].startswith(below)][:most]
