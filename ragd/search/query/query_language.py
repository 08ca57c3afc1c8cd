"""The query language: what of a question limits the search, and what is left to be searched. Pure.

    "exact phrase"   -word   -"a phrase"   tag:travel   folder:Journal   folder:"My notes"
    title:doorbell   prop:status=active   prop:rating>=4   prop:due<2025-02-01   prop:status

A `-` before any of these turns it round. Everything else is a plain question: no text is an error.
"X without Y" and "X but not Y" search for X; Y is left out, and passages about it count less.
"""

import re

from msgspec import Struct

from ragd.errors import RagdError
from ragd.notes.stop_words import FRENCH, ITALIAN, SPANISH

MOST_TERMS = 32  # what is beyond them stays in the question
LONGEST = 200

_QUOTED = r'"[^"\n]*"|“[^“”„"\n]*[”“"]|„[^“”„"\n]*[“”"]|«[^«»\n]*»|»[^«»\n]*«|「[^「」\n]*」'
_OPERATORS = r"!=|<=|>=|=|<|>|≠|≤|≥"
_TERM = re.compile(
    r"(?<![^\s(])(?P<minus>[-−–](?=[^\W\d_]|[\"“„«「]|prop:|\d+[^\W\d]))?"
    rf"(?:(?P<key>tag|folder|title|prop|property):"
    rf"(?:(?P<name>{_QUOTED}|[^\s\"“„«=<>!≠≤≥]+)"
    rf"(?:(?P<operator>{_OPERATORS})(?P<value>{_QUOTED}|\S+))?)"
    rf"|(?P<phrase>{_QUOTED})"
    r"|(?P<word>(?<=[-−–])[^\s\"“”„]+))",
    re.I,
)
_QUOTES = re.compile(r'["“”„«»「」]')
_SPACES = re.compile(r"\s+")
_CLOSING = re.compile(r"[.,;:!?)\]]+$")
_SAME = {"≠": "!=", "≤": "<=", "≥": ">="}

# The words that begin what is not wanted. "sin" and "sans" are words of English, too: these count
# only beside another word of their language.
_WITHOUT = (
    *("without", "but not", "but no", "but without", "except for", "except", "excluding"),
    *("other than", "ohne", "aber nicht", "aber ohne", "aber kein", "aber keine", "aber keinen"),
    *("außer", "ausser", "nicht aber"),
)
_ELSEWHERE = {
    **dict.fromkeys(("sans", "sauf", "mais pas"), frozenset(FRENCH.split())),
    **dict.fromkeys(("sin", "excepto", "pero no"), frozenset(SPANISH.split()) - {"sin", "no"}),
    **dict.fromkeys(("senza", "tranne", "ma non"), frozenset(ITALIAN.split())),
}
_EXCLUDED = re.compile(
    r"(?P<before>\S.*?\w\S*)\s+"
    rf"(?P<without>{'|'.join(sorted((*_WITHOUT, *_ELSEWHERE), key=len, reverse=True))})\s+"
    r"(?P<excluded>[^,;.?!\n]{2,80}?)(?P<after>[,;.?!\n].*)?",
    re.I | re.DOTALL,
)
# "How do I travel without a car?" asks about doing without.
_ASKS_HOW = frozenset(("how", "why", "can", "could", "should", "would", "wie", "warum", "kann"))
_LONGEST_CLAUSE = 6  # words; a longer one says more than what is not wanted


class Term(Struct, frozen=True):
    """One limit. `kind`: phrase, tag, folder, title or property.

    A property has an `operator` and a `value`; without them it only has to be there.
    """

    kind: str
    text: str
    negated: bool = False
    operator: str = ""
    value: str = ""


class Query(Struct, frozen=True):
    """A question in its parts. `excluded`: the words of the clause that is not wanted."""

    plain: str
    terms: tuple[Term, ...] = ()
    excluded: str = ""


def parse(text: str) -> Query:
    """The parts of a question."""
    terms: list[Term] = []

    def taken(match: re.Match[str]) -> str:
        term = _term(match)
        if term is None or len(terms) == MOST_TERMS:
            return match.group()
        terms.append(term)
        # The words of a phrase and of a title say what is looked for, too.
        return term.text if term.kind in ("phrase", "title") and not term.negated else " "

    rest = _QUOTES.sub(" ", _TERM.sub(taken, text))
    plain, excluded = _without_clause(rest)
    return Query(_SPACES.sub(" ", plain).strip(), tuple(dict.fromkeys(terms)), excluded)


def property_term(text: str) -> Term:
    """A comparison by itself, such as `status=active`. RagdError for what is none."""
    match = _TERM.fullmatch(f"prop:{text.strip()}")
    if match is None:  # a value with spaces in it
        name, operator, value = _parts(text)
        match = _TERM.fullmatch(
            f'prop:"{name}"{operator}"{value}"' if operator else f'prop:"{name}"'
        )
    term = _term(match) if match is not None else None
    if term is None:
        raise RagdError(
            "INVALID_REQUEST",
            "The field `properties` has a comparison without a name; write status=active, "
            "rating>=4, due<2025-02-01, or a name alone.",
        )
    return term


def _parts(text: str) -> tuple[str, str, str]:
    found = re.search(_OPERATORS, text)
    if found is None:
        return _bare(text), "", ""
    return _bare(text[: found.start()]), found.group(), _bare(text[found.end() :])


def _term(match: re.Match[str]) -> Term | None:
    negated = match["minus"] is not None
    if match["phrase"] is not None:
        return _named("phrase", match["phrase"], negated)
    if match["word"] is not None:
        return _named("phrase", _CLOSING.sub("", match["word"]), negated)
    key = match["key"].lower()
    if key not in ("prop", "property"):
        text = match.group().partition(":")[2]
        return _named(key, text if text[:1] in '"“„«「»' else _CLOSING.sub("", text), negated)
    operator = _SAME.get(match["operator"] or "", match["operator"] or "")
    term = _named("property", match["name"], negated)
    if term is None or not operator:
        return term
    value = _bare(_CLOSING.sub("", match["value"]))
    return Term("property", term.text, negated, operator, value) if value else None


def _named(kind: str, text: str, negated: bool) -> Term | None:
    bare = _bare(text)
    if kind == "tag":
        bare = bare.lstrip("#").strip("/")
    return Term(kind, bare, negated) if any(c.isalnum() for c in bare) else None


def _bare(text: str) -> str:
    return _SPACES.sub(" ", _QUOTES.sub(" ", text)).strip()[:LONGEST]


def _without_clause(text: str) -> tuple[str, str]:
    """The question without what it says is not wanted, and the words of that."""
    match = _EXCLUDED.fullmatch(text.strip())
    if match is None:
        return text, ""
    if match["before"].split()[0].lower() in _ASKS_HOW:
        return text, ""
    language = _ELSEWHERE.get(match["without"].lower())
    if language is not None and language.isdisjoint(match["before"].lower().split()):
        return text, ""
    excluded = match["excluded"].strip()
    if not excluded or len(excluded.split()) > _LONGEST_CLAUSE:
        return text, ""
    return f"{match['before']} {match['after'] or ''}", excluded
