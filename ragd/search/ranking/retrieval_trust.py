"""How much each way of looking up can know about a question, by languages. Pure.

A model knows little of a question that it cannot read. Words know little of notes in another
language than the question's: what they still find are names and numbers. docs/retrieval.md has
the measurements.
"""

from collections.abc import Mapping

from msgspec import Struct

from ragd.embed.providers.model_choice import READ_BY_MULTILINGUAL
from ragd.search.ranking.fusion import UNREAD, trust

FOREIGN = 0.25  # what words still weigh when no note is in the question's language
AT_HOME = 0.1  # from this share of notes in the question's language on, words weigh in full


class RetrievalTrust(Struct, frozen=True):
    """What each lookup weighs, from 0 to 1, as a part of the configured weight."""

    vector: float = 1.0
    text: float = 1.0


def retrieval_trust(
    model: str | None, readable: float, asked: str | None, notes: Mapping[str, int]
) -> RetrievalTrust:
    """`model`: `english` or `multilingual`, or None for a model that was not measured.
    `readable`: which part of the question the English vocabulary knows. `asked`: the question's
    language, if it shows one. `notes`: how many notes of a sample are in each language."""
    if model == "english":
        return RetrievalTrust(vector=trust(readable))
    if model != "multilingual" or asked is None:
        return RetrievalTrust()
    is_read = asked == "en" or asked in READ_BY_MULTILINGUAL
    vector = 1.0 if is_read else UNREAD
    total = sum(notes.values())
    if not total or not is_read:
        return RetrievalTrust(vector)
    at_home = min(1.0, notes.get(asked, 0) / total / AT_HOME)
    return RetrievalTrust(vector, FOREIGN + (1 - FOREIGN) * at_home)
