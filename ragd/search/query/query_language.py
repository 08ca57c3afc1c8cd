"""The query language: separates the limits in a question from the words to search. Pure.

    "exact phrase"   -word   -"a phrase"   tag:travel   folder:Journal   folder:"My notes"
    title:doorbell   prop:status=active   prop:rating>=4   prop:due<2025-02-01   prop:status
    collection:papers

A `-` before any of these negates it. Everything else is a plain question; no text is an error.
"X without Y" and "X but not Y" search for X, and passages about Y count less.
"""

import re

from msgspec import Struct

from ragd.errors import RagdError
from ragd.notes.late_pattern import LatePattern
from ragd.notes.stop_words import FRENCH, ITALIAN, SPANISH

MOST_TERMS = 32  # further terms stay in the question as words
LONGEST = 200

_QUOTED = r'"[^"\n]*"|“[^“”„"\n]*[”“"]|„[^“”„"\n]*[“”"]|«[^«»\n]*»|»[^«»\n]*«|「[^「」\n]*」'
_OPERATORS = r"!=|<=|>=|=|<|>|≠|≤|≥"
_TERM = LatePattern(
    r"(?<![^\s(])(?P<minus>[-−–](?=[^\W\d_]|[\"“„«「]|prop:|\d+[^\W\d]))?"
    rf"(?:(?P<key>tag|folder|title|collection|prop|property):"
    rf"(?:(?P<name>{_QUOTED}|[^\s\"“„«=<>!≠≤≥]+)"
    rf"(?:(?P<operator>{_OPERATORS})(?P<value>{_QUOTED}|\S+))?)"
    rf"|(?P<phrase>{_QUOTED})"
    r"|(?P<word>(?<=[-−–])[^\s\"“”„]+))",
    re.I,
)
_QUOTES = LatePattern(r'["“”„«»「」]')
_SPACES = LatePattern(r"\s+")
_CLOSING = LatePattern(r"[.,;:!?)\]]+$")
_ASCII_OPERATORS = {"≠": "!=", "≤": "<=", "≥": ">="}

# The words that begin an exclusion. "sin" and "sans" are also English words, so words of other
# languages count only next to another word of their language.
_WITHOUT = (
    *("without", "but not", "but no", "but without", "except for", "except", "excluding"),
    *("other than", "ohne", "aber nicht", "aber ohne", "aber kein", "aber keine", "aber keinen"),
    *("außer", "ausser", "nicht aber"),
)
_WITHOUT_ELSEWHERE = {
    **dict.fromkeys(("sans", "sauf", "mais pas"), frozenset(FRENCH.split())),
    **dict.fromkeys(("sin", "excepto", "pero no"), frozenset(SPANISH.split()) - {"sin", "no"}),
    **dict.fromkeys(("senza", "tranne", "ma non"), frozenset(ITALIAN.split())),
}
_EXCLUDED = LatePattern(
    r"(?P<before>\S.*?\w\S*)\s+"
    rf"(?P<without>{'|'.join(sorted((*_WITHOUT, *_WITHOUT_ELSEWHERE), key=len, reverse=True))})\s+"
    r"(?P<excluded>[^,;.?!\n]{2,80}?)(?P<after>[,;.?!\n].*)?",
    re.I | re.DOTALL,
)
# "How do I travel without a car?" asks about doing without.
_ASKS_HOW = frozenset(("how", "why", "can", "could", "should", "would", "wie", "warum", "kann"))
_LONGEST_CLAUSE = 6  # words; a longer clause is more than an exclusion


class Term(Struct, frozen=True):
    """One limit. `kind`: phrase, tag, folder, title, collection or property.

    A property has an `operator` and a `value`; without them the note must only have the property.
    """

    kind: str
    text: str
    negated: bool = False
    operator: str = ""
    value: str = ""


class Query(Struct, frozen=True):
    """The parts of a question. `excluded`: the words after "without" or "but not"."""

    plain: str
    terms: tuple[Term, ...] = ()
    excluded: str = ""


def parse(text: str) -> Query:
    """The parts of a question."""
    terms: list[Term] = []

    def take_out(match: re.Match[str]) -> str:
        term = _parse_term(match)
        if term is None or len(terms) == MOST_TERMS:
            return match.group()
        terms.append(term)
        # The words of a phrase or a title are also searched.
        return term.text if term.kind in ("phrase", "title") and not term.negated else " "

    rest = _QUOTES.sub(" ", _TERM.sub(take_out, text))
    plain, excluded = _split_exclusion(rest)
    return Query(_SPACES.sub(" ", plain).strip(), tuple(dict.fromkeys(terms)), excluded)


def parse_property(text: str) -> Term:
    """A comparison such as `status=active`. Raises RagdError for any other text."""
    match = _TERM.fullmatch(f"prop:{text.strip()}")
    if match is None:  # the value has spaces
        name, operator, value = _split_comparison(text)
        match = _TERM.fullmatch(
            f'prop:"{name}"{operator}"{value}"' if operator else f'prop:"{name}"'
        )
    term = _parse_term(match) if match is not None else None
    if term is None:
        raise RagdError(
            "INVALID_REQUEST",
            "The field `properties` has a comparison without a name; write status=active, "
            "rating>=4, due<2025-02-01, or a name alone.",
        )
    return term


def _split_comparison(text: str) -> tuple[str, str, str]:
    found = re.search(_OPERATORS, text)
    if found is None:
        return _bare(text), "", ""
    return _bare(text[: found.start()]), found.group(), _bare(text[found.end() :])


def _parse_term(match: re.Match[str]) -> Term | None:
    negated = match["minus"] is not None
    if match["phrase"] is not None:
        return _make_term("phrase", match["phrase"], negated)
    if match["word"] is not None:
        return _make_term("phrase", _CLOSING.sub("", match["word"]), negated)
    key = match["key"].lower()
    if key not in ("prop", "property"):
        text = match.group().partition(":")[2]
        return _make_term(key, text if text[:1] in '"“„«「»' else _CLOSING.sub("", text), negated)
    operator = _ASCII_OPERATORS.get(match["operator"] or "", match["operator"] or "")
    term = _make_term("property", match["name"], negated)
    if term is None or not operator:
        return term
    value = _bare(_CLOSING.sub("", match["value"]))
    return Term("property", term.text, negated, operator, value) if value else None


def _make_term(kind: str, text: str, negated: bool) -> Term | None:
    bare = _bare(text)
    if kind == "tag":
        bare = bare.lstrip("#").strip("/")
    return Term(kind, bare, negated) if any(c.isalnum() for c in bare) else None


def _bare(text: str) -> str:
    return _SPACES.sub(" ", _QUOTES.sub(" ", text)).strip()[:LONGEST]


def _split_exclusion(text: str) -> tuple[str, str]:
    """The question without its exclusion, and the excluded words."""
    match = _EXCLUDED.fullmatch(text.strip())
    if match is None:
        return text, ""
    if match["before"].split()[0].lower() in _ASKS_HOW:
        return text, ""
    language = _WITHOUT_ELSEWHERE.get(match["without"].lower())
    if language is not None and language.isdisjoint(match["before"].lower().split()):
        return text, ""
    excluded = match["excluded"].strip()
    if not excluded or len(excluded.split()) > _LONGEST_CLAUSE:
        return text, ""
    return f"{match['before']} {match['after'] or ''}", excluded
