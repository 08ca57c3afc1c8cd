"""Finds the sentences of a note that are worth remembering. Pure.

Such a sentence is prose, states a value (a sum, a weight, a dose, "we are even") and is about the
user or a person with a name. It is not a list item, a row of a table, a heading, a quotation, a
question, an instruction or a line of links. Most sentences are not worth remembering.
"""

import re
from collections.abc import Iterator, Sequence

from ragd.notes.late_pattern import LatePattern
from ragd.notes.sentences import sentences
from ragd.notes.stop_words import ENGLISH, GERMAN
from ragd.search.facts.amounts import AMOUNT_PATTERN
from ragd.search.facts.stated_values import (
    AMOUNT,
    MASS,
    MEASURE,
    SETTLED,
    kinds_in,
)

_VALUES = frozenset({AMOUNT, MASS, MEASURE, SETTLED})
_NOT_PROSE = LatePattern(r"\s*(?:[-*+•]\s|\d{1,3}[.)]\s|>|\||#{1,6}\s|```|~~~)|[^|]*\|[^|]*\|")
_EMPHASIS = LatePattern(r"\*+|__|~~|==|`")
_LINK = LatePattern(r"!?\[\[[^\]]*\]\]|!?\[[^\]]*\]\([^)]*\)")
_USER = LatePattern(
    r"(?<![\w'’])(?:[Ii](?![\w.])|(?:[Mm]e|[Mm]y|[Ww]e|us|[Oo]ur|[Ii]ch|[Mm]ir|[Mm]ich|[Mm]eine?[mnrs]?"
    r"|[Ww]ir|uns|[Uu]nsere?[mnrs]?)(?!\w))|我"
)
_VERB = (
    r"(?:am|is|are|was|were|has|have|had|owes?|paid|pays?|costs?|spent|spends?|lent|lends?|sent"
    r"|gave|gives?|got|gets?|took|takes?|bought|sold|earns?|weighs?|lives?|works?|moves?|slept"
    r"|went|goes|stands?|made|makes?|still|[^\W\d_]{2,}ed|bin|ist|sind|war|hat|habe|haben|wiege"
    r"|wiegt|nehme|nimmt|gab|schick\w+|schulde[nt]?|zahl\w+|bezahl\w+|kost\w+|verdien\w+|überw\w+)"
)
_HAS_VERB = LatePattern(rf"(?<!\w){_VERB}(?!\w)|[’'](?:m|ve|s)(?!\w)|[㐀-䶿一-鿿]", re.I)
_NAME = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?(?P<name>[A-ZÀ-Þ][\w-]+)"
_PERSON_VERB = (  # what people do, and dinners or prices do not
    r"(?:owe[sd]?|paid|pays|repaid|sent|gave|gives|lent|lends|borrowed|bought|sold|spent|settled"
    r"|transferred|returned|earns|earned|lives|works|weighs|takes|took|got|slept"
    r"|schuldet|zahlte?|bezahlte?|schickte|gab|überwies|verdient|wiegt|nimmt)"
)
_PERSON_AFTER = LatePattern(
    r"(?<!\w)(?i:paid|pay|owed?|lent|lend|sent|gave|repaid|with|from|debts? to|money to|mit|von)"
    rf" (?:back |still |to )?{_NAME}"
)
_PERSON_BEFORE = LatePattern(
    rf"(?<!\w){_NAME}(?: [A-ZÀ-Þ][\w-]+)?"
    rf"(?: (?:has|had|still|now|just|finally))* {_PERSON_VERB}(?!\w)"
)
_DAYS = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december today yesterday tomorrow
"""
NOT_NAMES = frozenset((*ENGLISH.split(), *GERMAN.split(), *_DAYS.split(), "still"))
_QUOTE = LatePattern(
    r"\W*[\"“”„«‘]|.*(?<!\w)(?:says?|said|writes?|wrote|asks?|asked|sagt|sagte|schreibt|schrieb)"
    r"\s*(?:[:,]\s*[\"“„«]|:|[\"“„«])",
    re.I,
)
_INSTRUCTION = LatePattern(
    r"\W*(?:if|when|never|always|remember|do|don['’]t|please|let|try|ask|write|pay|cancel|make|take"
    r"|put|buy|use|get|give|keep|consider|think|avoid|start|stop|call|check|see|read|send|spend"
    r"|save|look|learn|be|wenn|nie|immer|bitte)(?!\w)|.*(?<!\w)(?:you|your|yours|yourself|du|dich"
    r"|dir|deine?[mnrs]?)(?!\w)",
    re.I,
)
# A note must not plant a permission or a standing order.
_PERMISSION = LatePattern(
    r"(?<!\w)(?:assistants?|agents?|bots?|ai|chatgpt|authori[sz]\w*|permi(?:t|ssion)\w*|allowed"
    r"|approv\w+|consent\w*|confirm\w*|without asking|no questions|automatically|assistenten?"
    r"|erlaub\w+)(?!\w)",
    re.I,
)
_LABEL = LatePattern(rf"[^:]*:\s*(?:{AMOUNT_PATTERN}|[\d.,]+\s?\w*)\W*", re.I)
_WEB = LatePattern(r"=https?://")


def memorable_sentences(text: str) -> Iterator[str]:
    """The sentences of a passage that are worth remembering."""
    return (one for one in sentences(_prose(text)) if is_memorable(one))


def is_memorable(sentence: str) -> bool:
    """Whether a sentence states a value, and is about the user or a person with a name."""
    text = _EMPHASIS.sub("", sentence).strip(" _")
    plain = _LINK.sub(" ", text)
    if text.endswith("?") or "://" in text or "|" in plain or _LABEL.fullmatch(text):
        return False
    if not kinds_in(text, _VALUES):  # first: few sentences have any
        return False
    if (
        _PERMISSION.search(text)
        or _INSTRUCTION.match(text)
        or _QUOTE.match(text)
        or _has_open_quote(text)
    ):
        return False
    if not _HAS_VERB.search(plain):
        return False
    return bool(_USER.search(text)) or _names_person(text)


def is_of_another_author(properties: Sequence[str]) -> bool:
    """Whether a note has the text of somebody else: it has an author, or the address of a page.
    "I" is not the user there."""
    return any(
        one.startswith(("author=", "authors="))
        or (one.startswith(("source=", "url=", "link=")) and _WEB.search(one))
        for one in properties
    )


def _prose(text: str) -> str:
    """The text without lists, tables, quotations, headings and code."""
    kept: list[str] = []
    is_in_item, is_in_code = False, False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            is_in_code = not is_in_code
        is_indented = line[:1].isspace() and bool(line.strip())
        is_other = bool(_NOT_PROSE.match(line)) or (is_in_item and is_indented)
        is_in_item = is_other
        kept.append("" if is_other or is_in_code else line)
    return "\n".join(kept)


def _has_open_quote(text: str) -> bool:
    """Whether a quotation begins or ends in another sentence."""
    return text.count('"') % 2 == 1 or text.count("“") + text.count("„") != text.count("”")


def _names_person(text: str) -> bool:
    found = (*_PERSON_AFTER.finditer(text), *_PERSON_BEFORE.finditer(text))
    return any(_is_name(match) for match in found)


def begins_with_person(text: str) -> bool:
    """Whether the first word is the name of a person who does something: "Bo sent the $85"."""
    match = _PERSON_BEFORE.match(text)
    return match is not None and _is_name(match)


def _is_name(match: re.Match[str]) -> bool:
    return match["name"].lower() not in NOT_NAMES
