"""Flags passages that read like instructions to an agent, by their wording.

A flag is a suspicion, not a proof: flagged passages are shown with the flag, and all others are
still marked untrusted. Its time is linear in the length of the text.
"""

import re

from ragd.guard.injection_signs import SIGNS, InjectionSign
from ragd.guard.word_matching import normalised

_JOINERS = re.compile("[\u200c\u200d\ufe0e\ufe0f]")
_WORD = re.compile(r"[^\W\d_]+")


def signs_in(text: str) -> list[str]:
    """The names of the signs of prompt injection in a text."""
    text = _with_plain_spacing(text)
    words = frozenset(_WORD.findall(text))
    found = (sign.name for sign in SIGNS if _may_be_in(sign, text, words) and sign.is_in(text))
    return list(dict.fromkeys(found))


def is_suspected(text: str) -> bool:
    """Whether a text reads like instructions to an agent."""
    return bool(signs_in(text))


def _with_plain_spacing(text: str) -> str:
    """The lines that have words, with single spaces and without invisible joiners."""
    text = normalised(text)
    if not text.isascii():
        text = _JOINERS.sub("", text)
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))


def _may_be_in(sign: InjectionSign, text: str, words: frozenset[str]) -> bool:
    for group in sign.words:
        if words.isdisjoint(group):
            return False
    for part in sign.parts:
        if part in text:
            return True
    return not sign.parts
