"""What the guard says of a fact that is to be remembered: of its words, and of where it is from.

It never decides what becomes of the fact. Where in the note it is from is guessed by words, and a
wrong guess is on the careful side.
"""

from collections.abc import Sequence

from ragd.guard.inspection import GuardedPassage, InspectedPassage, inspect, inspect_text
from ragd.guard.rules import Rules
from ragd.guard.word_matching import normalised
from ragd.memories.matching import terms


def inspect_fact(text: str, note: Sequence[GuardedPassage], rules: Rules) -> InspectedPassage:
    """The worst that is to be said of the fact, and of the passages of its note it may be from."""
    seen = [inspect_text(text, rules)]
    seen += [inspect(passage, rules) for passage in origins(text, note)]
    return InspectedPassage(
        tuple(sorted({category for one in seen for category in one.categories})),
        any(one.injection_suspected for one in seen),
        any(one.withheld for one in seen),
    )


def most_similar(text: str, note: Sequence[GuardedPassage], most: int) -> Sequence[GuardedPassage]:
    """Of a note with more than `most` characters, the passages that share most words with the
    text, as many as that. Words are compared loosely: it is only a choice of where to look."""
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


def origins(text: str, note: Sequence[GuardedPassage]) -> list[GuardedPassage]:
    """The passages that share a word with the text; all of them if none does."""
    words = set(terms(text))
    sharing = [one for one in note if not words.isdisjoint(terms(one.chunk_text))]
    return sharing or list(note)
