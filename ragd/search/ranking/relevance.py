"""How relevant a passage is to a question, from 0 to 1, independent of other results. Pure.

    score = 1 - (1 - meaning) * (1 - words) * (1 - time)

`words` is the share of the question's content words that the passage, its title and its headings
have. `meaning` grows with the cosine, from 0 at the cosine of unrelated texts to 1. The cosine of
unrelated texts depends on how well the model reads the question: random letters are near to any
text. `time` is 0.15 for a passage of the time that the question names, however long that time is,
and less for one near it. A nonsense question scores low on all three: a passage below FLOOR is not
an answer.
docs/retrieval.md has the measurements.
"""

from ragd.search.dates.closeness import WITHIN_LONGER
from ragd.search.ranking.cosine_scale import CosineScale

TIMELY = 0.15
FLOOR = 0.1


def relevance(
    cosine: float | None,
    words: float,
    readable: float,
    *,
    scale: CosineScale,
    closeness: float = 0.0,
) -> float:
    """The score from a passage's cosine (None: not among the nearest) and its share of words.

    `readable`: the share of the question that the model can read, from 0 to 1. `closeness`: how
    near the passage's date is to the time that the question names.
    """
    rest = (1 - meaning_share(cosine, readable, scale)) * (1 - words)
    timely = TIMELY * min(1.0, closeness / WITHIN_LONGER)
    return 1 - rest * (1 - timely)


def meaning_share(cosine: float | None, readable: float, scale: CosineScale) -> float:
    """How far a cosine is above that of unrelated texts, from 0 to 1 (a full answer)."""
    if cosine is None:
        return 0.0
    low = unrelated_cosine(readable, scale)
    return min(1.0, max(0.0, (cosine - low) / (scale.same - low)))


def unrelated_cosine(readable: float, scale: CosineScale) -> float:
    """The cosine of unrelated texts, which depends on how much the model can read."""
    return scale.unreadable - (scale.unreadable - scale.unrelated) * readable
