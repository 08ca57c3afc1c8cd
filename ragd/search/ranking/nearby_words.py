"""Which share of a question's words stand near each other in a passage. Pure.

Words that answer a question are usually in one sentence. Words that a passage has by chance are
spread over it. A word that is in the names of the note counts everywhere in the passage.
"""

from collections.abc import Sequence

from ragd.search.query.query_terms import stem_places, stems_in
from ragd.search.ranking.title_match import WordWeights

NEAR = 120  # characters from the beginning of the first word to that of the last


def share_nearby(weights: WordWeights, names: Sequence[str], text: str) -> float:
    """The largest weighted share of the question's words that stand near each other, from 0 to 1.
    Rare words count more."""
    in_names = stems_in(" ".join(names), weights.rarity.keys())
    places = stem_places(text, weights.rarity.keys() - in_names)
    return weights.share(in_names) + _largest_share(weights, places)


def _largest_share(weights: WordWeights, places: Sequence[tuple[int, str]]) -> float:
    """`places`: where the text has which stem, in order."""
    best, first = 0.0, 0
    for last, (end, _) in enumerate(places):
        while places[first][0] < end - NEAR:
            first += 1
        stems = {stem for _, stem in places[first : last + 1]}
        best = max(best, weights.share(stems))
    return best
