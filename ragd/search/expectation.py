"""Where a note that was expected fell out of a search. Pure.

It has no text of a note.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec import UNSET, Struct, UnsetType, structs

from ragd.search.ranking.result_explanation import ResultExplanation
from ragd.search.results import Number, Result

FOUND, AMBIGUOUS, NOT_FOUND, NOT_INDEXED = "found", "ambiguous", "not_found", "not_indexed"
PRIVATE, OTHER_COLLECTION, HIDDEN, GONE = "private", "other_collection", "hidden", "gone"
FILTERED, DUPLICATE, BELOW_FLOOR, NO_VECTOR = "filtered", "duplicate", "below_floor", "no_vector"
OUTRANKED, NOT_NEAR = "outranked", "not_near"
WITHHELD, BEYOND_LIMITS = "withheld", "beyond_limits"


class ExpectedNote(Struct, frozen=True):
    """Where an expected note fell out (`stage`), in words (`reason`), and what helps."""

    stage: str
    reason: str
    suggestion: str | None = None
    path: str | None = None
    candidates: tuple[str, ...] = ()  # the notes with this name, if there are several
    filters: tuple[str, ...] = ()  # those that leave it out
    passages: int = 0
    vectors: int = 0
    rank: int | None = None  # among different passages; for a result, its number
    citation: str | None = None  # of its best passage
    evidence: Mapping[str, Number] | UnsetType = UNSET
    explanation: ResultExplanation | UnsetType = UNSET


def expected_in_answer(
    expected: ExpectedNote, results: Sequence[Result], withheld: Collection[str]
) -> ExpectedNote:
    """The same, unless the answer lacks a note that was found. `withheld`: the citations of the
    passages that are withheld."""
    if expected.stage != FOUND or any(one.source_file == expected.path for one in results):
        return expected
    if expected.citation in withheld:
        reason = "It was found, but it is sensitive, so it is withheld until you agree."
        return structs.replace(expected, stage=WITHHELD, reason=reason)
    reason = "It was found, but the request limits the score or the length of the answer."
    how = "Leave out `min_score` and `max_chars`."
    return structs.replace(expected, stage=BEYOND_LIMITS, reason=reason, suggestion=how)
