"""Stems of words in their own language, in addition to the index's English stems.

`stems` returns the stems that the English stemmer of the index does not produce. English words and
languages without a stemmer get none.
"""

import re
import unicodedata
from collections.abc import Iterator

import Stemmer

_STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "es": "spanish",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "tr": "turkish",
    "uk": "russian",  # there is no Ukrainian stemmer; the endings are similar
}
_WORD = re.compile(r"[^\W\d_]{2,}")
_MARKS = re.compile("[\u0640\u064b-\u0652\u0300\u0301]+")  # Arabic vowels, Russian stress marks


def has_stems(language: str | None) -> bool:
    """Whether words of this language get stems of their own."""
    return language in _STEMMERS


def stems(text: str, language: str | None) -> str:
    """The stems of all words, separated by spaces, without those that the English stemmer finds."""
    return " ".join([stem for _, stem in _pairs(text, language) if stem])


def stemmed(text: str, language: str | None) -> str:
    """The words of a question, each replaced by its stem if the index has one."""
    if not has_stems(language):
        return text
    found = dict(_pairs(text, language))
    text = _without_marks(text)
    return _WORD.sub(lambda match: found.get(match.group().lower()) or match.group(), text)


def _pairs(text: str, language: str | None) -> Iterator[tuple[str, str]]:
    """Each word and its stem; the stem is empty if the English stemmer finds it too."""
    algorithm = _STEMMERS.get(language or "")
    if algorithm is None:
        return
    words = _WORD.findall(_without_marks(text).lower())
    own = Stemmer.Stemmer(algorithm).stemWords(words)  # a new one each time: it is not thread-safe
    english = Stemmer.Stemmer("english").stemWords
    for word, stem, known, new in zip(words, own, english(words), english(own), strict=True):
        yield word, stem if known != new else ""


def _without_marks(text: str) -> str:
    """The text without marks that are often left out in writing."""
    return text if text.isascii() else _MARKS.sub("", unicodedata.normalize("NFC", text))
