"""What the cosines of a model mean: the numbers of the search that differ by model. Pure.

docs/retrieval.md has the measurements.
"""

from msgspec import Struct, structs

from ragd.embed.providers.shipped_models import GRANITE, MINILM, MULTILINGUAL, ShippedModel
from ragd.search.query.query_terms import MOST_WORDS


class CosineScale(Struct, frozen=True):
    """Cosines, and differences of cosines.

    `unrelated`: of a question in words that the model knows to what is unrelated. `unreadable`: of
    one in words that it does not know. `same`: of a question to what fully answers it.
    `reach`: a cosine so much above the crowd weighs as much as the best match of words.
    `far_out`: so much above the crowd, a passage stands out fully. `linked_below`: a linked note
    may be so far below the crowd. `above_anchors`: a memory that shares no word with a question
    must be so much nearer to it than texts about something else; None: those are not needed.
    `foreign`: like `unrelated`, for showing passages to a question in a language that no note is
    in; None: the model reads one language only. `cover`: what having all words of the question
    adds to a passage, beside its BM25; a question with more words than `cover_words` has less of
    it, in proportion.
    """

    unrelated: float
    unreadable: float
    same: float
    reach: float
    far_out: float
    linked_below: float
    above_anchors: float | None = 0.2
    foreign: float | None = None
    cover: float = 0.0
    cover_words: int = MOST_WORDS

    def cover_for(self, words: int) -> float:
        """What having all words of a question with so many adds."""
        return self.cover * min(1.0, self.cover_words / max(1, words))


USUAL = CosineScale(  # of a model of which nothing is known
    unrelated=0.2, unreadable=0.4, same=0.85, reach=0.5, far_out=0.3, linked_below=0.1
)
SCALES = {
    GRANITE.name: CosineScale(
        unrelated=0.58,
        unreadable=0.7,
        same=0.93,
        reach=0.125,
        far_out=0.18,
        linked_below=0.06,
        above_anchors=0.12,
        cover=0.4,
        cover_words=2,
    ),
    MULTILINGUAL.name: structs.replace(
        USUAL, unrelated=0.17, unreadable=0.17, same=0.65, reach=0.3, foreign=0.05, cover=0.4
    ),
    MINILM.name: structs.replace(USUAL, above_anchors=None),
}


def known_scale(model: ShippedModel | None) -> CosineScale | None:
    """The scale of a shipped model; None for another."""
    return SCALES[model.name] if model is not None else None
