"""Finds the kinds of sensitive content in a passage: by its sections, its tags and its words.

It never decides what happens to such a passage; `inspection` and the gateway do.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Protocol

from ragd.guard.rules import COMMITMENTS, Rules
from ragd.guard.section_names import comparable_section, names_in, without_numbers
from ragd.guard.sensitive_words import without_harmless_uses
from ragd.guard.word_matching import normalised, words
from ragd.notes.markdown.fences import without_code
from ragd.notes.markdown.sections import split_sections
from ragd.notes.model import Chunk

BETWEEN_HEADINGS = " > "
_ADDRESS = re.compile(r"[a-z]{1,12}://[^\s)>\]]*")


class MarkedText(Protocol):
    """The headings and tags of a passage."""

    @property
    def section(self) -> str | None: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def heading_path(self) -> str: ...


def categories(passage: MarkedText, text: str, rules: Rules) -> tuple[str, ...]:
    """The categories of a passage with this text, sorted by name."""
    found = _categories_by_name(passage, text, rules) | _categories_by_words(text, rules)
    return tuple(sorted(found))


def categories_of_text(text: str, rules: Rules) -> tuple[str, ...]:
    """The categories of a text without headings, such as a query or a memory. Names of sensitive
    sections and tags in it count too."""
    found = _categories_by_words(text, rules)
    for name in names_in(text, rules.longest_name):
        found |= rules.names.get(name, frozenset())
    return tuple(sorted(found))


def _categories_by_words(text: str, rules: Rules) -> set[str]:
    text = normalised(text)
    found = _listed_categories(text, rules)
    # Few texts have any of the words, so only few are searched for harmless uses of them.
    if found and (rest := without_harmless_uses(text)) != text:
        return _listed_categories(rest, rules)
    return found


def _listed_categories(text: str, rules: Rules) -> set[str]:
    cut = words(text)
    found = rules.built_in.kinds_in(text, cut) | _categories_of_patterns(text, rules, cut)
    if COMMITMENTS in found and "://" in text:
        # The name of a shop in an address is not a commitment. Other categories count in
        # addresses, too: the name of a clinic's website is private.
        without = _categories_of_patterns(_ADDRESS.sub(" , ", text), rules)
        return found - ({COMMITMENTS} - without)
    return found


def _categories_of_patterns(text: str, rules: Rules, cut: list[str] | None = None) -> set[str]:
    found = {rules.kinds[kind] for kind in rules.lexicon.kinds_in(text, cut)}
    return {one for one in found if one is not None}


def text_needs_confirmation(text: str, rules: Rules) -> bool:
    """Whether the text has the name of a section that always needs the user's consent."""
    if not rules.always_confirm:
        return False
    return any(name in rules.always_confirm for name in names_in(text, rules.longest_name))


def may_leave(chunk: Chunk, rules: Rules) -> bool:
    """Whether this chunk may be sent to an embedding server on another machine."""
    return not categories(chunk, f"{chunk.heading_path}\n{chunk.embed_text}", rules)


def text_may_leave(text: str, rules: Rules) -> bool:
    """The same for a query."""
    return not categories_of_text(text, rules)


def passage_needs_confirmation(passage: MarkedText, text: str, rules: Rules) -> bool:
    """Whether a heading or tag of the passage with this text always needs the user's consent."""
    if not rules.always_confirm:
        return False
    longest = rules.longest_name
    return any(
        name in rules.always_confirm
        for heading in chain(headings_and_tags(passage), headings_in_text(text))
        for name in names_in(heading, longest)
    )


def heading_names(passage: MarkedText) -> Iterator[str]:
    """The names of the passage's headings and tags, in the form that is compared."""
    return map(comparable_section, headings_and_tags(passage))


def headings_and_tags(passage: MarkedText) -> Iterator[str]:
    """The headings above the passage, and its tags with each level of nested ones."""
    if passage.section:
        yield passage.section
    for heading in passage.heading_path.split(BETWEEN_HEADINGS):
        if heading and heading != passage.section:
            yield heading
    for tag in passage.tags:
        yield from _tag_levels(tag)


def headings_in_text(text: str) -> Iterator[str]:
    """The headings in a text that have words of their own below them.

    A section of a few words joins the passage of a neighbour, and its heading is only there.
    """
    for section in split_sections(without_code(text, keep=False)[0], 1):
        if section.name and not section.bare:
            yield from section.full_path.split(BETWEEN_HEADINGS)


def _tag_levels(tag: str) -> Iterable[str]:
    return (tag, *tag.split("/")) if "/" in tag else (tag,)


def _categories_by_name(passage: MarkedText, text: str, rules: Rules) -> set[str]:
    found: set[str] = set()
    for heading in chain(headings_and_tags(passage), headings_in_text(text)):
        found |= rules.whole_names.get(without_numbers(heading), frozenset())
        for name in names_in(heading, rules.longest_name):
            found |= rules.names.get(name, frozenset())
    return found
