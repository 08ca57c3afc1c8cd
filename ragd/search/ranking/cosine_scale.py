"""The numbers of the search that depend on the model: how to read its cosines. Pure.

docs/retrieval.md has the measurements.
"""

from msgspec import Struct, structs

from ragd.embed.providers.shipped_models import GRANITE, MINILM, MULTILINGUAL, ShippedModel
from ragd.search.query.query_terms import MOST_WORDS


class CosineScale(Struct, frozen=True):
    """Cosines, and differences of cosines. The background is `fusion.background_cosine`.

    `unrelated`: the cosine between a question and an unrelated text, if the model has the
    question's words in its vocabulary. `unreadable`: the same if it does not. `same`: the cosine
    between a question and a text that answers it fully.
    `reach`: this far above the background, a cosine weighs as much as the best match of words.
    `far_out`: this far above the background, a passage stands out fully. `linked_below`: how far
    below the background a linked note may be. `above_anchors`: how much nearer than unrelated texts
    a memory must be if it shares no word with the question; None: no comparison is needed.
    `foreign`: like `unrelated`, for a question in a language that no note is in; None: the model
    reads one language only. `cover`: what a passage gains, in addition to its BM25, if it has all
    words of the question; in proportion less for a question with more words than `cover_words`.
    `nearby`: what it gains if all of them stand near each other.
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
    nearby: float = 0.0

    def cover_for(self, words: int) -> float:
        """What a passage gains if it has all words of a question with this many words."""
        return self.cover * min(1.0, self.cover_words / max(1, words))


DEFAULT_SCALE = CosineScale(  # for a model that was not measured
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
        nearby=0.28,
    ),
    MULTILINGUAL.name: structs.replace(
        DEFAULT_SCALE,
        unrelated=0.17,
        unreadable=0.17,
        same=0.65,
        reach=0.3,
        foreign=0.05,
        cover=0.4,
        nearby=0.28,
    ),
    MINILM.name: structs.replace(DEFAULT_SCALE, above_anchors=None),
}


def known_scale(model: ShippedModel | None) -> CosineScale | None:
    """The scale of a shipped model; None for any other model."""
    return SCALES[model.name] if model is not None else None
