"""Figures of answered questions: means with standard errors, AUC, calibration, differences. Pure.

A standard error is over questions, not over results: results of one question are alike.
"""

import math
import random
from collections.abc import Callable, Sequence
from statistics import fmean, stdev
from typing import NamedTuple, TypeVar

from bench.judging import judged
from bench.sets.model import Question

T = TypeVar("T")

BINS = 10
ROUNDS = 200  # of resampling, for the figures that are not means
TOP = 10


class Hit(NamedTuple):
    """One result, as far as the figures need it."""

    note: str
    score: float
    right: bool
    outdated: bool = False  # it has a replaced statement, and not the newest
    superseded: bool = False  # the answer marks it so
    evidence: dict[str, float | int | bool | None] = {}  # noqa: RUF012  (never changed)


class Outcome(NamedTuple):
    """The outcome of one question."""

    id: str
    set: str
    kind: str
    vault: str
    answerable: bool
    complete: bool
    figures: dict[str, float]
    best: float
    hits: list[Hit]
    said_answered: bool | None = None  # what the daemon says about it, where it does


Once = Callable[[Sequence[Outcome]], float]


class Value(NamedTuple):
    """A figure, its standard error, and over how many questions."""

    mean: float
    error: float
    questions: int


def figures_of(question: Question, hits: Sequence[Hit]) -> dict[str, float]:
    """The figures of one answerable question; of an unanswerable one there are none."""
    if not question.answers:
        return {}
    if question.says:  # statements are judged, result by result
        first = next((place for place, hit in enumerate(hits[:TOP]) if hit.right), None)
        ndcg = 0.0 if first is None else 1 / math.log2(first + 2)
        recall = float(first is not None)
        right = [hit.right for hit in hits]
    else:
        ranked = list(dict.fromkeys(hit.note for hit in hits))
        ndcg, recall, _ = judged(ranked, question.answers)
        right = [note in question.answers for note in ranked]
    found = {
        "ndcg@10": ndcg,
        "hit@1": float(any(right[:1])),
        "hit@3": float(any(right[:3])),
        "recall@10": recall,
    }
    if question.outdated:
        found["outdated@1"] = float(any(hit.outdated for hit in hits[:1]))
        old = [hit for hit in hits[:TOP] if hit.outdated]
        if old:
            found["old marked"] = fmean(hit.superseded for hit in old)
        new = [hit for hit in hits[:TOP] if hit.right]
        if new:
            found["new marked"] = fmean(hit.superseded for hit in new)
    if question.excluded:
        unwanted = [hit.note in question.excluded for hit in hits[:TOP]]
        found["unwanted@3"] = float(any(unwanted[:3]))
    return found


def mean(values: Sequence[float]) -> Value:
    if not values:
        return Value(math.nan, math.nan, 0)
    error = stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return Value(fmean(values), error, len(values))


def auc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a number of `right` is above one of `wrong`; equal ones count half."""
    if not right or not wrong:
        return math.nan
    ordered = sorted([(value, 1) for value in right] + [(value, 0) for value in wrong])
    above, below, at = 0.0, 0, 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end][0] == ordered[at][0]:
            end += 1
        rights = sum(is_right for _, is_right in ordered[at:end])
        wrongs = end - at - rights
        above += rights * (below + wrongs / 2)
        below += wrongs
        at = end
    return above / (len(right) * len(wrong))


def auc_once(outcomes: Sequence[Outcome]) -> float:
    """Answerable against unanswerable questions, by their best score."""
    return auc(
        [one.best for one in outcomes if one.answerable],
        [one.best for one in outcomes if not one.answerable],
    )


def auc_of(outcomes: Sequence[Outcome]) -> Value:
    return Value(auc_once(outcomes), _spread(outcomes, auc_once), len(outcomes))


def with_unanswerable(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Only of sets that have both: the scores of other sets do not belong to these questions."""
    sets = {one.set for one in outcomes if not one.answerable}
    return [one for one in outcomes if one.set in sets]


class Bin(NamedTuple):
    """Results whose score is in one span: how many, their mean score, the part that is right."""

    low: float
    results: int
    score: float
    right: float


def reliability(outcomes: Sequence[Outcome]) -> list[Bin]:
    """By score, over the ten best results of the questions whose right notes are all known.

    Outdated statements are left out: they are about the subject, but not the right answer.
    """
    spans: list[list[Hit]] = [[] for _ in range(BINS)]
    for outcome in outcomes:
        for hit in outcome.hits[:TOP] if outcome.complete else ():
            if not hit.outdated:
                spans[min(BINS - 1, int(hit.score * BINS))].append(hit)
    return [
        Bin(at / BINS, len(some), fmean(h.score for h in some), fmean(h.right for h in some))
        for at, some in enumerate(spans)
        if some
    ]


def calibration_once(outcomes: Sequence[Outcome]) -> float:
    """The expected calibration error: mean distance of score and part right, by results."""
    bins = reliability(outcomes)
    total = sum(one.results for one in bins)
    return sum(one.results * abs(one.score - one.right) for one in bins) / max(1, total)


def calibration_error(outcomes: Sequence[Outcome]) -> Value:
    return Value(calibration_once(outcomes), _spread(outcomes, calibration_once), len(outcomes))


def difference(now: dict[str, float], then: dict[str, float]) -> Value:
    """Paired: over the questions that both have."""
    return mean([now[one] - then[one] for one in now if one in then])


def difference_of(pairs: Sequence[tuple[Outcome, Outcome]], once: Once) -> Value:
    """Of a figure that is not a mean, over pairs of the same question now and then."""

    def apart(some: Sequence[tuple[Outcome, Outcome]]) -> float:
        return once([now for now, _ in some]) - once([then for _, then in some])

    return Value(apart(pairs), _spread(pairs, apart), len(pairs))


def _spread(drawn: Sequence[T], once: Callable[[Sequence[T]], float]) -> float:
    """The standard error by the bootstrap: draw the questions many times."""
    if len(drawn) < 2:
        return math.nan
    source = random.Random(11)
    found = [once(source.choices(drawn, k=len(drawn))) for _ in range(ROUNDS)]
    known = [value for value in found if not math.isnan(value)]
    return stdev(known) if len(known) > 1 else math.nan
