"""The guard: what is sensitive in a passage, whether it tries to give orders, what to remember.

It never withholds anything itself and never changes a passage.
"""

from collections.abc import Collection, Sequence

from msgspec import Struct

from ragd.guard import injection, sensitive, suggestions
from ragd.guard.passage import GuardedPassage
from ragd.guard.rules import Rules
from ragd.guard.suggestions import Suggestion

__all__ = [
    "GuardedPassage",
    "InspectedPassage",
    "Rules",
    "Suggestion",
    "inspect",
    "inspect_text",
    "suggest",
]


class InspectedPassage(Struct, frozen=True):
    """What the guard found. Categories are labels; `withheld` is what a person is asked about."""

    categories: tuple[str, ...]
    injection_suspected: bool
    withheld: bool = False  # to be asked about; under `security.sensitive: "block"` held back


def inspect(passage: GuardedPassage, rules: Rules) -> InspectedPassage:
    """Look at one passage: its text, title, headings and tags."""
    text = f"{passage.title}\n{passage.heading_path}\n{passage.chunk_text}"
    found = sensitive.categories(passage, text, rules)
    asked = not rules.confirm.isdisjoint(found) or sensitive.passage_needs_confirmation(
        passage, rules
    )
    return InspectedPassage(found, injection.is_suspected(text), asked)


def inspect_text(text: str, rules: Rules) -> InspectedPassage:
    """The same for a memory, which has no heading or tags."""
    found = sensitive.categories_of_text(text, rules)
    asked = not rules.confirm.isdisjoint(found) or sensitive.text_needs_confirmation(text, rules)
    return InspectedPassage(found, injection.is_suspected(text), asked)


def suggest(
    passages: Sequence[tuple[GuardedPassage, InspectedPassage]],
    rules: Rules,
    known: Collection[tuple[str, str]] = (),
    question: str | None = None,
    others: Sequence[tuple[str, str]] = (),
) -> Suggestion | None:
    """The fact most worth remembering, of the passages in their order; of none that is suspect, and
    none that is `known`: a key or a source, and the value. A question that does not speak of such
    facts gets one only from its first passage. `others`: dates and texts of further passages, which
    may make a fact outdated."""
    if not rules.auto_suggest:
        return None
    if question is not None and not rules.lexicon.found_in(question):
        passages = passages[:1]
    trusted = [p for p, seen in passages if not seen.injection_suspected]
    return suggestions.first(trusted, rules, known, others)
