"""How likely each result answers the question, from 0 to 1: its `score`. Pure.

Evidence is weighted and added up, and the sum is mapped to a number from 0 to 1. The ten
best results are ranked, so the evidence for one of them also counts for those before it. So a score
does not depend on how many results are shown, and is never higher than the one before it.
The weights were fitted so that about 80 % of the results with a score of 0.8 are right;
docs/retrieval.md says on which questions, and how well that holds for others.
`python -m bench.score` fits them again.
"""

import math
from collections.abc import Sequence

from msgspec import Struct, structs

from ragd.search.ranking.cosine_scale import CosineScale
from ragd.search.ranking.fusion import Candidate

EVIDENCE_DEPTH = 10  # results whose evidence counts for those before them, shown or not
STEP = 0.0001  # scores are rounded to this
# Words and meaning together that make a result an answer. Less is needed if few notes are in the
# question's language: then few words can match. Meaning counts more than words: it is rarer.
NEEDED, NEEDED_FOREIGN = 0.35, 0.15
MEANING = 1.5
UNSURE_BELOW = 0.4  # a best score below this: perhaps nothing answers the question
NEEDED_WORDS = 0.5  # share of words that is enough without vectors

_NOT_NUMBERS = frozenset(
    (
        *("chunk_id", "source_file", "text_key", "text", "title"),
        *("date", "file_day", "stated_month", "chain"),
    )
)


class Evidence(Struct, frozen=True):
    """The evidence for a result, each number from 0 to 1.

    `stands_out`: how far its cosine is above that of other passages; None: it has no vector.
    `covered`: the share of the question's words that it has; rare words count more.
    `lead`: its weight in the ranking, relative to the best one.
    `timely`: how close its date is to a time that the question names.
    `other_words`: the share of the question's words without that time; rare words count more.
    `certain`: a score that needs no other evidence, as in a list of all notes of a day.
    """

    stands_out: float | None = None
    covered: float = 0.0
    lead: float = 0.0
    timely: float = 0.0
    certain: float = 0.0
    other_words: float = 1.0


class ScoreWeights(Struct, frozen=True):
    """The weight of each kind of evidence. `full`: (nearly) all words, times `lead`."""

    start: float
    stands_out: float
    lead: float
    full: float
    timely: float


Features = tuple[float, float, float, float]  # as in `ScoreWeights`, without the start
NEARLY_ALL = 4  # exponent of `covered`: half of the words counts almost nothing

GENERAL = ScoreWeights(-8.31, 2.0, 6.38, 2.74, 2.42)
MULTILINGUAL = ScoreWeights(
    -8.93, 2.0, 7.71, 2.12, 2.7
)  # for vectors of the multilingual embedded model
WORDS_ONLY = ScoreWeights(-8.04, 0.0, 7.46, 2.77, 2.36)  # without vectors


def scores(found: Sequence[Evidence], model: str | None, needed: float = NEEDED) -> list[float]:
    """The scores of the results of one answer, best first. `model`: `english` or `multilingual`;
    None for another provider. `needed`: words and meaning that make a result an answer."""
    weights = MULTILINGUAL if model == "multilingual" else GENERAL
    if all(one.stands_out is None for one in found[:EVIDENCE_DEPTH]):
        weights = WORDS_ONLY
    given = _make_falling([likelihood(one, weights) for one in accumulate(found, needed)])
    certain = [max(one.certain for one in found[place:]) for place in range(len(found))]
    return [sure or likely for sure, likely in zip(certain, given, strict=True)]


def _make_falling(given: Sequence[float]) -> list[float]:
    """The same scores, each a little below the one before it: sorting by score keeps the order, and
    so the newest statement first."""
    found: list[float] = []
    for score in given:
        found.append(max(0.0, min(score, found[-1] - STEP)) if found else score)
    return found


def is_answered(found: Sequence[Evidence], needed: float = NEEDED) -> bool:
    """Whether some result may answer the question: by its words, its meaning, or because it is of
    the time that the question names."""
    return any(
        one.certain or one.timely or _has_enough(one, needed) for one in found[:EVIDENCE_DEPTH]
    )


def _has_enough(one: Evidence, needed: float) -> bool:
    if one.stands_out is None:  # no vector
        return one.covered >= min(needed, NEEDED_WORDS)
    return one.covered + MEANING * one.stands_out >= needed


def accumulate(found: Sequence[Evidence], needed: float = NEEDED) -> list[Features]:
    """The features of each result. For the ten best, each feature is the best of the result and of
    those after it."""
    features = [_features(one, needed) for one in found]
    for place in reversed(range(min(EVIDENCE_DEPTH, len(features)) - 1)):
        features[place] = _best_of_each(features[place], features[place + 1])
    return features


def _features(one: Evidence, needed: float) -> Features:
    timely = one.timely * _support(one, needed)
    return (one.stands_out or 0.0, one.lead, one.covered**NEARLY_ALL * one.lead, timely)


def _support(one: Evidence, needed: float) -> float:
    """How much of its time counts: with none of the other words, and no near meaning, nothing. A
    note of the right day is not an answer to every question about that day."""
    return min(1.0, (one.other_words + MEANING * (one.stands_out or 0.0)) / needed)


def _best_of_each(one: Features, other: Features) -> Features:
    return (
        max(one[0], other[0]),
        max(one[1], other[1]),
        max(one[2], other[2]),
        max(one[3], other[3]),
    )


def likelihood(features: Features, weights: ScoreWeights) -> float:
    """How likely one result answers the question."""
    by_meaning, lead, full, timely = features
    total = weights.start + weights.stands_out * by_meaning + weights.lead * lead
    total += weights.full * full + weights.timely * timely
    return 1 / (1 + math.exp(-total))


def stands_out(above: float, scale: CosineScale) -> float:
    """How far a cosine is above that of other passages, as a number from 0 to 1."""
    return min(1.0, max(0.0, above / scale.far_out))


def evidence_numbers(found: Candidate, one: Evidence) -> dict[str, float | int | bool | None]:
    """The numbers that decided a result's place and score."""
    names = [name for name in Candidate.__struct_fields__ if name not in _NOT_NUMBERS]
    return {name: getattr(found, name) for name in names} | structs.asdict(one)
