"""Looks up a question by its meaning (vectors) and by its words (full text), at the same time.

It ranks nothing. The full-text search runs while the question is still being embedded.
"""

import asyncio
import itertools
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, structs

from ragd.embed.providers.shipped_models import ShippedModel
from ragd.search.dates import Span
from ragd.search.query.conditions import Condition
from ragd.search.query.query_terms import QueryTerms
from ragd.search.query_vector import QueryVector
from ragd.search.ranking.cosine_scale import USUAL, CosineScale, known_scale
from ragd.search.ranking.title_match import Frequencies, WordWeights
from ragd.store.lance import ChunkHit, ChunkIndex

TIMELY_DEPTH = 100
SUBJECT_DEPTH = 100


class Question(Struct, frozen=True):
    """What is looked for, and where.

    `spans`: the time that the question names; `timely`: where, but only of that time and the days
    around it; None if it names none.
    `phrases`: what passages must have or not have, besides.
    `tagged`: where, but only passages that carry a tag asked for themselves; None: none is.
    """

    terms: QueryTerms
    index: ChunkIndex
    where: str | None
    timely: str | None
    by_words: bool
    vector_task: "asyncio.Task[QueryVector]"
    text: str = ""  # without the words of a time
    subject: str = ""  # words that name the subject of a fact that may be out of date
    spans: tuple[Span, ...] = ()
    language: str | None = None  # ISO 639-1, if the question shows one
    lists_everything: bool = False  # everything of that time is asked for
    shows_all: bool = False  # whatever passes the filters is worth showing
    is_literal: bool = False  # only exact phrases are asked for, and every passage has them
    explain: bool = False  # say what decided the order
    by_file_time: bool = False  # the file's time counts as the note's own date
    tagged: str | None = None
    name: str = ""  # the question as a name that a note may have; empty if it is too long for one
    frequencies: Frequencies = Frequencies()  # how common words are in the notes
    phrases: tuple[Condition, ...] = ()
    notes: tuple[str, ...] | None = None  # only in these few, by meaning if it can be; None: in all
    excluded: frozenset[str] = frozenset()  # stems of words that are not wanted
    model: ShippedModel | None = None  # of the index's vectors, if it came with ragd
    word_weights: WordWeights = WordWeights({}, 0.0)  # of its content words
    key_weights: WordWeights = WordWeights({}, 0.0)  # the same without words that only ask

    def within(self, paths: Iterable[str]) -> "Question":
        """The same question to these notes only."""
        return structs.replace(self, notes=tuple(paths), timely=None, tagged=None, name="")

    @property
    def model_language(self) -> str | None:
        """`english` or `multilingual`; None if the vectors are those of another provider."""
        return self.model.language if self.model is not None else None

    @property
    def scale(self) -> CosineScale:
        """What the cosines of passages to this question mean."""
        return known_scale(self.model) or USUAL

    @property
    def is_foreign(self) -> bool:
        """It is in a language that no note is in."""
        return self.frequencies.lack(self.language)

    @property
    def retrieval(self) -> str:
        """How it was looked up, once it was."""
        if not self.vector_task.done() or self.vector_task.result().vector is None:
            return "full_text"
        return "hybrid" if self.by_words else "vector"


class Retrieved(Struct, frozen=True):
    """What was found, each leg's best first, and which of it carries a tag that is asked for.

    `is_complete`: there is nothing more to find, however deep one looks.
    """

    vector: list[ChunkHit]
    text: list[ChunkHit]
    is_complete: bool
    tagged: frozenset[str] = frozenset()
    named: Sequence[ChunkHit] = ()  # first passages of the notes whose name is the question

    @property
    def hits(self) -> Iterator[ChunkHit]:
        """All of them; some chunks more than once."""
        return itertools.chain(self.vector, self.text, self.named)


async def retrieve(question: Question, depth: int) -> Retrieved:
    """The best `depth` by meaning and by words, those of the time that is named, those
    that carry a tag themselves, and those that name the subject of a fact that changes."""
    (
        (vector, text),
        (timely_vector, timely_text),
        (tagged_vector, tagged_text),
        named,
        of_subject,
    ) = await asyncio.gather(
        _look_up(question, depth, question.where),
        _look_up(question, TIMELY_DEPTH, question.timely) if question.timely else _no_hits(),
        _look_up(question, depth, question.tagged) if question.tagged else _no_hits(),
        question.index.find_by_name(question.name, question.where, question.phrases),
        _search_subject(question),
    )
    return Retrieved(
        _appended(vector, timely_vector, tagged_vector),
        _appended(text, timely_text, tagged_text, of_subject),
        len(vector) < depth and len(text) < depth,
        frozenset(hit.chunk_id for hit in (*tagged_vector, *tagged_text)),
        named,
    )


async def _look_up(
    question: Question, depth: int, where: str | None
) -> tuple[list[ChunkHit], list[ChunkHit]]:
    vector, text = await asyncio.gather(
        _search_vectors(question, depth, where), _search_text(question, depth, where)
    )
    return vector, text


async def _search_vectors(question: Question, depth: int, where: str | None) -> list[ChunkHit]:
    asked = await asyncio.shield(question.vector_task)
    if asked.vector is None:
        return []
    return await question.index.find_by_vector(
        asked.vector, depth, where, question.phrases, question.notes
    )


async def _search_text(question: Question, depth: int, where: str | None) -> list[ChunkHit]:
    has_other_way = not question.by_words or question.notes is not None
    if has_other_way and (await asyncio.shield(question.vector_task)).vector is not None:
        return []  # without a vector, words are all there is
    words = question.terms.full_text_words(question.frequencies.languages)
    return await question.index.find_by_words(words, depth, where, question.phrases, question.notes)


async def _search_subject(question: Question) -> list[ChunkHit]:
    """What names the subject: the newest statement may have no other word of the question."""
    if not question.subject or not question.by_words or question.notes is not None:
        return []
    index, where = question.index, question.where
    return await index.find_by_words(question.subject, SUBJECT_DEPTH, where, question.phrases)


async def _no_hits() -> tuple[list[ChunkHit], list[ChunkHit]]:
    return [], []


def _appended(hits: list[ChunkHit], *more: list[ChunkHit]) -> list[ChunkHit]:
    """Those of `more` that are not there yet are worse than all that are."""
    found = {hit.chunk_id: hit for hit in hits}
    for others in more:
        for hit in others:
            found.setdefault(hit.chunk_id, hit)
    return list(found.values())
