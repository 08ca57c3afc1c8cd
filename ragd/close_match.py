"""Names that resemble a mistyped one, for "did you mean". Pure.

It never decides what was meant: the caller offers the matches. difflib is imported on first use,
because most runs of `ragctl` never need it.
"""

from collections.abc import Iterable

WORD_MAX_CHARACTERS = 200  # difflib would take minutes for a word of megabytes


def close_matches(
    word: str, choices: Iterable[str], most: int = 1, cutoff: float = 0.6
) -> list[str]:
    """The choices that resemble `word`, best first. `cutoff`: 0 accepts all, 1 only equal ones."""
    from difflib import get_close_matches

    return get_close_matches(word[:WORD_MAX_CHARACTERS], list(choices), most, cutoff)


def closest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that resembles `word` most, if one does."""
    return next(iter(close_matches(word, choices)), None)
