"""Splits text of any script into words, and finds given phrases in it.

The words of a phrase are also found with a plural or another English ending: `owe` finds "owes" and
"owing". It never treats a phrase as a regular expression. Its time is linear in the text's length.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragd.notes.late_pattern import LatePattern

# Scripts without spaces between words: each of their characters counts as a word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_HANGUL = "\uac00-\ud7a3"
_CURRENCY = "\xa2-\xa5\u0e3f\u20a0-\u20cf"
# Python's \w leaves out the vowel marks of Indian scripts, Hebrew and others.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"
_LETTER = f"(?:[^\\W_{_UNSPACED}{_HANGUL}]|[{_MARKS}])"

# Particles follow a Korean word without a space. So each syllable counts as a word, and the first
# one of a run is marked: a phrase is found only at the beginning of a run.
_WORD = (
    f"{_LETTER}+|[{_UNSPACED}]|(?P<begins>(?<![{_HANGUL}])[{_HANGUL}])|[{_HANGUL}]"
    r"|\$(?=\s?\.?\d)"
    f"|[{_CURRENCY}](?=\\s?\\.?\\d)|(?<=\\d)[{_CURRENCY}]|(?<=\\d\\s)[{_CURRENCY}]"
)
_IN_TEXT = LatePattern(_WORD)
_IN_PATTERN = LatePattern(f"{_WORD}|[${_CURRENCY}]")
_PLAIN = LatePattern(r"[a-z0-9]+|\$(?=\s?\.?\d)")
_SINGLE = LatePattern(f"[{_UNSPACED}]|\\^?[{_HANGUL}]")
_HAS_HANGUL = LatePattern(f"[{_HANGUL}]")

FoundPhrase = tuple[str, str]  # the kind and the phrase

LONG = 5  # letters from which an ending may be removed
MOST_FORMS = 64  # of one phrase, at each of its words
_INFLECTED = LatePattern("[a-zß-öø-ÿ]{3,}")  # words that get endings

_END = ""  # the key of a finished phrase in the tree of words


def normalised(text: str) -> str:
    """`text` without differences of case and width."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def words(text: str) -> list[str]:
    """The words of a text, normalised; the currency sign of an amount is a word too."""
    return _split_words(normalised(text), _IN_TEXT)


def is_single(word: str) -> bool:
    """Whether a word is one character of a script that is compared by characters."""
    return bool(_SINGLE.fullmatch(word))


def _split_words(text: str, word: LatePattern) -> list[str]:
    if word is _IN_TEXT and text.isascii():
        return _PLAIN.findall(text)
    if not _HAS_HANGUL.search(text):
        return [match.group() for match in word.finditer(text)]
    return [
        f"^{match.group()}" if match.lastgroup == "begins" else match.group()
        for match in word.finditer(text)
    ]


class PhraseFinder:
    """Words and phrases of several kinds, indexed once, then found in any text."""

    __slots__ = ("_exact", "_tree")

    def __init__(self, patterns: Mapping[str, Iterable[str]]) -> None:
        self._tree: dict[str, Any] = {}
        self._exact: list[tuple[LatePattern, FoundPhrase]] = []
        for kind, phrases in patterns.items():
            for phrase in phrases:
                self._add(" ".join(normalised(phrase).split()), kind)

    def kinds_in(self, text: str, cut: list[str] | None = None) -> set[str]:
        """The kinds that have a phrase in the text, as whole words. `cut`: the text's words, if
        they are known."""
        return {kind for kind, _ in self.found_in(text, cut)}

    def found_in(self, text: str, cut: list[str] | None = None) -> list[FoundPhrase]:
        """The phrases in the text, each once, in the order of the text."""
        text = normalised(text)
        tokens = _split_words(text, _IN_TEXT) if cut is None else cut
        found = dict.fromkeys(self._find_in_tree(tokens))
        for pattern, phrase in self._exact:
            if pattern.search(text):
                found[phrase] = None
        return list(found)

    def _find_in_tree(self, tokens: list[str]) -> Iterator[FoundPhrase]:
        tree = self._tree
        for start, token in enumerate(tokens):
            node = tree.get(token)
            at = start
            while node is not None:
                yield from node.get(_END, ())
                at += 1
                node = node.get(tokens[at]) if at < len(tokens) else None

    def _add(self, phrase: str, kind: str) -> None:
        tokens = _split_words(phrase, _IN_PATTERN)
        if not tokens or _bare(phrase) != _bare("".join(tokens)):
            # A phrase with signs ("A&E", "c++") must match exactly.
            if phrase:
                self._exact.append((_exact_pattern(phrase), (kind, phrase)))
            return
        nodes = [self._tree]
        for token in tokens:
            nodes = [node.setdefault(form, {}) for node in nodes for form in word_forms(token)]
            if len(nodes) > MOST_FORMS:  # only the first words of a long phrase get endings
                nodes = nodes[:MOST_FORMS]
        for node in nodes:
            node.setdefault(_END, set()).add((kind, phrase))


def word_forms(word: str) -> list[str]:
    """A word with all endings that it may have in a text; the word itself first."""
    if not _INFLECTED.fullmatch(word):
        return [word]
    found = {word: None}
    for stem in _base_forms(word):
        found |= dict.fromkeys((stem, *_endings(stem)))
    return list(found)


def _base_forms(word: str) -> list[str]:
    """The words that this may be a form of, including itself."""
    found = [word]
    if len(word) >= LONG and word.endswith("ies"):
        found.append(word[:-3] + "y")
    elif len(word) >= LONG and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        found.append(word[:-1])
    elif len(word) >= LONG + 2 and word.endswith("ing"):
        found.append(word[:-3])
    return found


def _endings(word: str) -> list[str]:
    if word.endswith("y") and word[-2] not in "aeiou":
        return [word[:-1] + ending for ending in ("ies", "ied")] + [word + "ing"]
    if word.endswith("e"):
        found = [word + "s", word + "d", word[:-1] + "ing"]
    elif word.endswith(("s", "x", "z", "ch", "sh")):
        found = [word + "es", word + "ed", word + "ing"]
    else:
        found = [word + "s", word + "ed", word + "ing"]
    if len(word) >= LONG + 1:  # German endings; a shorter word would become a different word
        found += [word + "n"] if word.endswith("e") else [word + "e", word + "en"]
    return found


def _bare(text: str) -> str:
    return text.replace(" ", "").replace("^", "")


def _exact_pattern(phrase: str) -> LatePattern:
    before = r"(?<!\w)" if phrase[0].isalnum() else ""
    after = r"(?!\w)" if phrase[-1].isalnum() else ""
    return LatePattern(before + re.escape(phrase) + after)
