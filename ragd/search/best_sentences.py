"""Which sentences of a passage most likely answer a question. Pure.

A sentence is judged by its meaning, and by the words that it shares with the question. Positions
are characters in the text of the passage.
"""

import re
from collections.abc import Callable, Sequence

WORDS_WEIGHT = 0.2  # of the shared words beside the cosine; chosen on the tuning half of XQuAD
SHORT = 40  # characters; a shorter sentence or line goes with the next one
MOST = 60  # sentences of one passage; a passage with more is judged in longer pieces
KEPT = 3  # sentences of a passage that a result names

Place = tuple[int, int]  # the first character, and the one after the last

_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*[^\S\n]+|(?<=[。！？])|\n+")


def split_places(text: str) -> list[Place]:
    """The sentences and lines of a text, in order."""
    least = max(SHORT, len(text) // MOST)
    found: list[Place] = []
    start = 0
    for end in _END.finditer(text):
        if end.start() - start >= least:
            found.append((start, end.start()))
            start = end.end()
    if text[start:].strip():
        found.append((start, len(text)))
    return found


def best_places(
    text: str,
    places: Sequence[Place],
    cosines: Sequence[float],
    word_share: Callable[[str], float],
) -> tuple[Place, ...]:
    """The places that most likely answer, best first. `cosines`: of each place with the question.
    `word_share`: the share of the question's words that a text has."""
    fits = [
        cosine + WORDS_WEIGHT * word_share(text[start:end])
        for (start, end), cosine in zip(places, cosines, strict=True)
    ]
    order = sorted(range(len(places)), key=lambda at: -fits[at])
    return tuple(places[at] for at in order[:KEPT])
