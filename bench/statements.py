"""Fits the model that tells which sentences state a fact, and writes its weights.

    python -m bench.statements [--write]

`statements.jsonl` has objects with a topic, a subject, two questions for it, sentences that state
the fact (`states`), and sentences about the same subject that do not (`not`). They were written one
by one, by somebody who did not know the rules. Every fifth object is left out to measure; with
`--write`, the weights are then fitted to all of them.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

import ragd
from bench.collections import load
from bench.daemon import DATA
from ragd.search.facts.statement_model import NONE, StatementModel, WordModel
from ragd.search.facts.statement_words import BUCKETS, buckets_of
from ragd.search.query.query_terms import stems_of
from ragd.search.statement_weights import FILE

WRITTEN = Path(__file__).with_suffix(".jsonl")
OUTPUT = Path(ragd.__file__).parent / "data" / FILE
TOPICS = (
    *("debt", "price", "balance", "weight", "age", "dose"),
    *("address", "job", "contact", "state", "arrangement"),
)
OTHER_TOPICS = 4  # for each statement, topics that it does not state
OTHER_WEIGHT = 0.5
PENALTY, TOPIC_PENALTY = 0.15, 0.03  # on the squares of the weights
STEPS, RATE = 600, 0.05
LEFT_OUT = 5  # every fifth object measures
PAIRS, LONG, MARKS = 2, 5, ".,;:!?()\"'"
PLAIN_SETS = ("xquad-en", "xquad-de", "memorybank-en")  # questions for nothing that changes
PLAIN = 300

Floats = NDArray[np.float64]


class Written(msgspec.Struct):
    topic: str
    lang: str
    subject: str
    questions: list[str]
    states: list[str]
    other: list[str] = msgspec.field(name="not", default_factory=list)


class Rows(NamedTuple):
    """Texts as rows of a sparse matrix, with the class of each."""

    row: NDArray[np.int64]
    bucket: NDArray[np.int64]
    value: Floats
    classes: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[list[int]], classes: Sequence[int]) -> "Rows":
        length = np.array([len(one) for one in texts])
        row = np.repeat(np.arange(len(texts)), length)
        bucket = np.array([bucket for one in texts for bucket in one], np.int64)
        return cls(row, bucket, 1 / np.sqrt(length)[row], np.array(classes, np.int64))


def fit_statements(written: Sequence[Written]) -> WordModel:
    """One model for each topic, with a part that all topics share."""
    source = np.random.default_rng(1)
    texts, topics, labels, weights = [], [], [], []
    for one in (one for one in written if one.topic != NONE):
        own, subject = TOPICS.index(one.topic), stems_of(one.subject)
        others = [at for at in range(len(TOPICS)) if at != own]
        for said in one.states:
            buckets = buckets_of(said, subject)
            for topic in (own, *source.choice(others, OTHER_TOPICS, replace=False)):
                texts.append(buckets)
                topics.append(int(topic))
                labels.append(1.0 if topic == own else 0.0)
                weights.append(1.0 if topic == own else OTHER_WEIGHT)
        for said in one.other:
            texts.append(buckets_of(said, subject))
            topics.append(own)
            labels.append(0.0)
            weights.append(1.0)
    rows, label, weight = Rows.of(texts, topics), np.array(labels), np.array(weights)
    size = (len(TOPICS) + 1) * BUCKETS
    of_topic = (rows.classes[rows.row] + 1) * BUCKETS + rows.bucket

    def slope(at: Floats) -> Floats:
        table, starts = at[:size], at[size:]
        parts = rows.value * (table[rows.bucket] + table[of_topic])
        sums = np.bincount(rows.row, parts, len(label)) + starts[rows.classes]
        miss = weight * (1 / (1 + np.exp(-sums)) - label)
        each = rows.value * miss[rows.row]
        found = np.bincount(rows.bucket, each, size) + np.bincount(of_topic, each, size)
        return np.append(found, np.bincount(rows.classes, miss, len(TOPICS))) + PENALTY * at

    found = _descend(slope, size + len(TOPICS))
    table = found[:size].reshape(len(TOPICS) + 1, BUCKETS)
    return _word_model(TOPICS, table[1:] + table[0], found[size:])


def fit_topics(written: Sequence[Written], plain: Sequence[str]) -> WordModel:
    """The topic of a question. `plain`: further questions that ask for none."""
    names = (NONE, *TOPICS)
    texts = [(question, names.index(one.topic)) for one in written for question in one.questions]
    texts += [(question, 0) for question in (*plain, *_word_pairs(written))]
    rows = Rows.of([buckets_of(_plain(text)) for text, _ in texts], [at for _, at in texts])
    right = np.eye(len(names))[rows.classes]
    size = BUCKETS * len(names)

    def slope(at: Floats) -> Floats:
        table, starts = at[:size].reshape(BUCKETS, len(names)), at[size:]
        sums = np.zeros_like(right)
        np.add.at(sums, rows.row, rows.value[:, np.newaxis] * table[rows.bucket])
        sums += starts
        shares = np.exp(sums - sums.max(1, keepdims=True))
        miss = shares / shares.sum(1, keepdims=True) - right
        found = np.zeros_like(table)
        np.add.at(found, rows.bucket, rows.value[:, np.newaxis] * miss[rows.row])
        return np.append(found.ravel(), miss.sum(0)) + TOPIC_PENALTY * at

    found = _descend(slope, size + len(names))
    return _word_model(names, found[:size].reshape(BUCKETS, len(names)).T, found[size:])


def _word_pairs(written: Sequence[Written]) -> Iterator[str]:
    """Short questions for nothing that changes: the subject and a word of another sentence, which
    no question for a fact has: "Rosa birthday"."""
    known = {word for one in written for q in one.questions for word in q.lower().split()}
    for one in written:
        words = [word.strip(MARKS) for said in one.other for word in said.split()]
        telling = [w for w in words if len(w) >= LONG and w.isalpha() and w.lower() not in known]
        yield from (f"{one.subject} {word}" for word in telling[:PAIRS])


def _plain(question: str) -> str:
    return question.strip().rstrip("?？").lower()


def _descend(slope: Any, size: int) -> Floats:
    """The minimum of a convex function, by steps that are scaled for each number (Adam)."""
    at, mean, square = np.zeros(size), np.zeros(size), np.zeros(size)
    for step in range(1, STEPS + 1):
        down = slope(at)
        mean = 0.9 * mean + 0.1 * down
        square = 0.99 * square + 0.01 * down**2
        scaled = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        at -= RATE * (1 - step / (STEPS + 1)) * scaled
    return at


def _word_model(classes: tuple[str, ...], table: Floats, starts: Floats) -> WordModel:
    scale = float(np.abs(table).max()) / 127
    return WordModel(
        classes, np.round(table / scale).astype(np.int8), scale, tuple(starts.tolist())
    )


def measure(model: StatementModel, written: Sequence[Written]) -> None:
    """Print how well the model does on these objects."""
    for topic in TOPICS:
        one_topic = [one for one in written if one.topic == topic]
        judged = [
            [model.likelihood(topic, said, stems_of(one.subject)) for said in sentences]
            for one in one_topic
            for sentences in (one.states, one.other)
        ]
        right = np.array([p for said in judged[::2] for p in said])
        wrong = np.array([p for said in judged[1::2] for p in said])
        auc = (right[:, np.newaxis] > wrong).mean()
        asked = [
            model.topic_of(question) == topic for one in one_topic for question in one.questions
        ]
        print(f"{topic}: AUC {auc:.3f}, questions understood {np.mean(asked):.3f}")
    asked = [
        model.topic_of(q) is None for one in written if one.topic == NONE for q in one.questions
    ]
    print(f"questions for nothing that changes, understood: {np.mean(asked):.3f}")


def plain_questions() -> list[str]:
    """Questions of other sets, in an order that does not depend on the sets."""
    found = [question.text for name in PLAIN_SETS for question in load(DATA, name).questions]
    np.random.default_rng(0).shuffle(found)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.statements", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the weights that ship")
    given = parser.parse_args()
    lines = WRITTEN.read_bytes().splitlines()
    written = [msgspec.json.decode(line, type=Written) for line in lines]
    plain = plain_questions()
    fitted = [one for at, one in enumerate(written) if at % LEFT_OUT]
    model = StatementModel(fit_topics(fitted, plain[:PLAIN]), fit_statements(fitted))
    measure(model, written[::LEFT_OUT])
    wrong = [model.topic_of(question) is not None for question in plain[PLAIN:]]
    print(f"of {len(wrong)} other questions, taken for one about a fact: {np.mean(wrong):.3f}")
    if given.write:
        _write(StatementModel(fit_topics(written, plain[:PLAIN]), fit_statements(written)))


def _write(model: StatementModel) -> None:
    arrays: dict[str, Any] = {}
    for name, one in model._asdict().items():
        arrays |= {
            f"{name}_classes": np.array(one.classes),
            f"{name}_rows": one.rows,
            f"{name}_scale": np.array(one.scale),
            f"{name}_starts": np.array(one.starts),
        }
    np.savez_compressed(OUTPUT, **arrays)


if __name__ == "__main__":
    main()
