"""Judges by its words which fact a question asks for, and whether a sentence states it. Pure.

Two linear models over `statement_words`, fitted to sentences as in diaries and to questions, in
English and German (`python -m bench.statements`). They know nothing of other languages.
`ragd/search/statement_weights.py` reads their weights.
"""

import math
from collections.abc import Mapping, Set
from typing import Any, NamedTuple

from ragd.search.facts.statement_words import buckets_of

NONE = "none"  # a question for nothing that changes
LEAST_SURE = 0.5  # that a question asks for a fact


class WordModel(NamedTuple):
    """Weights of each class: `rows` has one row of integers for each, `scale` is what one of them
    means, `starts` are added to the sums."""

    classes: tuple[str, ...]
    rows: Any  # numpy, int8
    scale: float
    starts: tuple[float, ...]

    def sums(self, buckets: list[int], classes: Set[str]) -> Mapping[str, float]:
        """The sum of each of these classes for one text."""
        length = math.sqrt(max(1, len(buckets)))
        return {
            name: float(self.rows[at, buckets].sum()) * self.scale / length + self.starts[at]
            for at, name in enumerate(self.classes)
            if name in classes
        }


class StatementModel(NamedTuple):
    """Both models. `topics`: of a question, one of them `none`. `statements`: of a sentence."""

    topics: WordModel
    statements: WordModel

    def topic_of(self, question: str) -> str | None:
        """The topic that a question asks for; None if it probably asks for no fact."""
        plain = question.strip().rstrip("?？").lower()
        sums = self.topics.sums(buckets_of(plain), set(self.topics.classes))
        best = max(sums, key=sums.__getitem__)
        share = 1 / sum(math.exp(one - sums[best]) for one in sums.values())
        return best if best != NONE and share >= LEAST_SURE else None

    def likelihood(self, topic: str, sentence: str, subject: Set[str]) -> float:
        """How likely a sentence states the fact of a topic about its subject, from 0 to 1."""
        found = self.statements.sums(buckets_of(sentence, subject), {topic})
        return 1 / (1 + math.exp(-found[topic])) if topic in found else 0.0
