"""Suggests a fact of a passage that is worth remembering: its sentence, and a short key for it.

It never invents words: the value is a sentence of the note. `memorable` says which sentences may be
suggested.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence

from msgspec import Struct

from ragd.guard.memorable import (
    NOT_NAMES,
    begins_with_person,
    is_of_another_author,
    memorable_sentences,
)
from ragd.guard.passage import NotePassage
from ragd.guard.rules import Rules
from ragd.guard.sensitive import heading_names
from ragd.guard.sensitive_words import without_harmless_uses
from ragd.guard.word_matching import FoundPhrase, normalised
from ragd.notes.characters import collapse_spaces, visible
from ragd.notes.markdown.sanitise import without_markup
from ragd.notes.sentences import sentences
from ragd.notes.stop_words import ENGLISH, GERMAN
from ragd.search.facts.question_subject import find_asked_fact
from ragd.search.query.query_terms import stems_of

LONGEST_VALUE = 500
LONGEST_KEY = 60

_DEBT = frozenset({"owe", "owed", "debt"})
_TOPICS = {"owe": "debt", "owed": "debt", "$": "payment", "paid": "payment"} | dict.fromkeys(
    ("spent", "spend"), "spending"
)
_NAME = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?([^\W\d_][\w’'-]*)"
_TO = re.compile(rf"\b(?i:owed?|owes|debts?)\b(?: (?:still|to|with|of|money|back))*,? {_NAME}")
_FROM = re.compile(rf"\b{_NAME}(?: \w+)? ow(?:es|ed) (?:me|us)\b")
_WORD = re.compile(r"(?<![\w’'])[^\W\d_][\w’'-]*")
_POSSESSIVE = re.compile("[’']s$")
_FUNCTION_WORDS = stems_of(f"{ENGLISH} {GERMAN}")


class Suggestion(Struct, frozen=True):
    """Parameters for obsidian_rag_memory_store."""

    key: str
    value: str
    source: str


def first_suggestion(
    passages: Sequence[NotePassage],
    rules: Rules,
    known: Collection[tuple[str, str]] = (),
    others: Sequence[tuple[str, str]] = (),
    question: str | None = None,
) -> Suggestion | None:
    """The best sentence of the first passage that has one; else of the first marked passage.

    The sentence must be about what the question asks. Of several statements about one thing, the
    latest is suggested. Facts that a newer passage makes outdated and `known` facts (a key or a
    source, and the value) are left out. `others`: dates and texts of further passages that may be
    newer.
    """
    dated = [(p.date, p.chunk_text) for p in passages if p.date]
    for find in (_suggest_from_text, _suggest_from_heading):
        for place, passage in enumerate(passages):
            if found := find(passage, rules, question):
                later = [
                    (p, find(p, rules, question))
                    for p in passages[place + 1 :]
                    if passage.date and p.date
                ]
                best, day = _newest_of_key(found, passage, later)
                if not _is_known(best, known) and not _is_outdated(
                    best, day, [*dated, *others], rules
                ):
                    return best
    return None


def _is_outdated(
    found: Suggestion, day: str, dated: Sequence[tuple[str, str]], rules: Rules
) -> bool:
    """Whether a passage with a later date has a sentence of the same kind about the same names."""
    names = {normalised(word) for word in _names_in(found.value)}
    if not day or not names:
        return False
    newer = (text for date, text in dated if date > day)
    naming = (text for text in newer if any(name in normalised(text) for name in names))
    return any(
        not names.isdisjoint(normalised(word) for word in _names_in(sentence))
        and rules.lexicon.found_in(sentence)
        for text in naming
        for sentence in sentences(text)
    )


def _names_in(sentence: str) -> list[str]:
    """Capitalised words; the first word counts only if there is no other."""
    found = [m for m in _WORD.finditer(sentence) if _may_be_name(m.group(), [])]
    later = [m for m in found if m.start() > 0]
    return [_POSSESSIVE.sub("", m.group()) for m in later or found]


def _is_known(found: Suggestion, known: Collection[tuple[str, str]]) -> bool:
    """Whether exactly this fact is stored. Memories are stored without markup."""
    value = collapse_spaces(without_markup(visible(found.value))).strip()
    return (found.key, value) in known or (found.source, value) in known


def _newest_of_key(
    best: Suggestion,
    origin: NotePassage,
    others: Sequence[tuple[NotePassage, Suggestion | None]],
) -> tuple[Suggestion, str]:
    """The newest suggestion with the same key, and its date. A note without a date is assumed to be
    up to date."""
    newest = origin.date or ""
    for passage, found in others:
        if found is not None and found.key == best.key and (passage.date or "") > newest:
            best, newest = found, passage.date or ""
    return best, newest


def _candidates(passage: NotePassage, question: str | None) -> Iterator[str]:
    """The sentences that are worth remembering and about what the question asks."""
    if is_of_another_author(passage.properties):
        return
    is_about = _condition_of(question)
    yield from (one for one in memorable_sentences(passage.chunk_text) if is_about(one))


def _condition_of(question: str | None) -> Callable[[str], bool]:
    """The condition for sentences: they name the whole subject of the question, or, if the question
    asks for no fact that changes, have one of its telling words."""
    if question is None:
        return lambda _: True
    if (wanted := find_asked_fact(question)) is not None:
        return lambda sentence: wanted.subject <= stems_of(sentence)
    telling = stems_of(question) - _FUNCTION_WORDS
    return lambda sentence: not telling.isdisjoint(stems_of(sentence))


def _suggest_from_text(
    passage: NotePassage, rules: Rules, question: str | None
) -> Suggestion | None:
    best: tuple[int, str, list[FoundPhrase]] = (0, "", [])
    for sentence in _candidates(passage, question):
        found = rules.lexicon.found_in(sentence)
        if found and not rules.lexicon.found_in(without_harmless_uses(normalised(sentence))):
            continue  # a harmless use: time that is spent, attention that is paid
        weight = len(found) + any(phrase in _DEBT for _, phrase in found)
        if weight > best[0]:
            best = (weight, sentence, found)
    _, sentence, found = best
    if not found:
        return None
    return _suggestion(_key(sentence, found, passage), sentence, passage)


def _suggest_from_heading(
    passage: NotePassage, rules: Rules, question: str | None
) -> Suggestion | None:
    """From a note "Costco", or a diary's section `#mentalhealth`."""
    found = rules.lexicon.found_in(f"{passage.title}\n{passage.heading_path}")
    topic = found[0][1] if found else next(_marked_names(passage, rules), None)
    value = next(_candidates(passage, question), "") if topic is not None else ""
    if topic is None or not value:
        return None
    return _suggestion(_join_key(topic, _day_or_title(passage, topic)), value, passage)


def _marked_names(passage: NotePassage, rules: Rules) -> Iterator[str]:
    return (name for name in heading_names(passage) if name in rules.marked)


def _suggestion(key: str, value: str, passage: NotePassage) -> Suggestion | None:
    if not key:
        return None
    if len(value) > LONGEST_VALUE:
        value = value[: LONGEST_VALUE - 1].rstrip() + "…"
    return Suggestion(key, value, passage.source_file)


def _key(sentence: str, found: list[FoundPhrase], passage: NotePassage) -> str:
    phrases = [phrase for _, phrase in found]
    if not _DEBT.isdisjoint(phrases):
        if (match := _TO.search(sentence)) and _may_be_name(match.group(1), phrases):
            return _join_key("debt_to", match.group(1))
        if (match := _FROM.search(sentence)) and _may_be_name(match.group(1), phrases):
            return _join_key("debt_from", match.group(1))
    topic = next((phrase for phrase in phrases if phrase != "$"), phrases[0])
    topic = _TOPICS.get(topic, topic)
    return _join_key(topic, _person_in(sentence, phrases) or _day_or_title(passage, topic))


def _person_in(sentence: str, phrases: list[str]) -> str:
    """The first capitalised name in a sentence. The first word counts only if it is the only one
    and does something: "Bo paid", "Bo sent"."""
    names = [match for match in _WORD.finditer(sentence) if _may_be_name(match.group(), phrases)]
    if names and names[0].start() == 0 and (len(names) > 1 or not begins_with_person(sentence)):
        del names[0]
    return _POSSESSIVE.sub("", names[0].group()) if names else ""


def _may_be_name(word: str, phrases: list[str]) -> bool:
    if not word[0].isupper():
        return False
    first = normalised(re.split("[’']", word)[0])
    return len(first) > 1 and first not in NOT_NAMES and not any(first in p for p in phrases)


def _day_or_title(passage: NotePassage, topic: str) -> str:
    """The second part of a key without a person: the day of the passage, or the note's title."""
    if passage.date:
        return passage.date
    return "" if slug(passage.title) == slug(topic) else passage.title


def _join_key(topic: str, rest: str) -> str:
    return slug(f"{topic} {rest}")


def slug(text: str) -> str:
    """Lower-case letters, digits and `_`, in ASCII if the letters have an ASCII form."""
    plain = "".join(
        char
        for char in unicodedata.normalize("NFKD", normalised(text))
        if not unicodedata.combining(char)
    )
    plain = unicodedata.normalize("NFC", plain)
    return re.sub(r"[\W_]+", "_", plain)[:LONGEST_KEY].strip("_")
