"""Names of sections and tags, compared by their letters and digits and by their stem.

Signs, emoji, emphasis, numbering, case and a plural's `s` make no difference: "1. **Mental
Health:**" and "#mentalhealth" are one name. It never decides what is sensitive.
"""

from collections.abc import Iterator
from functools import cache

from ragd.guard.sensitive_words import LISTS, phrases_in, without_accents
from ragd.guard.word_matching import words


def name_of(section: str) -> str:
    """The whole of a section's or tag's name."""
    return _stem("".join(_letters(section)))


def names_in(section: str, longest: int) -> Iterator[str]:
    """Every run of words in a heading that is at most `longest` characters long."""
    cut = _letters(section)
    for start in range(len(cut)):
        name = ""
        for at in range(start, len(cut)):
            name += cut[at]
            if len(name) > longest + 1:  # a plural has one more
                break
            yield _stem(name)


def without_numbers(section: str) -> str:
    """The name of a heading without its numbering, its year and the like."""
    return _stem("".join(word for word in _letters(section) if not word.isdecimal()))


@cache
def built_in_sections(kinds: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """The headings that are sensitive by the built-in lists, for these kinds."""
    found: dict[str, set[str]] = {}
    for listed in LISTS:
        for kind in kinds:
            for entry in phrases_in(listed.sections[kind]):
                found.setdefault(name_of(entry), set()).add(kind)
                found.setdefault(without_accents(name_of(entry)), set()).add(kind)
    return {name: frozenset(of) for name, of in found.items()}


def _letters(section: str) -> list[str]:
    return [word.removeprefix("^") for word in words(section)]


def _stem(name: str) -> str:
    if len(name) > 4 and name.endswith("s") and not name.endswith(("ss", "us", "is")):
        return name[:-1]
    return name
