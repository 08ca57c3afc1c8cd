"""Builds the question that is looked up from a prepared query, and starts to embed it.

It reads the index for word frequencies and for notes of the time that is named. It ranks nothing.
"""

import asyncio
from collections.abc import Callable, Sequence

from msgspec import structs

from ragd.config.live_settings import Settings
from ragd.embed.providers.local_model import model_of
from ragd.health.current_health import CurrentReason
from ragd.search.dates import NamedTime
from ragd.search.facts.question_subject import guess_asked_fact
from ragd.search.prepared_query import PreparedQuery
from ragd.search.query.filters import Filters
from ragd.search.query.query_terms import content_stems, query_terms
from ragd.search.query.question_frame import without_frame
from ragd.search.query.question_language import question_language
from ragd.search.query_vector import QueryVector, QueryVectors
from ragd.search.question_dates import near_condition
from ragd.search.ranking.title_match import weigh_words
from ragd.search.retrieval import Question
from ragd.search.statement_weights import statement_model
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex, condition

NAME_CHARACTERS = 200  # a longer question is not the name of a note

Count = Callable[[str], int]


class QuestionBuilder:
    """Builds questions."""

    def __init__(
        self, ledger: Ledger, settings: Settings, vectors: QueryVectors, count_tokens: Count
    ) -> None:
        self._ledger = ledger
        self._settings = settings
        self._vectors = vectors
        self._count_tokens = count_tokens

    async def build(
        self,
        prepared: PreparedQuery,
        filters: Filters,
        named: NamedTime,
        index: ChunkIndex,
        health: Sequence[CurrentReason],
    ) -> Question:
        """The question to look up. The caller must end its `vector_task`."""
        has_date_filter = filters.start is not None or filters.end is not None
        # A date filter replaces the named time, unless the question asks for nothing else.
        spans = named.spans if named.lists_everything or not has_date_filter else ()
        whole = "" if named.lists_everything else named.rest
        other_filters = filters.without_phrases
        timely = near_condition(other_filters, spans)
        if (
            timely
            and named.is_written
            and not named.lists_everything
            and not await index.count(near_condition(filters, spans))
        ):
            # No note has that date, but one may mention it.
            whole, timely = prepared.text, None
        text = without_frame(whole)
        frequencies = await index.word_frequencies()
        request, settings = prepared.request, self._settings.current.search
        language = question_language(prepared.text, frequencies.languages)
        terms = query_terms(text, self._count_tokens, whole, language)
        return Question(
            terms,
            index,
            condition(other_filters),
            timely,
            by_words=settings.fusion != "weighted" or settings.text_weight > 0,
            vector_task=asyncio.create_task(self._embed(text, index, health)),
            text=text,
            asked_fact=guess_asked_fact(text, statement_model()),
            spans=spans,
            language=language,
            lists_everything=named.lists_everything or prepared.lists_everything,
            shows_all=filters.selects_few_notes,
            is_literal=prepared.is_literal,
            frequencies=frequencies,
            excluded=content_stems(prepared.excluded, request.query),
            by_file_time=request.by_file_time,
            tagged=_own_tag_condition(other_filters),
            phrases=filters.phrases,
            name=_note_name(request.query),
            explain=request.explain,
            model=model_of(index.identity.space),
            word_weights=weigh_words(terms.stems, frequencies),
            key_weights=weigh_words(terms.key_stems, frequencies),
        )

    async def _embed(
        self, query: str, index: ChunkIndex, health: Sequence[CurrentReason]
    ) -> QueryVector:
        if not any(character.isalnum() for character in query):
            return QueryVector()  # a query without words has no meaning to embed
        return await self._vectors.embed(query, index, self._ledger.state.catalog, health)


def _note_name(query: str) -> str:
    """The question as the name of a note or of its file; empty if it is too long for one."""
    return query.strip().removesuffix(".md") if len(query) <= NAME_CHARACTERS else ""


def _own_tag_condition(filters: Filters) -> str | None:
    """The condition for passages that carry a requested tag themselves; None without tags."""
    return condition(structs.replace(filters, tag_column="tags")) if filters.tags else None
