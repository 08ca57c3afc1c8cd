"""Spreads results over notes: no note fills the list while another is nearly as good. Pure.

Nothing is dropped: a passage that is moved back comes right after those that are nearly as good.
"""

from collections import Counter
from collections.abc import Sequence

from ragd.search.ranking.fusion import Candidate

PER_NOTE = 2  # passages of one note, while another note is nearly as good
NEARLY_AS_GOOD = 0.8  # times the weight of the passage that waits


def spread_over_notes(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The same candidates; further passages of a note come after other notes that are nearly as
    good."""
    found: list[Candidate] = []
    waiting: list[Candidate] = []  # best first
    taken: Counter[str] = Counter()
    for one in ranked:
        if taken[one.source_file] >= PER_NOTE:
            waiting.append(one)
            continue
        while waiting and one.weight < NEARLY_AS_GOOD * waiting[0].weight:
            found.append(waiting.pop(0))
        found.append(one)
        taken[one.source_file] += 1
    return [*found, *waiting]
