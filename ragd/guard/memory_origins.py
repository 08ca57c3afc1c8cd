"""Inspects a fact that the user wants to remember: its own words, and the passages it is from.

It never decides what happens to the fact. The passages are guessed by shared words; if the guess
is wrong, the result is too strict rather than too lax.
"""

from collections.abc import Sequence

from ragd.guard.inspection import GuardedPassage, InspectedPassage, inspect, inspect_text
from ragd.guard.rules import Rules
from ragd.guard.word_matching import normalised
from ragd.memories.matching import terms


def inspect_fact(text: str, note: Sequence[GuardedPassage], rules: Rules) -> InspectedPassage:
    """All findings in the fact and in the passages of its note that it may be from."""
    seen = [inspect_text(text, rules)]
    seen += [inspect(passage, rules) for passage in likely_origins(text, note)]
    return InspectedPassage(
        tuple(sorted({category for one in seen for category in one.categories})),
        any(one.injection_suspected for one in seen),
        any(one.withheld for one in seen),
    )


def most_similar(text: str, note: Sequence[GuardedPassage], most: int) -> Sequence[GuardedPassage]:
    """The passages of a note that share most words with the text, up to `most` characters. Words
    are compared loosely: the result only limits which passages are inspected."""
    if sum(len(one.chunk_text) for one in note) <= most:
        return note
    wanted = {word.removeprefix("^") for word in terms(text)}

    def shared(passage: GuardedPassage) -> int:
        found = normalised(passage.chunk_text)
        return sum(word in found for word in wanted)

    chosen: list[GuardedPassage] = []
    for passage in sorted(note, key=shared, reverse=True):
        most -= len(passage.chunk_text)
        if most < 0:
            break
        chosen.append(passage)
    return chosen


def likely_origins(text: str, note: Sequence[GuardedPassage]) -> list[GuardedPassage]:
    """The passages that share a word with the text; all passages if none does."""
    words = set(terms(text))
    sharing = [one for one in note if not words.isdisjoint(terms(one.chunk_text))]
    return sharing or list(note)
