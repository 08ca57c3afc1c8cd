"""Compares names of sections and tags by their letters and digits and by their stem.

Signs, emoji, emphasis, numbering, case and a plural's `s` make no difference: "1. **Mental
Health:**" and "#mentalhealth" are the same name. It never decides what is sensitive.
"""

from collections.abc import Iterator
from functools import cache

from ragd.guard.sensitive_words import LISTS, phrases_in, without_accents
from ragd.guard.word_matching import words


def comparable_section(section: str) -> str:
    """The whole name of a section or tag, in the form that is compared."""
    return _stem("".join(_plain_words(section)))


def names_in(section: str, longest: int) -> Iterator[str]:
    """Every run of words in a heading that is at most `longest` characters long."""
    cut = _plain_words(section)
    for start in range(len(cut)):
        name = ""
        for at in range(start, len(cut)):
            name += cut[at]
            if len(name) > longest + 1:  # a plural has one more letter
                break
            yield _stem(name)


def without_numbers(section: str) -> str:
    """The name of a heading without numbers, such as its numbering or its year."""
    return _stem("".join(word for word in _plain_words(section) if not word.isdecimal()))


@cache
def built_in_sections(kinds: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """The sensitive headings of the built-in lists for these kinds, with their kinds."""
    found: dict[str, set[str]] = {}
    for listed in LISTS:
        for kind in kinds:
            for entry in phrases_in(listed.sections[kind]):
                found.setdefault(comparable_section(entry), set()).add(kind)
                found.setdefault(without_accents(comparable_section(entry)), set()).add(kind)
    return {name: frozenset(kinds_of) for name, kinds_of in found.items()}


def _plain_words(section: str) -> list[str]:
    return [word.removeprefix("^") for word in words(section)]


def _stem(name: str) -> str:
    if len(name) > 4 and name.endswith("s") and not name.endswith(("ss", "us", "is")):
        return name[:-1]
    return name
