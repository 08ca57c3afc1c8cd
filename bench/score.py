"""Fit the weights of the score to saved outcomes, and report how well they fit other sets.

    python -m bench.sets --save FILE        # the tuning half
    python -m bench.score FILE …

The weights are those of `ragd/search/ranking/score.py`: a logistic regression over the ten best
results of each question, where every kind of evidence counts at least 0. Sets differ in size, so
a large one counts for at most MOST results. Each set is also scored with weights that were
fitted to all others: that is the figure to expect for new notes.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from bench.sets.figures import TOP, Outcome, auc_once, calibration_once, with_unanswerable
from ragd.search.ranking.score import Evidence, ScoreWeights, accumulate, likelihood

MOST = 1_500  # results that one set counts for
MEANING = 2.0  # the least weight of meaning: few questions here use other words than their notes
RIDGE = 1.0
STEPS = 50
SETS = ("crosslingual", "foreign-chains")  # sets whose vaults have the multilingual model
MULTILINGUAL = ("xquad-de", "xquad-zh", "memorybank-cn")  # vaults of other languages

Matrix = np.ndarray


def evidence_of(outcome: Outcome, *, words_only: bool = False) -> list[Evidence]:
    """The evidence that the daemon gave for each result."""
    return [
        Evidence(
            None if words_only else hit.evidence["stands_out"],
            float(hit.evidence["covered"] or 0),
            float(hit.evidence["lead"] or 0),
            float(hit.evidence["timely"] or 0),
            other_words=float(hit.evidence.get("other_words", 1.0) or 0),
        )
        for hit in outcome.hits
    ]


def fit(outcomes: Sequence[Outcome], *, words_only: bool = False) -> ScoreWeights:
    """The weights that make these outcomes most likely."""
    rows, right, sets = [], [], []
    for one in outcomes:
        known = accumulate(evidence_of(one, words_only=words_only))
        for hit, found in list(zip(one.hits, known, strict=True))[:TOP]:
            if not hit.outdated:
                rows.append((1.0, *found))
                right.append(float(hit.right))
                sets.append(_name(one))
    counts = {name: min(1.0, MOST / sets.count(name)) for name in set(sets)}
    each = np.array([counts[name] for name in sets])
    least = np.array([-np.inf, 0.0 if words_only else MEANING, 0.0, 0.0, 0.0])
    weights = _logistic(np.array(rows), np.array(right), each, least)
    return ScoreWeights(*(round(float(weight), 2) for weight in weights))


def _logistic(x: Matrix, y: Matrix, each: Matrix, least: Matrix) -> Matrix:
    """By Newton's method. A weight below its minimum is set to the minimum."""
    fixed = np.zeros(x.shape[1], bool)
    found = np.where(np.isfinite(least), least, 0.0)
    while True:
        some = x[:, ~fixed]
        given = x[:, fixed] @ found[fixed]
        ridge = np.eye(some.shape[1]) * RIDGE
        ridge[0, 0] = 0.0
        step = np.zeros(some.shape[1])
        for _ in range(STEPS):
            p = 1 / (1 + np.exp(-(some @ step + given)))
            slope = some.T @ (each * (y - p)) - ridge @ step
            bend = (some.T * (each * p * (1 - p) + 1e-9)) @ some + ridge
            step += np.clip(np.linalg.solve(bend, slope), -1, 1)
        found[~fixed] = step
        below = least - found
        if not (below > 1e-9).any():
            return found
        worst = int(np.argmax(below))
        fixed[worst] = True
        found[worst] = least[worst]


def fits(outcomes: Sequence[Outcome]) -> dict[str, ScoreWeights]:
    """The weights for each embedded model; the general ones are fitted to all outcomes."""
    some = [one for one in outcomes if model_of(one) == "multilingual"]
    return {"general": fit(outcomes), "multilingual": fit(some or outcomes)}


def scored(outcomes: Sequence[Outcome], by_model: Mapping[str, ScoreWeights]) -> list[Outcome]:
    """The same outcomes with the scores that these weights give."""
    again = []
    for one in outcomes:
        weights = by_model[model_of(one)]
        given = [likelihood(known, weights) for known in accumulate(evidence_of(one))]
        hits = [hit._replace(score=score) for hit, score in zip(one.hits, given, strict=True)]
        again.append(one._replace(hits=hits, best=max(given, default=0.0)))
    return again


def model_of(one: Outcome) -> str:
    """Which weights apply: those of the embedded model for this vault."""
    is_other = one.vault.startswith(MULTILINGUAL) or one.set in SETS
    return "multilingual" if is_other else "general"


def _name(one: Outcome) -> str:
    return one.vault if one.set == "judged" else one.set


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.score",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("saved", type=Path, nargs="+", help="files that bench.sets saved")
    given = parser.parse_args()
    outcomes = [
        one
        for path in given.saved
        for one in msgspec.json.decode(path.read_bytes(), type=list[Outcome])
        if one.complete
        and one.hits
        and not any("certain" in h.evidence and h.evidence["certain"] for h in one.hits)
    ]
    for name, weights in fits(outcomes).items():
        print(f"{name:13}", weights)
    print("words only   ", fit(outcomes, words_only=True))
    others: list[Outcome] = []
    for name in sorted({_name(one) for one in outcomes}):
        own = [one for one in outcomes if _name(one) == name]
        some = scored(own, fits([one for one in outcomes if _name(one) != name]))
        others += some
        print(f"{name:16} fitted to the others: calibration error {calibration_once(some):.3f}")
    every = scored(outcomes, fits(outcomes))
    for label, some in (("fitted to all", every), ("to the others", others)):
        mixed = with_unanswerable(some)
        said = f"calibration error {calibration_once(some):.3f}, AUC {auc_once(mixed):.3f}"
        print(f"{label}: {said}")


if __name__ == "__main__":
    main()
