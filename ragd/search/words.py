"""Words of any script, and finding given ones in a text.

It never takes a pattern for a regular expression, and its time grows with the text alone.
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

_END = ""  # where in the tree of words the kinds of a finished pattern are kept


def folded(text: str) -> str:
    """`text` with what only differs in case or in width made equal."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def words(text: str) -> list[str]:
    """The words of a text, folded; an amount's currency sign is a word too."""
    return _cut(folded(text), _IN_TEXT)


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


class Lexicon:
    """Words and phrases of several kinds, put in order once, then found in any text."""

    __slots__ = ("_odd", "_tree")

    def __init__(self, patterns: Mapping[str, Iterable[str]]) -> None:
        self._tree: dict[str, Any] = {}
        self._odd: list[tuple[re.Pattern[str], Found]] = []
        for kind, phrases in patterns.items():
            for phrase in phrases:
                self._add(" ".join(folded(phrase).split()), kind)

    def kinds_in(self, text: str) -> set[str]:
        """The kinds of which something is in the text, as whole words."""
        return {kind for kind, _ in self.found_in(text)}

    def found_in(self, text: str) -> list[Found]:
        """What of it is in the text, each once, in the order of the text."""
        text = folded(text)
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
        node = self._tree
        for token in tokens:
            node = node.setdefault(token, {})
        node.setdefault(_END, set()).add((kind, phrase))


def _bare(text: str) -> str:
    return text.replace(" ", "").replace("^", "")


def _exactly(phrase: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if phrase[0].isalnum() else ""
    after = r"(?!\w)" if phrase[-1].isalnum() else ""
    return re.compile(before + re.escape(phrase) + after)
