"""Looks up a question by its meaning (vectors) and by its words (full text), at the same time.

It ranks nothing. The full-text search runs while the question is still being embedded.
"""

import asyncio
import itertools
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, structs

from ragd.embed.providers.shipped_models import ShippedModel
from ragd.search.dates import Span
from ragd.search.facts.question_subject import AskedFact
from ragd.search.query.conditions import Condition
from ragd.search.query.query_terms import QueryTerms
from ragd.search.query_vector import QueryVector
from ragd.search.ranking.cosine_scale import DEFAULT_SCALE, CosineScale, known_scale
from ragd.search.ranking.title_match import Frequencies, WordWeights
from ragd.store.lance import ChunkHit, ChunkIndex

TIMELY_DEPTH = 100
SUBJECT_DEPTH = 100


class Question(Struct, frozen=True):
    """A question to look up, with the conditions for passages.

    `where`: the condition of the filters.
    `spans`: the time that the question names. `timely`: `where`, limited to that time and the days
    around it; None if the question names no time.
    `phrases`: phrases that passages must also have, or must not have.
    `tagged`: `where`, limited to passages that carry a requested tag themselves; None without tags.
    """

    terms: QueryTerms
    index: ChunkIndex
    where: str | None
    timely: str | None
    by_words: bool
    vector_task: "asyncio.Task[QueryVector]"
    text: str = ""  # without its time phrases
    asked_fact: AskedFact | None = None  # that changes over time
    spans: tuple[Span, ...] = ()
    language: str | None = None  # ISO 639-1, if it can be detected
    lists_everything: bool = False  # the answer is a list of all passages of that time
    shows_all: bool = False  # every passage that passes the filters is shown
    is_literal: bool = False  # it is only exact phrases, and every passage has them
    explain: bool = False  # results have the numbers that decided their rank
    by_file_time: bool = False  # the file's time counts as the note's own date
    tagged: str | None = None
    name: str = ""  # the question as the name of a note; empty if it is too long for one
    frequencies: Frequencies = Frequencies()  # how common words are in the notes
    phrases: tuple[Condition, ...] = ()
    notes: tuple[str, ...] | None = (
        None  # only these notes, by meaning if possible; None: all notes
    )
    excluded: frozenset[str] = frozenset()  # stems of excluded words
    model: ShippedModel | None = None  # that made the index's vectors, if ragd ships it
    word_weights: WordWeights = WordWeights({}, 0.0)  # of all content words
    key_weights: WordWeights = WordWeights(
        {}, 0.0
    )  # without words that only ask, such as "mention"

    def within(self, paths: Iterable[str]) -> "Question":
        """The same question, limited to these notes."""
        return structs.replace(self, notes=tuple(paths), timely=None, tagged=None, name="")

    @property
    def model_language(self) -> str | None:
        """`english` or `multilingual`; None for the vectors of another provider."""
        return self.model.language if self.model is not None else None

    @property
    def subject(self) -> str:
        """The words for the subject of a fact whose newest statement is wanted; mostly empty."""
        return "" if self.spans or self.asked_fact is None else self.asked_fact.words

    @property
    def scale(self) -> CosineScale:
        """The scale of the cosines between passages and this question."""
        return known_scale(self.model) or DEFAULT_SCALE

    @property
    def is_foreign(self) -> bool:
        """Whether none or few of the notes are in the question's language."""
        return self.frequencies.is_foreign(self.language)

    @property
    def retrieval(self) -> str:
        """How it was looked up; valid after the lookups."""
        if not self.vector_task.done() or self.vector_task.result().vector is None:
            return "full_text"
        return "hybrid" if self.by_words else "vector"


class Retrieved(Struct, frozen=True):
    """The hits of each lookup, best first.

    `is_complete`: a deeper lookup would find nothing more. `tagged`: ids of the chunks that carry
    a requested tag themselves.
    """

    vector: list[ChunkHit]
    text: list[ChunkHit]
    is_complete: bool
    tagged: frozenset[str] = frozenset()
    named: Sequence[ChunkHit] = ()  # first passages of notes whose name is the question

    @property
    def hits(self) -> Iterator[ChunkHit]:
        """The hits of all lookups; some chunks more than once."""
        return itertools.chain(self.vector, self.text, self.named)


async def retrieve(question: Question, depth: int) -> Retrieved:
    """The best `depth` passages by meaning and by words. Also passages of the named time, passages
    that carry a requested tag themselves, and passages that name the subject of a fact that
    changes."""
    index, where = question.index, question.where
    # All at once, but a task only for lookups that there are: most questions have the first three.
    vector, text, named, *others = await asyncio.gather(
        _search_vectors(question, depth, where),
        _search_text(question, depth, where),
        index.find_by_name(question.name, where, question.phrases),
        *_limited_searches(question, TIMELY_DEPTH, question.timely),
        *_limited_searches(question, depth, question.tagged),
        *([_search_subject(question)] if question.subject else []),
    )
    further = iter(others)
    timely_vector, timely_text = _next_two(further if question.timely else iter(()))
    tagged_vector, tagged_text = _next_two(further if question.tagged else iter(()))
    subject_hits = next(further, [])
    return Retrieved(
        _append_new(vector, timely_vector, tagged_vector),
        _append_new(text, timely_text, tagged_text, subject_hits),
        len(vector) < depth and len(text) < depth,
        frozenset(hit.chunk_id for hit in (*tagged_vector, *tagged_text)),
        named,
    )


def _limited_searches(
    question: Question, depth: int, where: str | None
) -> list[Coroutine[Any, Any, list[ChunkHit]]]:
    """The lookups within a further condition; none without one."""
    if not where:
        return []
    return [_search_vectors(question, depth, where), _search_text(question, depth, where)]


def _next_two(found: Iterator[list[ChunkHit]]) -> tuple[list[ChunkHit], list[ChunkHit]]:
    return next(found, []), next(found, [])


async def _search_vectors(question: Question, depth: int, where: str | None) -> list[ChunkHit]:
    embedded = await asyncio.shield(question.vector_task)
    if embedded.vector is None:
        return []
    return await question.index.find_by_vector(
        embedded.vector, depth, where, question.phrases, question.notes
    )


async def _search_text(question: Question, depth: int, where: str | None) -> list[ChunkHit]:
    only_by_meaning = not question.by_words or question.notes is not None
    if only_by_meaning and (await asyncio.shield(question.vector_task)).vector is not None:
        return []  # without a vector, only words can be looked up
    words = question.terms.full_text_words(question.frequencies.languages)
    return await question.index.find_by_words(words, depth, where, question.phrases, question.notes)


async def _search_subject(question: Question) -> list[ChunkHit]:
    """Passages that name the subject: the newest statement may share no other word."""
    if not question.by_words or question.notes is not None:
        return []
    index, where = question.index, question.where
    return await index.find_by_words(question.subject, SUBJECT_DEPTH, where, question.phrases)


def _append_new(hits: list[ChunkHit], *more: list[ChunkHit]) -> list[ChunkHit]:
    """The hits, then those of `more` that are new: they rank after all others."""
    found = {hit.chunk_id: hit for hit in hits}
    for others in more:
        for hit in others:
            found.setdefault(hit.chunk_id, hit)
    return list(found.values())
