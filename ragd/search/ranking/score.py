"""How likely each result answers the question, from 0 to 1: its `score`. Pure.

Evidence is weighed and added up, and the sum is turned into a part of 1. The order is evidence,
too: what is known of one of the ten best results holds at least for those before it. So a score
does not depend on how many results are shown, and is never higher than one before it. The weights
were fitted, so that of results with a score of 0.8 about 80 % are right; docs/retrieval.md says on
what, and how well that holds for other questions.
`python -m bench.score` fits them again.
"""

import math
from collections.abc import Sequence

from msgspec import Struct, structs

from ragd.search.ranking.cosine_scale import CosineScale
from ragd.search.ranking.fusion import Candidate

JUDGED = 10  # results whose evidence counts for those before them, however few are shown
STEP = 0.0001  # scores are rounded to this
# What a result must have of the question's words and meaning together to be an answer at all; words
# cannot be there if no note is in the question's language. Meaning counts more: it is rarer.
NEEDED, NEEDED_ABROAD = 0.6, 0.35
MEANING = 1.5
NEEDED_WORDS = 0.5  # of words, where there are no vectors

_NOT_NUMBERS = frozenset({"chunk_id", "source_file", "text_key", "text", "title", "date", "chain"})


class Evidence(Struct, frozen=True):
    """What is known of a result, each from 0 to 1.

    `stands_out`: how far its cosine is above that of other passages; None: it has no vector.
    `covered`: the part of the question's words that it has; rare words count more.
    `lead`: its weight in the ranking, as a part of the best one.
    `timely`: how close its date is to a time that the question names.
    `certain`: a score that is known without all that, as in a list of all notes of a day.
    """

    stands_out: float | None = None
    covered: float = 0.0
    lead: float = 0.0
    timely: float = 0.0
    certain: float = 0.0


class ScoreWeights(Struct, frozen=True):
    """What each kind of evidence counts. `full`: having (nearly) all words, as a part of `lead`."""

    start: float
    stands_out: float
    lead: float
    full: float
    timely: float


Known = tuple[float, float, float, float]  # as in `ScoreWeights`, without the start
NEARLY_ALL = 4  # the power of `covered` that counts: half of the words is next to nothing

GENERAL = ScoreWeights(-8.31, 2.0, 6.38, 2.74, 2.42)
MULTILINGUAL = ScoreWeights(-8.93, 2.0, 7.71, 2.12, 2.7)  # for vectors of that embedded model
WORDS_ONLY = ScoreWeights(-8.04, 0.0, 7.46, 2.77, 2.36)  # where there are no vectors


def scores(found: Sequence[Evidence], model: str | None) -> list[float]:
    """Of the results of one answer, best first. `model`: the embedded one; None: another."""
    weights = MULTILINGUAL if model == "multilingual" else GENERAL
    if all(one.stands_out is None for one in found[:JUDGED]):
        weights = WORDS_ONLY
    given = _falling([likelihood(known, weights) for known in accumulate(found)])
    certain = [max(one.certain for one in found[place:]) for place in range(len(found))]
    return [sure or likely for sure, likely in zip(certain, given, strict=True)]


def _falling(given: Sequence[float]) -> list[float]:
    """The same scores, each a little below the one before it: who sorts by score keeps the order,
    and so the newest statement first."""
    found: list[float] = []
    for score in given:
        found.append(max(0.0, min(score, found[-1] - STEP)) if found else score)
    return found


def is_answered(found: Sequence[Evidence], needed: float = NEEDED) -> bool:
    """Whether some result may answer the question: by its words, its meaning, or as the notes of a
    time that is asked for."""
    return any(one.certain or one.timely or _has_enough(one, needed) for one in found[:JUDGED])


def _has_enough(one: Evidence, needed: float) -> bool:
    if one.stands_out is None:  # nothing is known of its meaning
        return one.covered >= min(needed, NEEDED_WORDS)
    return one.covered + MEANING * one.stands_out >= needed


def accumulate(found: Sequence[Evidence]) -> list[Known]:
    """Of each of the ten best results the best of every kind of evidence for it and for those after
    it; of others their own."""
    known = [_known(one) for one in found]
    for place in reversed(range(min(JUDGED, len(known)) - 1)):
        known[place] = _best(known[place], known[place + 1])
    return known


def _known(one: Evidence) -> Known:
    return (one.stands_out or 0.0, one.lead, one.covered**NEARLY_ALL * one.lead, one.timely)


def _best(one: Known, other: Known) -> Known:
    return (
        max(one[0], other[0]),
        max(one[1], other[1]),
        max(one[2], other[2]),
        max(one[3], other[3]),
    )


def likelihood(known: Known, weights: ScoreWeights) -> float:
    """Of one result."""
    by_meaning, lead, full, timely = known
    total = weights.start + weights.stands_out * by_meaning + weights.lead * lead
    total += weights.full * full + weights.timely * timely
    return 1 / (1 + math.exp(-total))


def stands_out(above: float, scale: CosineScale) -> float:
    """Of how far a cosine is above that of other passages, the part that counts."""
    return min(1.0, max(0.0, above / scale.far_out))


def evidence_numbers(found: Candidate, one: Evidence) -> dict[str, float | int | bool | None]:
    """All that decided a result's place and score, for who asks why."""
    names = [name for name in Candidate.__struct_fields__ if name not in _NOT_NUMBERS]
    return {name: getattr(found, name) for name in names} | structs.asdict(one)
