"""Inspects passages: sensitive content, suspected injection, and facts worth remembering.

It never withholds anything itself and never changes a passage.
"""

from collections.abc import Collection, Sequence

from msgspec import Struct

from ragd.guard import injection, sensitive, suggestions
from ragd.guard.passage import GuardedPassage, NotePassage
from ragd.guard.rules import Rules
from ragd.guard.suggestions import Suggestion

__all__ = [
    "GuardedPassage",
    "InspectedPassage",
    "NotePassage",
    "Rules",
    "Suggestion",
    "inspect",
    "inspect_text",
    "suggest",
]


class InspectedPassage(Struct, frozen=True):
    """What the guard found in a passage."""

    categories: tuple[str, ...]
    injection_suspected: bool
    withheld: bool = False  # the user must agree; with `security.sensitive: "block"` it is withheld


def inspect(passage: GuardedPassage, rules: Rules) -> InspectedPassage:
    """Inspect the text, title, headings and tags of one passage."""
    text = f"{passage.title}\n{passage.heading_path}\n{passage.chunk_text}"
    found = sensitive.categories(passage, text, rules)
    withheld = not rules.confirm.isdisjoint(found) or sensitive.passage_needs_confirmation(
        passage, text, rules
    )
    return InspectedPassage(found, injection.is_suspected(text), withheld)


def inspect_text(text: str, rules: Rules) -> InspectedPassage:
    """Inspect a text without headings or tags, such as a memory."""
    found = sensitive.categories_of_text(text, rules)
    withheld = not rules.confirm.isdisjoint(found) or sensitive.text_needs_confirmation(text, rules)
    return InspectedPassage(found, injection.is_suspected(text), withheld)


def suggest(
    passages: Sequence[tuple[NotePassage, InspectedPassage]],
    rules: Rules,
    known: Collection[tuple[str, str]] = (),
    question: str | None = None,
    others: Sequence[tuple[str, str]] = (),
) -> Suggestion | None:
    """The fact most worth remembering, from passages in rank order. Suspected passages and `known`
    facts (a key or a source, and the value) are left out. The fact is about what the question asks.
    If the question is not about such facts, only its first passage counts. `others`: dates and
    texts of further passages, which may make a fact outdated."""
    if not rules.auto_suggest:
        return None
    if question is not None and not rules.lexicon.found_in(question):
        passages = passages[:1]
    trusted = [p for p, seen in passages if not seen.injection_suspected]
    return suggestions.first_suggestion(trusted, rules, known, others, question)
