"""Runs one search: looks up candidates, ranks them, and drops notes that no longer exist.

It only reads. If one part fails, it answers with the other parts and reports the reason, unless
`search.fallback` is "none": then it refuses the search.
"""

import asyncio
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from msgspec import Struct, structs

from ragd.access.scope import Scope
from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.embed.providers.embedder_port import Vector
from ragd.errors import UNAVAILABLE, RagdError
from ragd.health.current_health import CurrentReason
from ragd.protocol.explain_requests import ExplainRequest
from ragd.protocol.tool_schemas import SearchRequest
from ragd.search import retrieval
from ragd.search.candidate_ranking import Ranker, mark_dates
from ragd.search.dates import NamedTime
from ragd.search.expectation import ExpectedNote
from ragd.search.expected_note import AskedSearch, ExpectedNotes
from ragd.search.fallback import Fallback
from ragd.search.file_check import FileCheck
from ragd.search.hints import find_hints, is_understood
from ragd.search.linked_notes import find_linked_notes, not_shown_yet
from ragd.search.listed_passages import find_listed_passages, order_listed
from ragd.search.passage_scoring import PassageScorer
from ragd.search.prepared_query import PreparedQuery, QueryPreparer
from ragd.search.query.filters import Filters, normalised
from ragd.search.query.typos import Correction
from ragd.search.query_vector import QueryVector, QueryVectors
from ragd.search.question_builder import QuestionBuilder
from ragd.search.question_dates import QuestionDates
from ragd.search.ranking import fusion
from ragd.search.ranking.score import NEEDED, NEEDED_FOREIGN, UNSURE_BELOW, scores
from ragd.search.related_notes import RelatedNote, RelatedNotes
from ragd.search.request_filters import RequestFilters, check_request, count_undated
from ragd.search.result_picker import ResultPicker, ShownPassage
from ragd.search.retrieval import Question, Retrieved
from ragd.search.sentence_marker import SentenceMarker
from ragd.search.vocabulary import VocabularyCache
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex, condition, in_scope
from ragd.store.open_indexes import OpenIndexes
from ragd.vault.collection_calls import CollectionStats

WITHIN_S = 8.0
SPARE_S = 0.5  # to send the results found by the deadline
OPENED_WITHIN_S = 2.0
DEPTH = 50  # candidates of each lookup in the first round
DEEPER = 4  # times as many in the next round, if notes of some candidates are gone
DEEPEST = 12_800
LINKED_PLACES = (4, 7, 9)  # of linked notes in the results, from 0
LINKED_DEPTH = 10  # passages of linked notes that are compared
_TIMED_OUT = QueryVector(code="TIMEOUT")  # marks a partial answer


class SearchableVault(CollectionStats, Protocol):
    """The vault, as the current configuration allows it to be read."""

    def includes(self, path: str) -> bool: ...

    def includes_folder(self, folder: str) -> bool: ...

    def count_tokens(self, text: str) -> int: ...


class SearchAnswer(Struct, frozen=True):
    """What a search found, and how. `code`: why the answer is incomplete, if it is."""

    found: list[ShownPassage]
    retrieval: str
    code: str | None
    chunks_scanned: int
    vector: Vector | None = None  # the question's
    space: str = ""  # the vector space of `vector`
    is_partial: bool = False  # the search ran out of time
    when: NamedTime | None = None  # the time that the question names, if it names one
    undated_notes: int | None = None  # notes without a date, if a date filter left no results
    corrections: list[Correction] = []  # mistyped words and the words searched instead
    filters: list[str] = []  # the limits in the question, as text for a person
    is_answered: bool = True  # false: no result is likely to answer the question
    is_unsure: bool = False  # the best result has a low score, so perhaps none answers it
    dated: list[tuple[str, str]] = []  # dates and texts of all candidates
    hints: list[str] = []  # why results are missing, and what helps
    expected: ExpectedNote | None = None  # where an expected note fell out, if one was named


class _AskedQuestion(NamedTuple):
    """A question with the results that were picked for it."""

    prepared: PreparedQuery
    question: Question
    picker: ResultPicker
    named: NamedTime

    @property
    def is_answered(self) -> bool:
        return self.picker.is_answered(_needed(self.question))

    def answer(
        self,
        best: list[ShownPassage],
        embedded: QueryVector,
        scanned: int,
        hints: Sequence[str],
        undated: int | None = None,
    ) -> SearchAnswer:
        """The answer with these results."""
        prepared, question = self.prepared, self.question
        # Without vectors, or in a language that they do not understand, nothing is known.
        is_known = embedded.code is None and is_understood(question)
        # What the user chose by a filter may answer in words that the question does not have.
        is_chosen = bool(prepared.filters) and bool(best)
        space = question.index.identity.space.identity if embedded.vector is not None else ""
        return SearchAnswer(
            best,
            question.retrieval,
            embedded.code,
            scanned,
            embedded.vector,
            space,
            is_partial=embedded is _TIMED_OUT,
            when=self.named if self.named.phrases else None,
            undated_notes=undated,
            corrections=list(prepared.corrections),
            filters=list(prepared.filters),
            is_answered=not is_known or is_chosen or self.is_answered,
            is_unsure=is_known and is_unsure(best),
            dated=self.picker.dated,
            hints=list(hints),
        )


def _needed(question: Question) -> float:
    """How much of words and meaning makes a result an answer to this question."""
    return NEEDED_FOREIGN if question.is_foreign else NEEDED


def is_unsure(best: Sequence[ShownPassage]) -> bool:
    """Whether perhaps none of these results answers the question."""
    return bool(best) and best[0][1].score < UNSURE_BELOW


class Searcher:
    """Answers questions from the index that serves."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        open_indexes: OpenIndexes,
        vectors: QueryVectors,
        notes: SearchableVault,
        marker: SentenceMarker,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._fallback = Fallback(ledger, settings)
        self._open_indexes = open_indexes
        self._notes = notes
        self._marker = marker
        self._file_check = FileCheck(notes)
        self._related = RelatedNotes(self._file_check, self._may_be_shown)
        self._question_dates = QuestionDates(clock, self._may_be_shown)
        self._ranker = Ranker(ledger, clock, settings)
        self._scorer = PassageScorer(ledger, settings)
        self._filters = RequestFilters(ledger, notes.includes_folder)
        self._questions = QuestionBuilder(ledger, settings, vectors, notes.count_tokens)
        self._expected = ExpectedNotes(
            ledger,
            settings,
            self._file_check,
            notes.includes,
            self._may_be_shown,
            self._ranker,
            self._scorer,
            lambda: open_indexes.serving,
        )
        vocabularies = VocabularyCache(clock)
        self._preparer = QueryPreparer(vocabularies, notes.count_tokens, self._may_be_shown)

    async def search(
        self, request: SearchRequest, health: Sequence[CurrentReason], scope: Scope
    ) -> SearchAnswer:
        """The passages in scope for a question. Raises RagdError if it is refused or cannot be
        answered."""
        check_request(request)  # first, so that the error does not depend on the notes
        for reason in health:
            if reason.state == UNAVAILABLE:
                raise RagdError(reason.code)
        deadline = asyncio.get_running_loop().time() + WITHIN_S
        try:
            async with asyncio.timeout_at(deadline + SPARE_S):
                return await self._search_serving_index(request, health, scope, deadline)
        except TimeoutError:
            raise RagdError("TIMEOUT") from None

    async def find_by_title(self, title: str, scope: Scope) -> Sequence[str]:
        """The paths of the notes in scope with this title or alias; none while no index is open."""
        serving = self._open_indexes.serving
        if serving is None:
            return ()
        index = _view(serving, scope)
        found = await index.find_by_title(normalised(title))
        return found or sorted({hit.source_file for hit in await index.find_by_name(title)})

    async def find_related(self, path: str, most: int, scope: Scope) -> list[RelatedNote] | None:
        """The notes in scope that are related to a note; None if the index does not have it, or it
        may not be shown. Raises RagdError if it would be answered by links alone and may not be."""
        self._fallback.require_stored_vectors(scope)
        try:
            async with asyncio.timeout(WITHIN_S):
                while True:
                    index = await self._open_index()
                    try:
                        return await self._related.find(_view(index, scope), path, most)
                    except Exception:
                        if self._open_indexes.serving is index:
                            raise
        except TimeoutError:
            raise RagdError("TIMEOUT") from None

    async def _search_serving_index(
        self,
        request: SearchRequest,
        health: Sequence[CurrentReason],
        scope: Scope,
        deadline: float,
    ) -> SearchAnswer:
        """Repeats the search if its index was closed meanwhile: by a switch to another index, or by
        a probe that reopened it. Both may happen during one search."""
        while True:
            index = await self._open_index()
            try:
                return await self._search(request, _view(index, scope), health, scope, deadline)
            except Exception:
                if self._open_indexes.serving is index:
                    raise

    async def _open_index(self) -> ChunkIndex:
        """The open index; waits for one that is being opened."""
        index = await self._open_indexes.wait_for_serving(self._clock, OPENED_WITHIN_S)
        if index is None:
            # Without the vault, the index could belong to another vault, so it stays closed.
            raise RagdError(self._ledger.state.health.vault_code or "STARTING")
        return index

    async def _search(
        self,
        request: SearchRequest,
        index: ChunkIndex,
        health: Sequence[CurrentReason],
        scope: Scope,
        deadline: float,
    ) -> SearchAnswer:
        """At the deadline, answers with the results found so far; without any, the search fails.

        `index` has only rows in scope."""
        folders = functools.partial(self._filters.searchable_folders, scope)
        prepared = await self._preparer.prepare(request, index, folders)
        filters = await self._filters.resolve(prepared, index, scope)
        named = await self._question_dates.find_time(prepared.text, index)
        question = await self._questions.build(prepared, filters, named, index, health)
        vector_task = question.vector_task
        counting = asyncio.create_task(index.count_matching(question.where, question.phrases))
        picker = self._result_picker(question, filters, prepared.request.max_results)

        asked = _AskedQuestion(prepared, question, picker, named)
        try:
            async with asyncio.timeout_at(deadline):
                await self._fallback.require_vectors(vector_task, scope)
                if question.lists_everything:
                    await self._list_all(question, filters, picker)
                else:
                    await self._collect(question, picker, prepared.request.max_results)
                    if question.shows_all and not picker.best:
                        await self._list_all(question, filters, picker)
                scanned, embedded = await counting, await vector_task
                undated = await count_undated(filters, index) if not picker.best else None
                best = picker.best
                hints = await find_hints(
                    prepared, named, question, asked.is_answered, is_unsure(best)
                )
                expected = None
                if isinstance(request, ExplainRequest) and request.expect.strip():
                    asked_search = AskedSearch(
                        question, filters, scope, best, prepared.request.max_results
                    )
                    expected = await self._expected.explain(request.expect, asked_search)
                if request.mark_sentences and embedded.vector is not None:
                    best = await self._marker.mark(question, embedded.vector, best)
            found = asked.answer(best, embedded, scanned, hints, undated)
            return found if expected is None else structs.replace(found, expected=expected)
        except TimeoutError:
            if not picker.best or not self._fallback.is_allowed:
                raise
            scanned = counting.result() if counting.done() else 0
            return asked.answer(picker.best, _TIMED_OUT, scanned, prepared.hints)
        finally:
            await _end(vector_task, counting)

    def _result_picker(self, question: Question, filters: Filters, most: int) -> ResultPicker:
        return ResultPicker(
            question.index,
            condition(filters),
            self._file_check,
            self._may_be_shown,
            functools.partial(self._scorer.score_passage, question),
            functools.partial(scores, model=question.model_language, needed=_needed(question)),
            most,
            each_note=filters.counts_each_note,
        )

    async def _collect(self, question: Question, picker: ResultPicker, most: int) -> None:
        """Pick the best candidates whose notes still exist; look deeper to replace missing ones."""
        depth = max(DEPTH, 2 * most)
        while True:
            found = await retrieval.retrieve(question, depth)
            has_room = await picker.pick(self._ranker.rank(question, found))
            if not has_room or found.is_complete or depth >= DEEPEST:
                break
            depth *= DEEPER
        await picker.list_other_notes()
        if most > LINKED_PLACES[0] and picker.best:
            await self._add_linked(question, picker, found)
        picker.mark_superseded()
        picker.mark_maybe_newer()

    async def _add_linked(self, question: Question, picker: ResultPicker, found: Retrieved) -> None:
        """Add notes that are linked with the best results, if some fit."""
        rows = [row for row, _ in picker.best]
        shown = {row.source_file for row in rows}
        shown.update(path for _, result in picker.best for path in result.also_in)
        via = not_shown_yet(await find_linked_notes(question.index, rows), shown)
        if not via:
            return
        near = await retrieval.retrieve(question.within(via), LINKED_DEPTH)
        background = fusion.background_cosine(fusion.gather(found.vector, found.text).values())
        least = background - question.scale.linked_below
        ranked = self._ranker.rank(question, near)
        fitting = [
            one
            for one in ranked
            if (one.cosine or -1.0) >= least or question.terms.share_in(one.title, one.text) > 0
        ]
        await picker.add_linked(fitting, via, LINKED_PLACES)

    async def _list_all(self, question: Question, filters: Filters, picker: ResultPicker) -> None:
        """Pick everything of the named time, or within the filters; newest first."""
        hits, tagged = await find_listed_passages(question, filters)
        found = fusion.gather((), hits)
        mark_dates(question, found, hits)
        await picker.pick(order_listed([found[hit.chunk_id] for hit in hits], tagged))

    def _may_be_shown(self, path: str) -> bool:
        """False for notes that the configuration denies and for skipped notes. A note that got
        `rag: false` may stay in the index for a while."""
        if path in self._ledger.state.catalog.skipped:
            return False
        return self._notes.includes(path)


async def _end(*tasks: "asyncio.Task[Any]") -> None:
    """End these tasks. Their errors are not raised."""
    for task in tasks:
        task.cancel()
    left = [one for one in tasks if not one.done() or one.cancelled() or one.exception()]
    await asyncio.gather(*left, return_exceptions=True)


def _view(index: ChunkIndex, scope: Scope) -> ChunkIndex:
    """The index, limited to the rows in scope: nothing after this has to check them again."""
    return index.limited_to(in_scope(scope, index.columns))
