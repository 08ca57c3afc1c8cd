"""Stems of words in their own language, beside the English ones that the full-text index makes.

`stems` gives those that another form of the word would share and the index does not have yet. It
never touches English, and languages without a stemmer have none.
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
    "uk": "russian",  # there is none of its own; endings are much alike
}
_WORD = re.compile(r"[^\W\d_]{2,}")
_MARKS = re.compile("[\u0640\u064b-\u0652\u0300\u0301]+")  # Arabic vowels, Russian stress marks


def has_stems(language: str | None) -> bool:
    """Whether words of this language get stems of their own."""
    return language in _STEMMERS


def stems(text: str, language: str | None) -> str:
    """The stems of all words, spaced, without those that the English stemmer finds anyway."""
    return " ".join([stem for _, stem in _pairs(text, language) if stem])


def stemmed(text: str, language: str | None) -> str:
    """The words of a question, each as its stem if the index has one: each counts once."""
    if not has_stems(language):
        return text
    found = dict(_pairs(text, language))
    text = _without_marks(text)
    return _WORD.sub(lambda match: found.get(match.group().lower()) or match.group(), text)


def _pairs(text: str, language: str | None) -> Iterator[tuple[str, str]]:
    """Each word and its stem; the stem is empty if the English stemmer finds it anyway."""
    algorithm = _STEMMERS.get(language or "")
    if algorithm is None:
        return
    words = _WORD.findall(_without_marks(text).lower())
    own = Stemmer.Stemmer(algorithm).stemWords(words)  # one each: not for several threads
    english = Stemmer.Stemmer("english").stemWords
    for word, stem, known, new in zip(words, own, english(words), english(own), strict=True):
        yield word, stem if known != new else ""


def _without_marks(text: str) -> str:
    """Without marks that are not always written."""
    return text if text.isascii() else _MARKS.sub("", unicodedata.normalize("NFC", text))
