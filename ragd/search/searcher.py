"""Runs one search: looks up candidates, ranks them, and drops notes that no longer exist.

It only reads. Where a part fails it answers with what is left, and says why.
"""

import asyncio
import functools
from collections.abc import Sequence
from datetime import date, datetime
from typing import Protocol

from msgspec import Struct, structs

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.embed.providers.embedder_port import Vector
from ragd.embed.providers.local_model import model_of
from ragd.errors import UNAVAILABLE, RagdError
from ragd.health.current_health import CurrentReason
from ragd.notes.languages import language_of
from ragd.protocol.tool_schemas import SearchRequest
from ragd.search import retrieval
from ragd.search.candidate_ranking import Ranker, mark_dates
from ragd.search.dates import NamedTime
from ragd.search.file_check import FileCheck, FileStatReader
from ragd.search.linked_notes import linked_notes, not_shown_yet
from ragd.search.passage_scoring import PassageScorer
from ragd.search.prepared_query import PreparedQuery, QueryPreparer
from ragd.search.query import filters as limits
from ragd.search.query.filters import Filters
from ragd.search.query.query_terms import query_terms, stems_of
from ragd.search.query.typos import Correction
from ragd.search.query_vector import QueryVector, QueryVectors
from ragd.search.question_dates import (
    LISTED,
    QuestionDates,
    file_times,
    near_condition,
    passages_of_time,
)
from ragd.search.ranking import fusion
from ragd.search.ranking.diversity import spread_over_notes
from ragd.search.ranking.question_subject import subject_words
from ragd.search.ranking.score import NEEDED, NEEDED_ABROAD, scores
from ragd.search.ranking.title_match import weigh_words
from ragd.search.result_picker import ResultPicker, ShownPassage
from ragd.search.retrieval import Question, Retrieved
from ragd.search.vocabulary import VocabularyCache
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex, condition
from ragd.store.open_indexes import OpenIndexes

WITHIN_S = 8.0
SPARE_S = 0.5  # to answer with what was found until then
OPENED_WITHIN_S = 2.0
DEPTH = 50  # candidates of each leg, to begin with
DEEPER = 4  # times as many, when notes of some of them are gone
DEEPEST = 12_800
LINKED_PLACE = 4  # the place, from 0, that a linked note may take
LINKED_DEPTH = 10  # passages of linked notes that are compared
NAME_CHARACTERS = 200  # what is longer is not the name of a note
_TIME_WAS_UP = QueryVector(code="TIMEOUT")  # of a search that serves what it has


class SearchableVault(FileStatReader, Protocol):
    """The vault under the configuration in force."""

    def includes(self, path: str) -> bool: ...

    def includes_folder(self, folder: str) -> bool: ...

    def count_tokens(self, text: str) -> int: ...


class SearchAnswer(Struct, frozen=True):
    """What a search found, and how. `code`: why it was less than a whole search, if it was."""

    found: list[ShownPassage]
    retrieval: str
    code: str | None
    chunks_scanned: int
    vector: Vector | None = None  # of the question, in the vector space of this name
    space: str = ""
    is_partial: bool = False  # the time was up before the search was done
    when: NamedTime | None = None  # the time that the question names, if it names one
    undated_notes: int | None = None  # where a date filter left nothing: notes without a date
    corrections: list[Correction] = []  # words that were searched in place of others
    filters: list[str] = []  # what of the question limits the search, in words
    is_answered: bool = True  # some result is likely to answer the question
    dated: list[tuple[str, str]] = []  # dates and texts of all passages that were considered


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
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._open_indexes = open_indexes
        self._vectors = vectors
        self._notes = notes
        self._file_check = FileCheck(notes)
        self._question_dates = QuestionDates(clock, self._may_be_shown)
        self._ranker = Ranker(ledger, settings)
        self._judging = PassageScorer(ledger, settings)
        vocabularies = VocabularyCache(clock)
        self._preparer = QueryPreparer(vocabularies, notes.count_tokens, self._may_be_shown)

    async def search(self, request: SearchRequest, health: Sequence[CurrentReason]) -> SearchAnswer:
        """The passages for a question. Raises RagdError if it is refused or cannot be answered."""
        _check(request)  # first, so that the error does not depend on the notes
        for reason in health:
            if reason.state == UNAVAILABLE:
                raise RagdError(reason.code)
        deadline = asyncio.get_running_loop().time() + WITHIN_S
        try:
            async with asyncio.timeout_at(deadline + SPARE_S):
                return await self._search_what_serves(request, health, deadline)
        except TimeoutError:
            raise RagdError("TIMEOUT") from None

    async def titled(self, title: str) -> Sequence[str]:
        """The paths of the notes with this title or alias; none while no index is open."""
        index = self._open_indexes.serving
        if index is None:
            return ()
        titled = await index.find_by_title(limits.normalised(title))
        return titled or sorted({hit.source_file for hit in await index.find_by_name(title)})

    async def _search_what_serves(
        self, request: SearchRequest, health: Sequence[CurrentReason], deadline: float
    ) -> SearchAnswer:
        """Repeats the search if its index was closed meanwhile: after a switch to another index,
        or when a probe made it reopen. Both may happen during one search."""
        while True:
            index = await self._open_index()
            try:
                return await self._search(request, index, health, deadline)
            except Exception:
                if self._open_indexes.serving is index:
                    raise

    async def _open_index(self) -> ChunkIndex:
        """The open index; waits for one that is being opened."""
        index = await self._open_indexes.wait_for_serving(self._clock, OPENED_WITHIN_S)
        if index is None:
            # Without the vault, an index may be another vault's, and stays closed.
            raise RagdError(self._ledger.state.health.vault_code or "STARTING")
        return index

    async def _search(
        self,
        request: SearchRequest,
        index: ChunkIndex,
        health: Sequence[CurrentReason],
        deadline: float,
    ) -> SearchAnswer:
        """At the deadline, answers with what was found; without any result, the search fails."""
        prepared = await self._preparer.prepare(request, index, self._folders)
        filters = await self._filters(prepared, index)
        named = await self._question_dates.find_time(prepared.text, index)
        question = await self._question(prepared, filters, named, index, health)
        vector_task = question.vector_task
        counting = asyncio.create_task(index.count_matching(question.where, question.phrases))
        picker = self._result_picker(question, filters, prepared.request.max_results)

        def served(asked: QueryVector, scanned: int, undated: int | None = None) -> SearchAnswer:
            return SearchAnswer(
                picker.best,
                question.retrieval,
                asked.code,
                scanned,
                asked.vector,
                index.identity.space.identity if asked.vector is not None else "",
                is_partial=asked is _TIME_WAS_UP,
                when=named if named.phrases else None,
                undated_notes=undated,
                corrections=list(prepared.corrections),
                filters=list(prepared.filters),
                is_answered=picker.is_answered(_needed(question)),
                dated=picker.dated,
            )

        try:
            async with asyncio.timeout_at(deadline):
                if question.lists_everything:
                    await self._list(question, filters, picker)
                else:
                    await self._collect(question, picker, prepared.request.max_results)
                    if question.shows_all and not picker.best:
                        await self._list(question, filters, picker)
                scanned, asked = await counting, await vector_task
                undated = await self._undated(filters, index) if not picker.best else None
            return served(asked, scanned, undated)
        except TimeoutError:
            if not picker.best:
                raise
            return served(_TIME_WAS_UP, counting.result() if counting.done() else 0)
        finally:
            vector_task.cancel()
            counting.cancel()
            await asyncio.gather(vector_task, counting, return_exceptions=True)

    async def _question(
        self,
        prepared: PreparedQuery,
        filters: Filters,
        named: NamedTime,
        index: ChunkIndex,
        health: Sequence[CurrentReason],
    ) -> Question:
        """The question to look up. Starts to embed it."""
        is_dated = filters.start is not None or filters.end is not None
        # A date filter says the time already, unless the question asks for nothing else.
        spans = named.spans if named.lists_everything or not is_dated else ()
        text = "" if named.lists_everything else named.rest
        others = filters.but_phrases
        timely = near_condition(others, spans)
        if (
            timely
            and named.is_written
            and not named.lists_everything
            and not await index.count(near_condition(filters, spans))
        ):
            text, timely = prepared.text, None  # no note has that date, but one may mention it
        frequencies = await index.word_frequencies()
        request, wish = prepared.request, self._settings.current.search
        terms = query_terms(text, self._notes.count_tokens)
        return Question(
            terms,
            index,
            condition(others),
            timely,
            by_words=wish.fusion != "weighted" or wish.text_weight > 0,
            vector_task=asyncio.create_task(self._vector(text, index, health)),
            text=text,
            subject="" if spans else subject_words(text),
            spans=spans,
            language=language_of(prepared.text),
            lists_everything=named.lists_everything or prepared.lists_everything,
            shows_all=filters.picks_notes,
            is_literal=prepared.is_literal,
            frequencies=frequencies,
            excluded=stems_of(prepared.excluded),
            by_file_time=request.by_file_time,
            tagged=_own_tags(others),
            phrases=filters.phrases,
            name=_name(request.query),
            explain=request.explain,
            model=model_of(index.identity.space),
            word_weights=weigh_words(terms.stems, frequencies),
            key_weights=weigh_words(terms.key_stems, frequencies),
        )

    def _result_picker(self, question: Question, filters: Filters, most: int) -> ResultPicker:
        return ResultPicker(
            question.index,
            condition(filters),
            self._file_check,
            self._may_be_shown,
            functools.partial(self._judging.score_passage, question),
            functools.partial(scores, model=question.model_language),
            most,
            each_note=filters.asks_for_notes,
        )

    async def _vector(
        self, query: str, index: ChunkIndex, health: Sequence[CurrentReason]
    ) -> QueryVector:
        if not any(character.isalnum() for character in query):
            return QueryVector()  # there is nothing in it that could mean something
        return await self._vectors.embed(query, index, self._ledger.state.catalog, health)

    # Filters

    def _folders(self) -> list[str]:
        """The folders of the index that may be searched."""
        return [
            one for one in self._ledger.state.catalog.folders if self._notes.includes_folder(one)
        ]

    async def _filters(self, prepared: PreparedQuery, index: ChunkIndex) -> Filters:
        """What is asked for, in the index's own spelling."""
        request = prepared.request
        start, end = _days(request)
        folders = limits.asked_directories(request.directory_filter)
        tags = limits.asked_tags(request.tags)
        known = self._ledger.state.catalog.folders if folders else ()
        return Filters(
            limits.known_directories(folders, known, self._notes.includes_folder)
            if folders
            else None,
            start,
            end,
            tags=limits.known_tags(tags, await index.list_tags()) if tags else None,
            file_times=_file_times(start, end) if request.by_file_time else None,
            # An index that an earlier version made knows only the tags of passages.
            tag_column="note_tags" if "note_tags" in index.columns else "tags",
            conditions=prepared.conditions,
        )

    async def _undated(self, filters: Filters, index: ChunkIndex) -> int | None:
        """How many notes pass the filters but for their dates, and have none."""
        if filters.start is None and filters.end is None:
            return None
        but_dates = structs.replace(filters, start=None, end=None, file_times=None)
        return await index.count_undated_notes(condition(but_dates))

    # Candidates

    async def _collect(self, question: Question, picker: ResultPicker, most: int) -> None:
        """The best candidates whose notes still exist; looks deeper to replace missing ones."""
        depth = max(DEPTH, 2 * most)
        while True:
            found = await retrieval.retrieve(question, depth)
            has_room = await picker.pick(self._ranker.rank(question, found))
            if not has_room or found.is_complete or depth >= DEEPEST:
                break
            depth *= DEEPER
        await picker.list_other_places()
        if most > LINKED_PLACE and picker.best:
            await self._add_linked(question, picker, found)
        picker.mark_superseded()

    async def _add_linked(self, question: Question, picker: ResultPicker, found: Retrieved) -> None:
        """A reserved place for a note that is linked with the best results, if one fits."""
        rows = [row for row, _ in picker.best]
        shown = {row.source_file for row in rows}
        shown.update(path for _, result in picker.best for path in result.also_in)
        via = not_shown_yet(await linked_notes(question.index, rows), shown)
        if not via:
            return
        near = await retrieval.retrieve(question.within(via), LINKED_DEPTH)
        crowd = fusion.crowd_cosine(fusion.gather(found.vector, found.text).values())
        least = crowd - question.scale.linked_below
        ranked = self._ranker.rank(question, near)
        fitting = [
            one
            for one in ranked
            if (one.cosine or -1.0) >= least or question.terms.share_in(one.title, one.text) > 0
        ]
        await picker.add_linked(fitting, via, LINKED_PLACE)

    async def _list(self, question: Question, filters: Filters, picker: ResultPicker) -> None:
        """Everything of the time that is named, or within the filters; newest first."""
        if question.spans:
            hits = await passages_of_time(question.index, filters, question.spans)
        else:
            hits = await question.index.find_newest(LISTED, condition(filters) or "TRUE")
        found = fusion.gather((), hits)
        mark_dates(question, found, hits)
        await picker.pick(spread_over_notes([found[hit.chunk_id] for hit in hits]))

    def _may_be_shown(self, path: str) -> bool:
        """False for what the configuration denies, and for notes that are left out: a note that
        says `rag: false` may stay in the index for a while."""
        if path in self._ledger.state.catalog.skipped:
            return False
        return self._notes.includes(path)


def _name(query: str) -> str:
    """The question as the name of a note, which may be that of its file."""
    return query.strip().removesuffix(".md") if len(query) <= NAME_CHARACTERS else ""


def _needed(question: Question) -> float:
    """What a result must have to be an answer."""
    return NEEDED_ABROAD if question.is_foreign else NEEDED


def _own_tags(filters: Filters) -> str | None:
    """Where to look for passages that carry a tag asked for themselves, if one is."""
    return condition(structs.replace(filters, tag_column="tags")) if filters.tags else None


def _check(request: SearchRequest) -> None:
    """RagdError for what no index could answer."""
    limits.asked_directories(request.directory_filter)
    limits.asked_tags(request.tags)
    _days(request)


def _days(request: SearchRequest) -> tuple[str | None, str | None]:
    """The first and last day that are asked for, where the user is."""
    asked = request.date_range
    return limits.day_range(asked.start, asked.to, datetime.astimezone) if asked else (None, None)


def _file_times(start: str | None, end: str | None) -> limits.FileTimes:
    days = (date.fromisoformat(day) if day else None for day in (start, end))
    return file_times(*days)
