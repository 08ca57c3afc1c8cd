"""Ranks the candidates of one search by all evidence for them, with the current configuration.

It reads nothing: the lookups are done before. `ranking/` has the pure parts.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.search.dates import WEAK, candidate_dates
from ragd.search.facts.likely_statements import mark_likely_newest
from ragd.search.facts.superseding import newest_first
from ragd.search.query.exclusion import unwanted_share
from ragd.search.query_vector import QueryVector
from ragd.search.ranking import fusion
from ragd.search.ranking.diversity import spread_over_notes
from ragd.search.ranking.fusion import NOTE, TITLE, Candidate, FusionWeights
from ragd.search.ranking.nearby_words import share_nearby
from ragd.search.ranking.retrieval_trust import retrieval_trust
from ragd.search.retrieval import Question, Retrieved
from ragd.search.statement_weights import statement_model
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkHit, cosines, nearest_units


class Ranker:
    """Ranks candidates."""

    def __init__(self, ledger: Ledger, clock: Clock, settings: Settings) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings

    def rank(self, question: Question, found: Retrieved) -> list[Candidate]:
        """The candidates of the lookups, best first."""
        ranked = self._rank(question, found)
        fusion.number_places(ranked)
        return ranked

    def _rank(self, question: Question, found: Retrieved) -> list[Candidate]:
        weights = self._weights(question, found)
        candidates = fusion.gather(found.vector, found.text, found.named)
        mark_dates(question, candidates, list(found.hits))
        _add_cosines(question, candidates, found)
        fusion.add_titles(candidates, found.hits, question.word_weights.share_in_names)
        fusion.add_note_words(candidates)
        if weights.cover:
            key_weights = question.key_weights
            fusion.add_covers(candidates, found.hits, key_weights.share_in_text)
            fusion.add_nearby(candidates, found.hits, partial(share_nearby, key_weights))
            if not question.is_foreign:
                one_word = 1 / max(1, len(question.key_weights.rarity))
                weights = fusion.trust_words(weights, candidates.values(), one_word)
        fusion.mark_tagged(candidates, found.tagged)
        if weights.foreign:
            fusion.mark_foreign(candidates, found.hits, question.language)
        for one in candidates.values() if question.excluded else ():
            one.unwanted = unwanted_share(question.excluded, one.title, one.text)
        if question.spans:
            return fusion.titles_first(
                spread_over_notes(fusion.order(candidates.values(), weights))
            )
        candidate_dates.mark_recency(candidates)
        ranked, tomorrow = fusion.order(candidates.values(), weights), self._tomorrow()
        if mark_likely_newest(question.asked_fact, ranked, tomorrow, statement_model()):
            ranked = fusion.order(candidates.values(), weights)
        spread = spread_over_notes(ranked)
        return fusion.titles_first(newest_first(question.asked_fact, spread, tomorrow))

    def _tomorrow(self) -> str:
        """The last day that a statement can have: it is tomorrow already in some time zones."""
        now = datetime.fromisoformat(self._clock.now())
        return (now + timedelta(days=1)).date().isoformat()

    def _weights(self, question: Question, found: Retrieved) -> FusionWeights:
        """The weight of each kind of evidence, by the configuration and for this question."""
        settings = self._settings.current.search
        if settings.fusion == "rrf":
            return FusionWeights(by_ranks=True, title=TITLE, note=NOTE)
        trust = retrieval_trust(
            question.model_language,
            question.terms.readable,
            question.language,
            self._ledger.state.catalog.languages,
        )
        scale = question.scale
        by_meaning = settings.vector_weight * trust.vector
        if not found.vector:  # only words can be compared
            return FusionWeights(by_meaning, 1.0, title=TITLE, note=NOTE, reach=scale.reach)
        return FusionWeights(
            by_meaning,
            settings.text_weight * trust.text,
            title=TITLE * trust.text,
            note=NOTE * trust.text,
            cover=scale.cover_for(len(question.terms.stems)) * trust.text,
            nearby=scale.nearby * trust.text,
            reach=scale.reach,
            foreign=settings.text_weight * trust.foreign,
        )


def mark_dates(question: Question, found: dict[str, Candidate], hits: Sequence[ChunkHit]) -> None:
    """Set the date of each candidate, and how close it is to the time that the question names."""
    weak = 1.0 if question.by_file_time else WEAK
    needs_file_days = bool(question.spans) or question.asked_fact is not None
    candidate_dates.mark_dates(
        found,
        hits,
        question.spans,
        datetime.astimezone,
        weak,
        needs_file_days=needs_file_days,
    )


def _add_cosines(question: Question, candidates: dict[str, Candidate], found: Retrieved) -> None:
    """Set the cosines of every candidate, if the question has a vector by now."""
    embedded = question.vector_task.result() if question.vector_task.done() else QueryVector()
    if embedded.vector is None:
        return
    missing = fusion.vectors_without_cosine(candidates, found.hits)
    fusion.add_cosines(candidates, cosines(embedded.vector, missing))
    units = {hit.chunk_id: hit.units for hit in found.hits if hit.units}
    bits = question.model.unit_bits if question.model is not None else 8
    fusion.add_units(candidates, nearest_units(embedded.vector, units, bits))
