"""How far a question names a note: the words it shares with the note's names. Pure.

A word that is rare in the vault says more than a common one, so it counts more.
"""

import functools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

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


def frequencies(texts: Iterable[str], languages: Iterable[str | None] = ()) -> Frequencies:
    """Counted in these passages, of which each has a language. Rare languages are left out."""
    counts: dict[str, int] = {}
    passages = 0
    for text in texts:
        passages += 1
        for stem in stems_of(text):
            counts[stem] = counts.get(stem, 0) + 1
    each = Counter(language for language in languages if language)
    common = [one for one, times in each.most_common() if times >= LEAST_SHARE * passages]
    return Frequencies(passages, counts, tuple(common))


def cover(stems: Collection[str], names: Iterable[str], known: Frequencies) -> float:
    """Which part of a question's stems the best of these names has, by their rarity: 0 to 1."""
    return covering(stems, known)(names)


def covering(stems: Collection[str], known: Frequencies) -> Callable[[Iterable[str]], float]:
    """The same for many notes: how rare the stems are is looked up once."""
    rarity = {stem: known.rarity(stem) for stem in stems}
    whole = sum(rarity.values())

    def share(names: Iterable[str]) -> float:
        best = 0.0
        for name in names:
            if there := _stems_of_name(name) & rarity.keys():
                best = max(best, sum(rarity[stem] for stem in there))
        return best / whole if whole else 0.0

    return share


def covered(stems: Collection[str], there: frozenset[str], known: Frequencies) -> float:
    """Which part of a question's stems is among those of a text, by their rarity: 0 to 1."""
    rarity = {stem: known.rarity(stem) for stem in stems}
    return (
        sum(rarity[stem] for stem in there & rarity.keys()) / sum(rarity.values())
        if rarity
        else 0.0
    )


def covering_text(stems: frozenset[str], known: Frequencies) -> Callable[[str], float]:
    """The same for many texts: how rare the stems are is looked up once."""
    rarity = {stem: known.rarity(stem) for stem in stems}
    whole = sum(rarity.values())

    def share(text: str) -> float:
        return sum(rarity[stem] for stem in stems_in(text, stems)) / whole if whole else 0.0

    return share


@functools.lru_cache(4_096)
def _stems_of_name(name: str) -> frozenset[str]:
    return stems_of(f"{name} {' '.join(inner_words(name))}")
