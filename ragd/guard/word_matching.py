"""Words of any script, and finding given ones in a text.

A pattern's words are found in their plural and in the other endings that English gives them, too:
`owe` finds "owes" and "owing". It never takes a pattern for a regular expression, and its time
grows with the text alone.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

# Scripts that put no spaces between words: each of their characters stands for itself.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_HANGUL = "\uac00-\ud7a3"
_CURRENCY = "\xa2-\xa5\u0e3f\u20a0-\u20cf"
# Python's \w leaves out the marks that Indian scripts, Hebrew and others write their vowels with.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"
_LETTER = f"(?:[^\\W_{_UNSPACED}{_HANGUL}]|[{_MARKS}])"

# A Korean word carries its particles at its end, so its syllables are single and its first is
# marked: a pattern is found at the beginning of a word only.
_WORD = (
    f"{_LETTER}+|[{_UNSPACED}]|(?P<begins>(?<![{_HANGUL}])[{_HANGUL}])|[{_HANGUL}]"
    r"|\$(?=\s?\.?\d)"
    f"|[{_CURRENCY}](?=\\s?\\.?\\d)|(?<=\\d)[{_CURRENCY}]|(?<=\\d\\s)[{_CURRENCY}]"
)
_IN_TEXT = re.compile(_WORD)
_IN_PATTERN = re.compile(f"{_WORD}|[${_CURRENCY}]")
_PLAIN = re.compile(r"[a-z0-9]+|\$(?=\s?\.?\d)")
_SINGLE = re.compile(f"[{_UNSPACED}]|\\^?[{_HANGUL}]")
_HAS_HANGUL = re.compile(f"[{_HANGUL}]")

Found = tuple[str, str]  # the kind, and which of its phrases

LONG = 5  # letters, from which on an ending may be taken off
MOST_FORMS = 64  # of one phrase, at each of its words
_INFLECTED = re.compile("[a-zß-öø-ÿ]{3,}")  # by endings, as far as we know them

_END = ""  # where in the tree of words the kinds of a finished pattern are kept


def normalised(text: str) -> str:
    """`text` with what only differs in case or in width made equal."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def words(text: str) -> list[str]:
    """The words of a text, folded; an amount's currency sign is a word too."""
    return _cut(normalised(text), _IN_TEXT)


def is_single(word: str) -> bool:
    """Whether it is one character of a script whose words are found by their characters."""
    return bool(_SINGLE.fullmatch(word))


def _cut(text: str, word: re.Pattern[str]) -> list[str]:
    if word is _IN_TEXT and text.isascii():
        return _PLAIN.findall(text)
    if not _HAS_HANGUL.search(text):
        return [match.group() for match in word.finditer(text)]
    return [
        f"^{match.group()}" if match.lastgroup == "begins" else match.group()
        for match in word.finditer(text)
    ]


class PhraseFinder:
    """Words and phrases of several kinds, put in order once, then found in any text."""

    __slots__ = ("_odd", "_tree")

    def __init__(self, patterns: Mapping[str, Iterable[str]]) -> None:
        self._tree: dict[str, Any] = {}
        self._odd: list[tuple[re.Pattern[str], Found]] = []
        for kind, phrases in patterns.items():
            for phrase in phrases:
                self._add(" ".join(normalised(phrase).split()), kind)

    def kinds_in(self, text: str) -> set[str]:
        """The kinds that have a phrase in the text, as whole words."""
        return {kind for kind, _ in self.found_in(text)}

    def found_in(self, text: str) -> list[Found]:
        """What of it is in the text, each once, in the order of the text."""
        text = normalised(text)
        found = dict.fromkeys(self._in_order(_cut(text, _IN_TEXT)))
        for pattern, what in self._odd:
            if pattern.search(text):
                found[what] = None
        return list(found)

    def _in_order(self, tokens: list[str]) -> Iterator[Found]:
        tree = self._tree
        for start, token in enumerate(tokens):
            node = tree.get(token)
            at = start
            while node is not None:
                yield from node.get(_END, ())
                at += 1
                node = node.get(tokens[at]) if at < len(tokens) else None

    def _add(self, phrase: str, kind: str) -> None:
        tokens = _cut(phrase, _IN_PATTERN)
        if not tokens or _bare(phrase) != _bare("".join(tokens)):
            # Signs are part of it ("A&E", "c++"): then only exactly these characters will do.
            if phrase:
                self._odd.append((_exactly(phrase), (kind, phrase)))
            return
        nodes = [self._tree]
        for token in tokens:
            nodes = [node.setdefault(form, {}) for node in nodes for form in word_forms(token)]
            if len(nodes) > MOST_FORMS:  # of a long phrase its first words vary, the others do not
                nodes = nodes[:MOST_FORMS]
        for node in nodes:
            node.setdefault(_END, set()).add((kind, phrase))


def word_forms(word: str) -> list[str]:
    """A word with the endings that it may have in a text; itself first."""
    if not _INFLECTED.fullmatch(word):
        return [word]
    found = {word: None}
    for stem in _singulars(word):
        found |= dict.fromkeys((stem, *_endings(stem)))
    return list(found)


def _singulars(word: str) -> list[str]:
    """What the word may be a form of, itself included."""
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
    if len(word) >= LONG + 1:  # German, too; a shorter word would become a different word
        found += [word + "n"] if word.endswith("e") else [word + "e", word + "en"]
    return found


def _bare(text: str) -> str:
    return text.replace(" ", "").replace("^", "")


def _exactly(phrase: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if phrase[0].isalnum() else ""
    after = r"(?!\w)" if phrase[-1].isalnum() else ""
    return re.compile(before + re.escape(phrase) + after)
