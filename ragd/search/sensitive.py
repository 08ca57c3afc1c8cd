"""Which kinds of sensitive content a passage has: by its section, its tags and its words.

It never decides what happens to such a passage; `guard` and who answers do.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from ragd.notes.model import Chunk
from ragd.search.rules import Rules, name_of

BETWEEN_HEADINGS = " > "
_WORD = re.compile(r"[^\W_]+")


class Marked(Protocol):
    """What a passage has beside its text."""

    @property
    def section(self) -> str | None: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def heading_path(self) -> str: ...


def categories(passage: Marked, text: str, rules: Rules) -> tuple[str, ...]:
    """The categories of a passage with this text, in order of their names."""
    return tuple(sorted(_by_name(passage, rules) | _by_words(text, rules)))


def categories_of_text(text: str, rules: Rules) -> tuple[str, ...]:
    """The categories that the words alone have, those that are names of sections or tags included:
    for a query, a memory."""
    found = _by_words(text, rules)
    for word in _named_in(text):
        found |= rules.names.get(word, frozenset())
    return tuple(sorted(found))


def _by_words(text: str, rules: Rules) -> set[str]:
    found = {rules.kinds[kind] for kind in rules.lexicon.kinds_in(text)}
    return {category for category in found if category is not None}


def names_listed_section(text: str, rules: Rules) -> bool:
    """Whether a word of the text is the name of a section in `sensitive_sections`."""
    return any(word in rules.listed for word in _named_in(text))


def _named_in(text: str) -> set[str]:
    """The text's words, as sections and tags are named."""
    return {name_of(word) for word in _WORD.findall(text)}


def may_leave(chunk: Chunk, rules: Rules) -> bool:
    """Whether this chunk may be sent to an embedding address outside this machine."""
    return not categories(chunk, chunk.embed_text, rules)


def text_may_leave(text: str, rules: Rules) -> bool:
    """The same for a query."""
    return not categories_of_text(text, rules)


def in_listed_section(passage: Marked, rules: Rules) -> bool:
    """Whether it stands under a heading, or bears a tag, that `sensitive_sections` names."""
    return any(name in rules.listed for name in names_of(passage))


def names_of(passage: Marked) -> Iterator[str]:
    """The names of the headings it stands under, and of its tags with all their steps."""
    if passage.section:
        yield name_of(passage.section)
    for heading in passage.heading_path.split(BETWEEN_HEADINGS):
        yield name_of(heading)
    for tag in passage.tags:
        yield from map(name_of, _steps(tag))


def _steps(tag: str) -> Iterable[str]:
    return (tag, *tag.split("/")) if "/" in tag else (tag,)


def _by_name(passage: Marked, rules: Rules) -> set[str]:
    found: set[str] = set()
    for name in names_of(passage):
        found |= rules.names.get(name, frozenset())
    return found
