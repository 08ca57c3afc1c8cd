"""How much of a question a text or the names of a note have. Pure.

A word that is rare in the vault says more than a common one, so it counts more.
"""

import functools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from ragd.notes.names import inner_words
from ragd.search.query.query_terms import stems_in, stems_of

LEAST_SHARE = 0.02  # of the passages that must be in a language
SAMPLE = 1_000  # passages that frequencies are counted in: rough numbers are enough


class Frequencies(Struct, frozen=True):
    """In how many of some passages each stem stands, and which languages they are in."""

    passages: int = 0
    counts: Mapping[str, int] = {}
    languages: tuple[str, ...] = ()

    def rarity(self, stem: str) -> float:
        """More than 0; 1 for a stem in about a third of the passages."""
        return math.log(1 + (self.passages + 1) / (self.counts.get(stem, 0) + 0.5)) / math.log(4)

    def lack(self, language: str | None) -> bool:
        """Whether it is known that no note is in this language."""
        return language is not None and bool(self.languages) and language not in self.languages


def frequencies(texts: Iterable[str], languages: Iterable[str | None] = ()) -> Frequencies:
    """Counts words in these passages; `languages` are theirs. Rare languages are left out."""
    counts: dict[str, int] = {}
    passages = 0
    for text in texts:
        passages += 1
        for stem in stems_of(text):
            counts[stem] = counts.get(stem, 0) + 1
    each = Counter(language for language in languages if language)
    common = [one for one, times in each.most_common() if times >= LEAST_SHARE * passages]
    return Frequencies(passages, counts, tuple(common))


class WordWeights(Struct, frozen=True):
    """How much each stem of a question counts, by its rarity. Made once for a question."""

    rarity: Mapping[str, float]
    whole: float

    def share(self, there: Collection[str]) -> float:
        """Which part of the question these of its stems are, from 0 to 1."""
        return sum(self.rarity[stem] for stem in there) / self.whole if self.whole else 0.0

    def share_in_text(self, text: str) -> float:
        """Which part of the question a text has."""
        return self.share(stems_in(text, self.rarity.keys()))

    def share_in_names(self, names: Iterable[str]) -> float:
        """Which part of the question the best of these names has."""
        return max(
            (self.share(_stems_of_name(name) & self.rarity.keys()) for name in names), default=0.0
        )


def weigh_words(stems: Iterable[str], known: Frequencies) -> WordWeights:
    """What each of these stems counts in notes with these frequencies."""
    rarity = {stem: known.rarity(stem) for stem in stems}
    return WordWeights(rarity, sum(rarity.values()))


@functools.lru_cache(4_096)
def _stems_of_name(name: str) -> frozenset[str]:
    return stems_of(f"{name} {' '.join(inner_words(name))}")
