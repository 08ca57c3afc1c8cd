"""Finds the words of a vault that a mistyped word may stand for. Pure.

One typo is a missing, extra or wrong letter, or two swapped letters. Long words may
have two typos. The first letter counts as right, because people rarely mistype it. Not corrected:
function words, abbreviations in capitals, and words of scripts without spaces.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from msgspec import Struct

from ragd.notes import languages, stop_words
from ragd.notes.late_pattern import LatePattern

SHORTEST = 4  # letters; a shorter word is close to too many others
LONG = 8  # letters from which two typos are allowed
MOST_USED = 2  # words that are searched for one mistyped word
MOST_CHANGED = 4  # letters that two typos can add or remove
MOST_COMPARED = 20_000  # words, for two typos

_WORD = LatePattern(r"[^\W\d_]+")
# Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer: no spaces, or endings joined to words.
_UNSPACED = LatePattern("[฀-໿က-႟ក-៿぀-ヿ㐀-䶿一-鿿豈-﫿가-힯]")


class Correction(Struct, frozen=True):
    """A word of the question that no note has, and the words that were searched in its place."""

    word: str
    used: list[str]


class Vocabulary:
    """The words of a vault in the form that is compared, with their counts."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self._letters: dict[str, set[str]] = {}  # by script
        # Words from LONG - 2 letters on, by first letter, with the letters that each has.
        self._starts: dict[str, list[tuple[str, int]]] = {}
        for word in counts:
            self._letters.setdefault(_script(word[0]), set()).update(word)
            if len(word) >= LONG - 2:
                self._starts.setdefault(word[0], []).append((word, _letter_bits(word)))

    def __contains__(self, word: str) -> bool:
        return word in self._counts

    def __len__(self) -> int:
        return len(self._counts)

    def words_near(self, word: str, *, may_be_right: bool = False) -> list[str]:
        """The words that a mistyped word may stand for, most likely first.

        `may_be_right`: it may be a word that no note has. Then a letter may be missing, extra or
        swapped, but not a different one: "kilos" does not stand for "kilns".
        """
        found = [one for one in _one_edit_away(word, self._letters_of(word)) if one in self._counts]
        if may_be_right:
            found = [one for one in found if len(one) != len(word) or sorted(one) == sorted(word)]
        elif not found and len(word) >= LONG:
            some, bits = self._starts.get(word[0], [])[:MOST_COMPARED], _letter_bits(word)
            found = [
                one
                for one, own in some
                if abs(len(one) - len(word)) <= 2
                and (own ^ bits).bit_count() <= MOST_CHANGED
                and _edit_distance(word, one) <= 2
            ]
        found = [one for one in dict.fromkeys(found) if _may_stand_for(word, one)]
        found.sort(key=lambda one: (one[0] != word[0], -self._counts[one], one))
        is_function_word = bool(found) and found[0] in _function_words()
        return found[: 1 if is_function_word else MOST_USED]  # "wich" is not also "witch"

    def _letters_of(self, word: str) -> Iterable[str]:
        return sorted(c for c in self._letters.get(_script(word[0]), ()) if c.isalpha())


def normalised(word: str) -> str:
    """A word in the form that is compared: in lower case, without accents."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    bare = "".join(c for c in plain if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", bare).replace("’", "'")


def maybe_mistyped(question: str, vocabulary: Vocabulary) -> list[str]:
    """The words of a question that may be mistyped: long enough, and not in the vocabulary."""
    words = dict.fromkeys(_WORD.findall(question))
    return [
        word
        for word in words
        if len(word) >= SHORTEST
        and not _UNSPACED.search(word)
        and not word.isupper()
        and normalised(word) not in _function_words()
        and normalised(word) not in vocabulary
        and all(part not in vocabulary for part in normalised(word).split("'"))
    ]


def apply_corrections(question: str, corrections: Iterable[Correction]) -> str:
    """The question with the words of the corrections instead of the mistyped ones."""
    others = {one.word: " ".join(one.used) for one in corrections}
    return _WORD.sub(lambda match: others.get(match.group(), match.group()), question)


def _may_stand_for(word: str, one: str) -> bool:
    """Whether the user may have meant `one`: it begins with the same letter, or with the first two
    swapped. "Plumber" does not stand for "lumber"."""
    starts_alike = one[0] == word[0] or (one[0], one[1]) == (word[1], word[0])
    return len(one) >= SHORTEST - 1 and starts_alike


def _one_edit_away(word: str, letters: Iterable[str]) -> Iterator[str]:
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        if tail:
            yield head + tail[1:]
        for letter in letters:
            if tail:
                yield head + letter + tail[1:]
            yield head + letter + tail


def _edit_distance(left: str, right: str) -> int:
    """The number of typos between two words, up to 3. Two swapped letters are one typo."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        last, row, older = row, [i], before
        for j, b in enumerate(right, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > 2:
            return 3
        before = last
    return row[-1]


def _letter_bits(word: str) -> int:
    """The letters of a word as bits: words with few typos between them differ in few bits."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 63)
    return bits


def _script(letter: str) -> str:
    return unicodedata.name(letter, "OTHER").partition(" ")[0]


@cache
def _function_words() -> frozenset[str]:
    return frozenset(
        normalised(word)
        for words in (languages.FUNCTION_WORDS, *map(str.split, stop_words.ALL))
        for word in words
    )
