"""Limits that a request sets for its results: the least score, and the most characters. Pure."""

from collections.abc import Iterable

from msgspec import structs

from ragd.search.results import Result

LEAST_CHARS = 80  # of a text that is worth showing
DOTS = " …"


def within_limits(results: Iterable[Result], min_score: float, most: int | None) -> list[Result]:
    """The results with at least this score, as far as their texts fit; the last one is cut."""
    found: list[Result] = []
    left = most
    for result in results:
        if result.score < min_score:
            continue
        if left is not None:
            if left < min(LEAST_CHARS, len(result.chunk_text)):
                break
            result = _cut(result, left)
            left -= len(result.chunk_text)
        found.append(result)
    return found


def _cut(result: Result, most: int) -> Result:
    """The result with at most this many characters of text, around its best sentence if that is
    known."""
    text = result.chunk_text
    if len(text) <= most:
        return result
    first = 0
    if result.best_sentences:
        start, end = result.best_sentences[0]
        first = max(0, min(start, end - most + len(DOTS)))
        first = text.rfind(" ", 0, first) + 1 if first else 0
    shown = text[first : first + most - len(DOTS)]
    whole = shown.rpartition(" ")[0] if first + len(shown) < len(text) else shown
    return structs.replace(result, chunk_text=f"{whole or shown}{DOTS}", truncated=True)
