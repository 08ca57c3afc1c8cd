"""The words of a sentence or a question as numbers that a word model weighs. Pure.

Single words, pairs of neighbours and beginnings of long words each have a number from 0 to BUCKETS.
Every number in the text is the same word, and so is the subject: "Gave Rosa half of it, so 150 to
go" and "Slipped Declan 250, leaves 650" differ only in what says that money is owed.
"""

import re
import zlib
from collections.abc import Set
from itertools import pairwise

from ragd.search.query.query_terms import stems_of

BUCKETS = 8_192
LONGEST_READ = 400  # characters
_LONG = 5  # letters; of a longer word, its beginning counts as well
_WORD = re.compile(r"[$€£¥]?\d[\d.,:]*|[^\W\d_]+(?:['’]\w+)?|[^\w\s]")
_NUMBER, _SUM, _SUBJECT = "#", "$#", "@"


def buckets_of(text: str, subject: Set[str] = frozenset()) -> list[int]:
    """The numbers of a text. `subject`: the stems of its subject's words."""
    words = ["<", *_words(text[:LONGEST_READ], subject), ">"]
    found = {*words[1:-1], *(f"{one} {other}" for one, other in pairwise(words))}
    found.update(f"{word[:_LONG]}~" for word in words if len(word) > _LONG)
    return sorted({zlib.crc32(one.encode("utf-8", "replace")) % BUCKETS for one in found})


def _words(text: str, subject: Set[str]) -> list[str]:
    words: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word[-1].isdigit() or word[0].isdigit():
            words.append(_SUM if word[0] in "$€£¥" else _NUMBER)
        elif subject and stems_of(word) & subject:
            if words[-1:] != [_SUBJECT]:
                words.append(_SUBJECT)
        else:
            words.append(word.lower())
    return words
