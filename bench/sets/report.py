"""Outcomes as tables: each set, each kind of question, and the differences to an earlier run."""

import math
from collections.abc import Iterable, Iterator, Sequence

from bench.sets.figures import (
    Outcome,
    Value,
    auc_of,
    auc_once,
    calibration_error,
    calibration_once,
    difference,
    difference_of,
    mean,
    reliability,
    with_unanswerable,
)

COLUMNS = (
    *("ndcg@10", "hit@1", "hit@3", "recall@10"),
    *("outdated@1", "old marked", "new marked", "typo loss", "unwanted@3"),
)


def tables(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Everything about one run."""
    yield from _means(outcomes)
    yield ""
    yield from _answerable(outcomes)
    yield ""
    yield from _scores(outcomes)


def differences(now: Sequence[Outcome], then: Sequence[Outcome]) -> Iterator[str]:
    """This run against an earlier one, question by question."""
    yield "| now - then, paired | n | " + " | ".join(COLUMNS) + " |"
    yield "|---" * (2 + len(COLUMNS)) + "|"
    before = {one.id: one for one in then}
    for name, some in _groups(now):
        pairs = [(one, before[one.id]) for one in some if one.id in before]
        if not pairs:
            continue
        cells = []
        for column in COLUMNS:
            new = {a.id: a.figures[column] for a, _ in pairs if column in a.figures}
            old = {b.id: b.figures[column] for _, b in pairs if column in b.figures}
            cells.append(_shown(difference(new, old), signed=True))
        yield f"| {name} | {len(pairs)} | " + " | ".join(cells) + " |"
    shared = [(one, before[one.id]) for one in now if one.id in before]
    mixed = {one.id for one in with_unanswerable(now)}
    for name, once, pairs in (
        ("AUC", auc_once, [pair for pair in shared if pair[0].id in mixed]),
        ("Expected calibration error", calibration_once, [p for p in shared if p[0].complete]),
    ):
        if pairs:
            yield f"{name}, now - then: {_shown(difference_of(pairs, once), signed=True)}"


def _means(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "| set | n | " + " | ".join(COLUMNS) + " |"
    yield "|---" * (2 + len(COLUMNS)) + "|"
    for name, some in _groups(outcomes):
        cells = [
            _shown(mean([one.figures[column] for one in some if column in one.figures]))
            for column in COLUMNS
        ]
        yield f"| {name} | {len(some)} | " + " | ".join(cells) + " |"


def _answerable(outcomes: Sequence[Outcome]) -> Iterator[str]:
    mixed = with_unanswerable(outcomes)
    if not mixed:
        return
    yield "| answerable or not, by best score | n | AUC | said: no answer | wrongly said |"
    yield "|---" * 5 + "|"
    for name, some in _mixtures(mixed):
        said = [
            _shown(
                mean(
                    [
                        float(one.said_answered is False)
                        for one in some
                        if one.answerable == answerable and one.said_answered is not None
                    ]
                )
            )
            for answerable in (False, True)
        ]
        yield f"| {name} | {len(some)} | {_shown(auc_of(some))} | {' | '.join(said)} |"


def _mixtures(mixed: Sequence[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    """All; each vault; each kind of unanswerable question, each with the answerable ones."""
    yield "all", list(mixed)
    for vault in dict.fromkeys(one.vault for one in mixed):
        yield vault, [one for one in mixed if one.vault == vault]
    for kind in dict.fromkeys(one.kind for one in mixed if not one.answerable):
        vaults = {one.vault for one in mixed if one.kind == kind}
        yield kind, [o for o in mixed if o.kind == kind or (o.answerable and o.vault in vaults)]


def _scores(outcomes: Sequence[Outcome]) -> Iterator[str]:
    known = [one for one in outcomes if one.complete]
    if not known:
        return
    yield "| score | results | mean score | part right |"
    yield "|---" * 4 + "|"
    for one in reliability(known):
        span = f"{one.low:.1f} to {one.low + 0.1:.1f}"
        yield f"| {span} | {one.results} | {one.score:.3f} | {one.right:.3f} |"
    yield ""
    yield f"Expected calibration error: {_shown(calibration_error(known))}"
    names = list(dict.fromkeys(one.set for one in known))
    for name in names if len(names) > 1 else ():
        some = [one for one in known if one.set == name]
        yield f"  {name}: {_shown(calibration_error(some))}"
    falls = [
        float(all(a.score >= b.score for a, b in zip(one.hits, one.hits[1:], strict=False)))
        for one in outcomes
    ]
    yield f"Answers whose score never rises down the list: {_shown(mean(falls))}"


def _groups(outcomes: Sequence[Outcome]) -> Iterable[tuple[str, list[Outcome]]]:
    """Each set as a whole, then its kinds, if it has several."""
    for name in dict.fromkeys(one.set for one in outcomes):
        some = [one for one in outcomes if one.set == name]
        kinds = list(dict.fromkeys(one.kind for one in some))
        yield f"**{name}**", some
        if len(kinds) > 1:
            for kind in kinds:
                yield f"{name}: {kind}", [one for one in some if one.kind == kind]


def _shown(value: Value, signed: bool = False) -> str:
    if not value.questions or math.isnan(value.mean):
        return ""
    number = f"{value.mean:+.3f}" if signed else f"{value.mean:.3f}"
    return number if math.isnan(value.error) else f"{number} ± {value.error:.3f}"
