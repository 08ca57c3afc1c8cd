"""The conditions in a question that limit the search: all must hold. Pure."""

import re
from collections.abc import Iterable

from msgspec import Struct

from ragd.notes.late_pattern import LatePattern
from ragd.search.query.query_language import Term

PHRASE, TITLE = "phrase", "title"
TAGS, FOLDERS, PROPERTIES = "tags", "folders", "properties"

_ANY_SPACE, _SEPARATORS = r"\s+", r"[\s_.\-]+"
_UNSPACED = LatePattern("[฀-໿က-႟ក-៿぀-ヿ㐀-䶿一-鿿豈-﫿가-힯]")


class Condition(Struct, frozen=True):
    """One limit of this kind: one of the values must match, or none if `negated`."""

    kind: str
    values: tuple[str, ...]
    negated: bool = False


def phrase_pattern(phrase: str) -> str:
    """The regular expression of a phrase: whole words, in any case, with any space between them."""
    words = [_word_pattern(word) for word in phrase.split()]
    before = r"\b" if _has_bounds(phrase[:1]) else ""
    after = r"\b" if _has_bounds(phrase[-1:]) else ""
    return f"(?i){before}{_ANY_SPACE.join(words)}{after}"


def title_pattern(title: str) -> str:
    """The regular expression of a part of a name; separators count as spaces."""
    words = [word for word in re.split(_SEPARATORS, title) if word]
    return f"(?i){_SEPARATORS.join(_word_pattern(word) for word in words)}"


def describe_filters(terms: Iterable[Term], excluded: str) -> list[str]:
    """The limits, as text for a person."""
    found = []
    for term in terms:
        shown = f'"{term.text}"' if term.kind == PHRASE else f"{term.kind} {term.text}"
        if term.operator:
            shown += f" {term.operator} {term.value}"
        found.append(f"not {shown}" if term.negated else shown)
    return [*found, *([f'passages with "{excluded}" come last'] if excluded else [])]


def _word_pattern(word: str) -> str:
    """The characters themselves; both apostrophes match each other."""
    return re.sub("['’]", "['’]", re.escape(word).replace(r"\'", "'"))


def _has_bounds(character: str) -> bool:
    """Whether a word boundary can be matched next to this character."""
    return character.isalnum() and not _UNSPACED.match(character)
