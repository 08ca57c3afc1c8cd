"""Which share of a question's words a text or the names of a note have. Pure.

A word that is rare in the vault counts more than a common one.
"""

import functools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from ragd.notes.names import inner_words
from ragd.search.query.query_terms import stems_in, stems_of

LEAST_SHARE = 0.02  # of passages; rarer languages are ignored
MAIN_SHARE = 0.2  # of passages; a question in a rarer language is probably answered in another one
SAMPLE = 1_000  # passages in which words are counted: rough numbers are enough


class Frequencies(Struct, frozen=True):
    """How many passages of a sample have each stem, and the languages of the sample."""

    passages: int = 0
    counts: Mapping[str, int] = {}
    languages: tuple[str, ...] = ()
    main_languages: tuple[str, ...] = ()  # that many passages are in

    def rarity(self, stem: str) -> float:
        """A number above 0; it is 1 for a stem in about a third of the passages."""
        return math.log(1 + (self.passages + 1) / (self.counts.get(stem, 0) + 0.5)) / math.log(4)

    def is_foreign(self, language: str | None) -> bool:
        """Whether none or few of the notes are in this language. False if that is not known."""
        return (
            language is not None
            and bool(self.main_languages)
            and language not in self.main_languages
        )


def count_frequencies(texts: Iterable[str], languages: Iterable[str | None] = ()) -> Frequencies:
    """Count the words of these passages; `languages` are theirs. Rare languages are left out."""
    counts: dict[str, int] = {}
    passages = 0
    for text in texts:
        passages += 1
        for stem in stems_of(text):
            counts[stem] = counts.get(stem, 0) + 1
    each = Counter(language for language in languages if language)
    common = [one for one, times in each.most_common() if times >= LEAST_SHARE * passages]
    known = sum(each.values())
    main = [one for one, times in each.items() if times >= MAIN_SHARE * known]
    return Frequencies(passages, counts, tuple(common), tuple(main))


class WordWeights(Struct, frozen=True):
    """How much each stem of a question counts, by its rarity. Made once for each question."""

    rarity: Mapping[str, float]
    whole: float

    def share(self, present: Collection[str]) -> float:
        """The weighted share of these stems in the question, from 0 to 1."""
        return sum(self.rarity[stem] for stem in present) / self.whole if self.whole else 0.0

    def share_in_text(self, text: str) -> float:
        """The weighted share of the question's words in a text."""
        return self.share(stems_in(text, self.rarity.keys()))

    def share_in_names(self, names: Iterable[str]) -> float:
        """The weighted share of the question's words in the best of these names."""
        best = 0.0
        for name in names:
            stems = _stems_of_name(name)
            if not stems.isdisjoint(self.rarity):
                best = max(best, self.share(stems & self.rarity.keys()))
        return best


def weigh_words(stems: Iterable[str], known: Frequencies) -> WordWeights:
    """The weights of these stems in notes with these frequencies."""
    rarity = {stem: known.rarity(stem) for stem in stems}
    return WordWeights(rarity, sum(rarity.values()))


@functools.lru_cache(4_096)
def _stems_of_name(name: str) -> frozenset[str]:
    return stems_of(f"{name} {' '.join(inner_words(name))}")
