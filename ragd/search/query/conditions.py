"""What the words of a question limit the search to: each condition must hold. Pure."""

import re
from collections.abc import Iterable

from msgspec import Struct

from ragd.search.query.query_language import Term

PHRASE, TITLE = "phrase", "title"
TAGS, FOLDERS, PROPERTIES = "tags", "folders", "properties"

_ANY_SPACE, _SEPARATORS = r"\s+", r"[\s_.\-]+"
_UNSPACED = re.compile("[฀-໿က-႟ក-៿぀-ヿ㐀-䶿一-鿿豈-﫿가-힯]")
_NAMES = {"tag": "tag", "folder": "folder", "title": "title", "property": "property"}


class Condition(Struct, frozen=True):
    """One limit: `kind` says of what, and one of the values must be met; none if `negated`."""

    kind: str
    values: tuple[str, ...]
    negated: bool = False


def phrase_pattern(phrase: str) -> str:
    """The expression of a phrase: whole words, in any case, with any space between them."""
    words = [_literal(word) for word in phrase.split()]
    before = r"\b" if _has_bounds(phrase[:1]) else ""
    after = r"\b" if _has_bounds(phrase[-1:]) else ""
    return f"(?i){before}{_ANY_SPACE.join(words)}{after}"


def title_pattern(title: str) -> str:
    """The expression of a part of a name, in which separators count as spaces."""
    words = [word for word in re.split(_SEPARATORS, title) if word]
    return f"(?i){_SEPARATORS.join(_literal(word) for word in words)}"


def describe_filters(terms: Iterable[Term], excluded: str) -> list[str]:
    """The limits for a person."""
    found = []
    for term in terms:
        said = f'"{term.text}"' if term.kind == PHRASE else f"{_NAMES[term.kind]} {term.text}"
        if term.operator:
            said += f" {term.operator} {term.value}"
        found.append(f"not {said}" if term.negated else said)
    return [*found, *([f"rather not {excluded}"] if excluded else [])]


def _literal(word: str) -> str:
    """The characters themselves; one apostrophe stands for the other."""
    return re.sub("['’]", "['’]", re.escape(word).replace(r"\'", "'"))


def _has_bounds(character: str) -> bool:
    """Whether words of this script end where their letters do."""
    return character.isalnum() and not _UNSPACED.match(character)
