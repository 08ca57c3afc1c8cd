"""Asks a real daemon the questions of sets, one daemon for each vault."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.daemon import PASSAGES, Daemon
from bench.sets.figures import Hit, Outcome, figures_of
from bench.sets.model import Question, QuestionSet, Vault


def ask_all(sets: Sequence[tuple[QuestionSet, list[Question]]], place: Path) -> list[Outcome]:
    """The outcomes of these questions, in the order of the sets."""
    vaults: dict[str, Vault] = {}
    for one, questions in sets:
        vaults |= {name: one.vaults[name] for name in dict.fromkeys(q.vault for q in questions)}
    found: dict[str, Outcome] = {}
    for name, vault in vaults.items():
        asked = [(one, q) for one, questions in sets for q in questions if q.vault == name]
        print(f"{name}: {len(vault.documents)} notes, {len(asked)} questions", file=sys.stderr)
        for outcome in _ask_vault(vault, asked, place / name):
            found[outcome.id] = outcome
    ordered = [found[q.id] for _, questions in sets for q in questions if q.id in found]
    return list(_with_typo_loss(ordered, {q.id: q.clean for _, qs in sets for q in qs}))


def _ask_vault(
    vault: Vault, asked: list[tuple[QuestionSet, Question]], place: Path
) -> Iterator[Outcome]:
    place.mkdir(parents=True, exist_ok=True)
    daemon = Daemon(place, vault.language)
    daemon.index(vault.documents, vault.days)
    try:
        for one, question in asked:
            asked_for: dict[str, object] = {
                "query": question.text,
                "max_results": PASSAGES,
                "explain": True,
            }
            if question.folder:
                asked_for["directory_filter"] = [question.folder]
            data = daemon.search(asked_for)
            yield outcome_of(one, question, data)
    finally:
        daemon.stop()


def outcome_of(one: QuestionSet, question: Question, data: dict[str, Any]) -> Outcome:
    """The answer as figures."""
    hits = [_hit(question, result) for result in data["results"]]
    return Outcome(
        question.id,
        one.name,
        question.kind,
        question.vault,
        bool(question.answers),
        one.complete,
        figures_of(question, hits),
        max((hit.score for hit in hits), default=0.0),
        hits,
        data.get("answered"),
    )


def _hit(question: Question, result: dict[str, Any]) -> Hit:
    text = " ".join(result["chunk_text"].split())
    note = result["source_file"]
    is_new = any(" ".join(said.split()) in text for said in question.says)
    right = is_new if question.says else note in question.answers
    return Hit(
        note,
        result["score"],
        right,
        not is_new and any(" ".join(old.split()) in text for old in question.outdated),
        result.get("superseded_by") is not None,
        result.get("evidence", {}),
    )


def _with_typo_loss(outcomes: list[Outcome], clean: dict[str, str]) -> Iterator[Outcome]:
    by_id = {one.id: one for one in outcomes}
    for one in outcomes:
        before = by_id.get(clean.get(one.id, ""))
        if before is None or not before.figures["ndcg@10"]:
            yield one
        else:
            loss = before.figures["ndcg@10"] - one.figures["ndcg@10"]
            yield one._replace(figures={**one.figures, "typo loss": loss})
