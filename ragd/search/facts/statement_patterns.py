"""What the patterns for statements in one language consist of. Only types and parts of patterns."""

import re
from collections.abc import Mapping

from msgspec import Struct

from ragd.notes.late_pattern import LatePattern
from ragd.search.facts.amounts import AMOUNT_PATTERN

# The beginning of a name, also where letters are compared without case.
NAME = r"(?-i:[A-ZÀ-ÞА-Я])[\w'’.-]*"
SUM = rf"(?:R?(?:{AMOUNT_PATTERN}))"


class ForeignStatements(Struct, frozen=True):
    """Statements in one language, or in a few that are alike.

    `words`: words that a statement of a topic has, beside its value. `home`, `work`: the whole
    statement. `before`, `after`: around a subject that the sentence is not about: "la sœur de".
    `unreal`: wishes and conditions. `to_user`: somebody owes the user money, or gave it back.
    """

    words: Mapping[str, LatePattern]
    home: LatePattern
    work: LatePattern
    unreal: LatePattern
    to_user: LatePattern
    before: LatePattern | None = None
    after: LatePattern | None = None


def whole_words(text: str) -> LatePattern:
    return LatePattern(rf"(?<!\w)(?:{text})(?!\w)", re.I)


def anywhere(text: str) -> LatePattern:
    return LatePattern(text, re.I)
