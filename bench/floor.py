"""The effect of the relevance floor on answerable questions and on nonsense.

It repeats the steps of the daemon without a daemon, so that results below the floor are visible.
"""

import asyncio
import random
from collections.abc import Iterable, Sequence
from importlib.resources import files as resources
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from bench.collections import Collection
from bench.store import newest
from ragd.embed.providers.local_model import EmbeddedEmbedder, model_of
from ragd.embed.providers.shipped_models import ENGLISH, ShippedModel
from ragd.notes.wordpiece import WordPiece
from ragd.search.query.filters import Filters
from ragd.search.query.query_terms import query_terms
from ragd.search.ranking.cosine_scale import SCALES
from ragd.search.ranking.fusion import FusionWeights, gather, order
from ragd.search.ranking.relevance import FLOOR, relevance
from ragd.search.ranking.retrieval_trust import retrieval_trust
from ragd.store.lance import ChunkIndex, ChunkRow, LanceStore, condition

TOP = 10
DEPTH = 50
QUESTIONS = 200  # of a collection: enough to see one percent
STEPS = (0.1, 0.2, 0.4, 0.6, 0.8)


class Effect(NamedTuple):
    """Shares from 0 to 1.

    `lost`: relevant notes among the ten best that the floor removes; `answered`: nonsense questions
    that still get an answer (without a floor all would, because some passage is always the
    nearest); `right`: relevant passages among those with a score between two `STEPS`.
    """

    lost: float
    answered: float
    right: tuple[float | None, ...]


def nonsense(count: int = 120, seed: int = 7) -> list[str]:
    """Meaningless questions: made-up words in correct sentences, and random letters."""
    source = random.Random(seed)

    def word() -> str:
        parts = [
            source.choice("bcdfghjklmnpqrstvwxz")
            + source.choice("aeiou")
            + source.choice("kmnrst ")
            for _ in range(source.randint(2, 3))
        ]
        return "".join(parts).replace(" ", "")

    def letters() -> str:
        return "".join(source.choices("qwertyuiopasdfghjklzxcvbnm", k=source.randint(4, 10)))

    forms = (
        *("What is the {} of a {}?", "How did I {} the {} last time?", "{} {} {}"),
        *("When do we {} with {} and {}?", "Where is the {} for my {}?", "tell me about {}"),
    )
    made = []
    for number in range(count):
        make = letters if number % 3 == 2 else word
        form = forms[number % len(forms)]
        made.append(form.format(*(make() for _ in range(form.count("{}")))))
    return made


def effect(collection: Collection, vectors: Path) -> Effect:
    return asyncio.run(_effect(collection, vectors))


async def _effect(collection: Collection, vectors: Path) -> Effect:
    vocabulary = resources("ragd").joinpath("data", "vocab.txt").read_text("utf-8")
    store = LanceStore(vectors)
    index = await store.open(await newest(store))
    model = model_of(index.identity.space) or ENGLISH
    scoring = _Scoring(EmbeddedEmbedder(model=model), WordPiece(vocabulary), model)
    try:
        scored: list[tuple[float, bool]] = []
        step = max(1, len(collection.questions) // QUESTIONS)
        for question in collection.questions[::step]:
            where = condition(Filters((question.folder,))) if question.folder else None
            for row, score in await scoring.best(index, question.text, where):
                scored.append((score, row.source_file in question.answers))
        best = [
            max((score for _, score in await scoring.best(index, text, None)), default=0.0)
            for text in nonsense()
        ]
    finally:
        await scoring.close()
        index.close()
        store.close()
    lost = fmean(score < FLOOR for score, relevant in scored if relevant)
    answered = fmean(score >= FLOOR for score in best)
    return Effect(lost, answered, _right(scored))


class _Scoring:
    """Searches as the daemon does, and scores every candidate."""

    def __init__(self, embedder: EmbeddedEmbedder, pieces: WordPiece, model: ShippedModel) -> None:
        self._model = model
        self._embedder = embedder
        self._pieces = pieces

    async def best(
        self, index: ChunkIndex, text: str, where: str | None
    ) -> list[tuple[ChunkRow, float]]:
        subject = query_terms(text, self._pieces.count)
        vector, words = await asyncio.gather(
            index.find_by_vector(await self._embedder.embed_query(text), DEPTH, where),
            index.find_by_words(subject.content_words, DEPTH, where),
        )
        trust = retrieval_trust(self._model.language, subject.readable, None, {})
        scale = SCALES[self._model.name]
        weights = FusionWeights(0.5 * trust.vector, 0.5, reach=scale.reach)
        ranked = order(gather(vector, words).values(), weights)[:TOP]
        found = {one.chunk_id: one for one in ranked}
        rows = await index.read_chunks(list(found))
        shares = [subject.share_in(row.title, row.heading_path, row.chunk_text) for row in rows]
        return [
            (row, relevance(found[row.chunk_id].cosine, share, subject.readable, scale=scale))
            for row, share in zip(rows, shares, strict=True)
        ]

    async def close(self) -> None:
        await self._embedder.close()


def _right(scored: Sequence[tuple[float, bool]]) -> tuple[float | None, ...]:
    edges = [*STEPS, 1.01]
    bins = [
        [relevant for score, relevant in scored if low <= score < high]
        for low, high in pairwise(edges)
    ]
    return tuple(fmean(some) if some else None for some in bins)


def table(effects: dict[str, Effect]) -> Iterable[str]:
    """The effects as a table for the page."""
    edges = [*STEPS, 1.0]
    spans = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
    heads = ["relevant lost", "nonsense answered", *spans]
    yield f"| | {' | '.join(heads)} |"
    yield "|---" * (1 + len(heads)) + "|"
    for name, one in effects.items():
        cells = [one.lost, one.answered, *one.right]
        shown = ["" if cell is None else f"{cell:.1%}" for cell in cells]
        yield f"| {name} | {' | '.join(shown)} |"
