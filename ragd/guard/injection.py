"""Passages that read like orders to an agent: suspected by the way they speak.

It never proves anything: what it flags is shown with the flag, and what it misses is still marked
untrusted. Its time grows with the text alone.
"""

import re

from ragd.guard.injection_signs import SIGNS, InjectionSign
from ragd.guard.word_matching import normalised

_JOINERS = re.compile("[\u200c\u200d\ufe0e\ufe0f]")
_WORD = re.compile(r"[^\W\d_]+")


def signs_in(text: str) -> list[str]:
    """In which ways a text gives orders, by name."""
    text = _with_plain_spacing(text)
    words = frozenset(_WORD.findall(text))
    found = (sign.name for sign in SIGNS if _may_be_in(sign, text, words) and sign.is_in(text))
    return list(dict.fromkeys(found))


def is_suspected(text: str) -> bool:
    """Whether a text reads like an instruction to an agent."""
    return bool(signs_in(text))


def _with_plain_spacing(text: str) -> str:
    """One line for each line that has words, without what hides words in other ones."""
    text = normalised(text)
    if not text.isascii():
        text = _JOINERS.sub("", text)
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))


def _may_be_in(sign: InjectionSign, text: str, words: frozenset[str]) -> bool:
    if any(words.isdisjoint(group) for group in sign.words):
        return False
    return not sign.parts or any(part in text for part in sign.parts)
