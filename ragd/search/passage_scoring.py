"""Turns one passage into a result, with the evidence for its score.

It reads nothing: it is given the row, its candidate and the state of its file.
"""

from datetime import datetime

from msgspec import UNSET, Struct, structs

from ragd.config.live_settings import Settings
from ragd.search.dates import WEAK, candidate_dates
from ragd.search.file_check import is_stale
from ragd.search.query.query_terms import stems_in
from ragd.search.ranking.cosine_scale import DEFAULT_SCALE, CosineScale
from ragd.search.ranking.fusion import Candidate, best_cosine
from ragd.search.ranking.relevance import FLOOR, relevance, unrelated_cosine
from ragd.search.ranking.result_explanation import (
    ExplainedQuestion,
    ResultExplanation,
    explain_result,
)
from ragd.search.ranking.score import Evidence, evidence_numbers, stands_out
from ragd.search.results import Result, make_result, obsidian_link
from ragd.search.retrieval import Question
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkRow
from ragd.vault.collection_paths import collection_of
from ragd.vault.files import UNKNOWN_STAT, FileStat

EXACT_PHRASE_SCORE = 0.95  # if the question asks only for an exact phrase


class ScoredPassage(Struct, frozen=True):
    """A result, and the evidence for its score, which also depends on the other results.

    `fits`: the passage is related to the question; others are not shown. `relevance`: how much it
    is related, which is compared with the floor.
    """

    result: Result
    evidence: Evidence
    fits: bool
    relevance: float = 0.0


class PassageScorer:
    """Turns passages into results."""

    def __init__(self, ledger: Ledger, settings: Settings) -> None:
        self._ledger = ledger
        self._settings = settings

    def score_passage(
        self, question: Question, row: ChunkRow, found: Candidate, now: FileStat
    ) -> ScoredPassage:
        """The passage as a result, with its evidence. `now`: its file as it is in the vault."""
        unverified = now == UNKNOWN_STAT
        stale = not unverified and is_stale(row, now, self._ledger.state.catalog.files)
        terms = question.terms
        text = " ".join((row.title, *row.names, row.heading_path, row.chunk_text))
        present = stems_in(text, terms.stems)
        words = terms.share_of(present)
        if found.bm25 is not None:  # found by an alias, a tag, or another form of a word
            words = max(words, terms.share_of_one_word)
        scale = floor_scale(question)
        cosine = best_cosine(found)
        fit = relevance(cosine, words, terms.readable, closeness=found.closeness, scale=scale)
        weights = question.key_weights
        share = weights.share(present & weights.rarity.keys())
        evidence = Evidence(
            self._stands_out(question, found),
            _covered(question, share, found),
            max(0.0, found.lead),
            timely=found.closeness if question.spans else 0.0,
            other_words=1.0 if terms.asks_what_happened else share,
        )
        if question.lists_everything:
            is_weak = question.spans and not row.date and not question.by_file_time
            evidence = Evidence(certain=WEAK if is_weak else 1.0)
        elif question.is_literal:
            evidence = structs.replace(evidence, certain=EXACT_PHRASE_SCORE)
        by_file = row.date is None and (found.closeness > 0 or question.by_file_time)
        day = candidate_dates.file_day(row.modified_at, datetime.astimezone) if by_file else None
        shown_day = row.date or (day.isoformat() if day else None)
        shown = make_result(
            row,
            0.0,  # the score is computed from all results later
            obsidian_link(*self._settings.folder_and_file(row.source_file), row.position),
            stale=stale,
            unverified=unverified,
            date_source="note" if row.date else "file" if day else None,
            file_date=day.isoformat() if day else None,
            best_part=None if found.unit_place is None else round(found.unit_place, 2),
            evidence=evidence_numbers(found, evidence) if question.explain else UNSET,
            explanation=_explain(question, found, present, shown_day)
            if question.explain
            else UNSET,
            collection=collection_of(row.source_file, self._settings.current.collections),
            context=self._settings.contexts.nearest(row.source_file),
        )
        fits = question.lists_everything or question.shows_all or fit >= FLOOR
        return ScoredPassage(shown, evidence, fits, fit)

    def _stands_out(self, question: Question, found: Candidate) -> float | None:
        """How far its cosine is above the background. In a small vault the background is unrelated
        to the question; then the cosine of unrelated texts is the limit."""
        cosine = best_cosine(found)
        if cosine is None or found.above_crowd is None:
            return None
        scale = question.scale
        if scale is DEFAULT_SCALE:
            return stands_out(found.above_crowd, scale)
        low = unrelated_cosine(question.terms.readable, scale)
        return stands_out(min(found.above_crowd, cosine - low), scale)


def _covered(question: Question, share: float, found: Candidate) -> float:
    """The share of the question's words in the passage; a named time counts as a word."""
    if not question.spans:
        return share
    words = len(question.key_weights.rarity)
    return (share * words + found.closeness) / (words + 1)


def _explain(
    question: Question, found: Candidate, present: frozenset[str], day: str | None
) -> ResultExplanation:
    about = ExplainedQuestion(
        has_vector=question.retrieval != "full_text",
        spans=question.spans,
        is_list=question.lists_everything,
    )
    return explain_result(found, question.terms.split_words(present), about, day)


def floor_scale(question: Question) -> CosineScale:
    """The scale for the floor: right answers to a foreign question have low cosines."""
    scale = question.scale
    if question.is_foreign and scale.foreign is not None:
        return structs.replace(scale, unrelated=scale.foreign, unreadable=scale.foreign)
    return scale
