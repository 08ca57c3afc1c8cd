"""Marks in the best results which sentences most likely answer the question (`best_sentences`).

It embeds the sentences of a few passages. If that takes too long, or if they would have to leave
this machine, the results stay as they are. It ranks nothing.
"""

import asyncio
import contextlib

from msgspec import structs

from ragd.embed.providers.embedder_port import EmbeddingError, Vector, cosine
from ragd.embed.providers.provider_choice import Providers
from ragd.search.best_sentences import best_places, split_places
from ragd.search.result_picker import ShownPassage
from ragd.search.retrieval import Question

WITHIN_S = 0.4
MARKED = 5  # results: as many as `ragctl search` shows
LEAST_SCORE = 0.4  # of a result after the first whose text is shown at some length
LEAST_CHARS = 300  # a shorter text is shown whole


class SentenceMarker:
    """Marks sentences with vectors of the index's own space."""

    def __init__(self, providers: Providers) -> None:
        self._providers = providers

    async def mark(
        self, question: Question, vector: Vector, found: list[ShownPassage]
    ) -> list[ShownPassage]:
        """The results; those that are long and good enough have their best sentences."""
        if question.index.identity.space.provider != "embedded":
            return found
        marked = list(found)
        with contextlib.suppress(TimeoutError, EmbeddingError):
            async with asyncio.timeout(WITHIN_S):
                embedder = await self._providers.embedder_for(question.index.identity)
                for at, (row, result) in enumerate(found[:MARKED]):
                    text = result.chunk_text
                    if (at and result.score < LEAST_SCORE) or len(text) < LEAST_CHARS:
                        continue
                    places = split_places(text)
                    made = await embedder.embed([text[start:end] for start, end in places])
                    cosines = [cosine(vector, one) for one in made]
                    best = best_places(text, places, cosines, question.terms.share_in)
                    marked[at] = (row, structs.replace(result, best_sentences=best))
        return marked
