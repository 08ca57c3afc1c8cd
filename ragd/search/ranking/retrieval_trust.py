"""How much to trust each lookup for a question, by languages. Pure.

Vectors say little about a question that the model cannot read. Words find little in notes of
another language: only names and numbers. docs/retrieval.md has the measurements.
"""

from collections.abc import Mapping

from msgspec import Struct

from ragd.embed.providers.model_choice import READ_BY_MULTILINGUAL
from ragd.search.ranking.fusion import UNREAD, vector_trust

FOREIGN = 0.25  # the weight of words if no note is in the question's language
FOREIGN_PASSAGE = 0.5  # of the weight of words: what meaning weighs more in another language
ENOUGH_NOTES = 0.1  # share of notes in the question's language from which words weigh in full


class RetrievalTrust(Struct, frozen=True):
    """The factor for the configured weight of each lookup, from 0 to 1.

    `foreign`: the part of the weight of words that meaning gets in addition, for passages in
    another language than the question: their words cannot match.
    """

    vector: float = 1.0
    text: float = 1.0
    foreign: float = 0.0


def retrieval_trust(
    model: str | None, readable: float, language: str | None, notes: Mapping[str, int]
) -> RetrievalTrust:
    """How much to trust each lookup.

    `model`: `english` or `multilingual`, or None for a model that was not measured. `readable`: the
    share of the question that the English vocabulary has. `language`: the question's, if it can be
    detected. `notes`: how many notes of a sample are in each language.
    """
    if model == "english":
        return RetrievalTrust(vector=vector_trust(readable))
    if model != "multilingual" or language is None:
        return RetrievalTrust()
    is_read = language == "en" or language in READ_BY_MULTILINGUAL
    vector = 1.0 if is_read else UNREAD
    total = sum(notes.values())
    if not total or not is_read:
        return RetrievalTrust(vector)
    enough = min(1.0, notes.get(language, 0) / total / ENOUGH_NOTES)
    return RetrievalTrust(vector, FOREIGN + (1 - FOREIGN) * enough, FOREIGN_PASSAGE)
