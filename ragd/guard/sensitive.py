"""Which kinds of sensitive content a passage has: by its section, its tags and its words.

It never decides what happens to such a passage; `inspection` and the gateway do.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from ragd.guard.rules import Rules
from ragd.guard.section_names import name_of, names_in, without_numbers
from ragd.guard.sensitive_words import without_harmless_uses
from ragd.guard.word_matching import normalised
from ragd.notes.model import Chunk

BETWEEN_HEADINGS = " > "


class MarkedText(Protocol):
    """What a passage has beside its text."""

    @property
    def section(self) -> str | None: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def heading_path(self) -> str: ...


def categories(passage: MarkedText, text: str, rules: Rules) -> tuple[str, ...]:
    """The categories of a passage with this text, in order of their names."""
    return tuple(sorted(_by_name(passage, rules) | _by_words(text, rules)))


def categories_of_text(text: str, rules: Rules) -> tuple[str, ...]:
    """The categories that the words alone have, those that are names of sections or tags included:
    for a query, a memory."""
    found = _by_words(text, rules)
    for name in names_in(text, rules.longest_name):
        found |= rules.names.get(name, frozenset())
    return tuple(sorted(found))


def _by_words(text: str, rules: Rules) -> set[str]:
    text = normalised(text)
    found = _found(text, rules)
    # Few texts have any of the words, so that only few are searched for harmless uses of them.
    if found and (rest := without_harmless_uses(text)) != text:
        return _found(rest, rules)
    return found


def _found(text: str, rules: Rules) -> set[str]:
    found = {rules.kinds[kind] for kind in rules.lexicon.kinds_in(text)}
    return rules.built_in.kinds_in(text) | {one for one in found if one is not None}


def text_needs_confirmation(text: str, rules: Rules) -> bool:
    """Whether the text has the name of a section that is asked about, whatever its kind."""
    if not rules.always_confirm:
        return False
    return any(name in rules.always_confirm for name in names_in(text, rules.longest_name))


def may_leave(chunk: Chunk, rules: Rules) -> bool:
    """Whether this chunk may be sent to an embedding address outside this machine."""
    return not categories(chunk, f"{chunk.heading_path}\n{chunk.embed_text}", rules)


def text_may_leave(text: str, rules: Rules) -> bool:
    """The same for a query."""
    return not categories_of_text(text, rules)


def passage_needs_confirmation(passage: MarkedText, rules: Rules) -> bool:
    """Whether it stands under a heading, or bears a tag, that is asked about whatever its kind."""
    if not rules.always_confirm:
        return False
    longest = rules.longest_name
    return any(
        name in rules.always_confirm
        for heading in headings_of(passage)
        for name in names_in(heading, longest)
    )


def names_of(passage: MarkedText) -> Iterator[str]:
    """The whole names of the headings it stands under, and of its tags with all their steps."""
    return map(name_of, headings_of(passage))


def headings_of(passage: MarkedText) -> Iterator[str]:
    """The headings it stands under, and its tags with all their steps."""
    if passage.section:
        yield passage.section
    for heading in passage.heading_path.split(BETWEEN_HEADINGS):
        if heading and heading != passage.section:
            yield heading
    for tag in passage.tags:
        yield from _steps(tag)


def _steps(tag: str) -> Iterable[str]:
    return (tag, *tag.split("/")) if "/" in tag else (tag,)


def _by_name(passage: MarkedText, rules: Rules) -> set[str]:
    found: set[str] = set()
    for heading in headings_of(passage):
        found |= rules.whole_names.get(without_numbers(heading), frozenset())
        for name in names_in(heading, rules.longest_name):
            found |= rules.names.get(name, frozenset())
    return found
