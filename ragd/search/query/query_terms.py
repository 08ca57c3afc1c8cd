"""The words of a question that say what it is about, and how many of them a text has. Pure.

It knows function words of a few languages; of others, every word counts. One of another language
than the question's is a word as any: "war" says little in German only. Chinese, Japanese and Korean
are read in pairs of characters.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Set
from itertools import pairwise

from msgspec import Struct

from ragd.notes import stop_words
from ragd.notes.languages import language_of
from ragd.notes.stems import stemmed, stems

MOST_WORDS = 64
_STEM = 5  # letters that two forms of one word have in common, mostly

_MOST_COMPOUNDS = 8
_SHORTEST_PART = 3  # letters
_MARKS = ".,;:!?()[]'\"…"

Count = Callable[[str], int]

_WORD = re.compile(r"[^\W_]+")
_PLAIN = re.compile("[a-z0-9]+")
_COMBINING = re.compile("[\u0300-\u036f]+")
_PAIRS = "぀-ヿ㐀-䶿一-鿿豈-﫿가-힯"
_PAIRED = re.compile(f"[{_PAIRS}]+")


class QueryTerms(Struct, frozen=True):
    """What a question is about: its telling words as they stand, and their stems.

    `readable`: which part of them a model with BERT's vocabulary knows, from 0 to 1.
    """

    content_words: str
    stems: frozenset[str]
    readable: float
    language: str | None = None  # of the question, if it shows one

    def full_text_words(self, languages: Iterable[str]) -> str:
        """Its telling words as full text knows them: as stems of its own language.

        If that is not known, the words as they are, and their stems in each of these languages.
        """
        words = " ".join([self.content_words, *_compounds(self.content_words)])
        if self.language is not None:
            return stemmed(words, self.language)
        return " ".join([words, *(stems(words, one) for one in languages)])

    @property
    def key_stems(self) -> frozenset[str]:
        """The stems without words that only ask: "Where do I mention Palermo?" is about Palermo."""
        return self.stems - _ASKING or self.stems

    def share_in(self, *texts: str) -> float:
        """Which part of the stems these texts have, from 0 to 1."""
        return self.share_of(stems_in(" ".join(texts), self.stems))

    def share_of(self, there: frozenset[str]) -> float:
        """The same, of the stems of a text."""
        return len(self.stems & there) / len(self.stems) if self.stems else 0.0

    @property
    def share_of_one_word(self) -> float:
        """The share of a single word."""
        return 1 / len(self.stems) if self.stems else 0.0


def query_terms(question: str, count_tokens: Count) -> QueryTerms:
    """What a question is about. One of function words only is about these: "The Who" is a name."""
    pieces = question.split()
    idle = _function_words(_words(question))
    content_words = [piece for piece in pieces if not idle.issuperset(_words(piece))]
    words = _words(" ".join(content_words or pieces))
    kept = ([word for word in words if word not in idle] or words)[:MOST_WORDS]
    readable = _readable(kept, count_tokens)
    language = language_of(question)
    return QueryTerms(
        " ".join(content_words or pieces), frozenset(_stems(kept)), readable, language
    )


def _compounds(words: str) -> list[str]:
    """Neighbouring words as one: what is asked for as "mental health" is tagged #mentalhealth."""
    pieces = [piece.strip(_MARKS) for piece in words.split()[: _MOST_COMPOUNDS + 1]]
    return [
        one + other
        for one, other in pairwise(pieces)
        if min(len(one), len(other)) >= _SHORTEST_PART and f"{one}{other}".isalpha()
    ]


def _function_words(words: Collection[str]) -> frozenset[str]:
    """The function words of the language that the words are in; one of them proves nothing."""
    different = set(words)
    fits = [len(different & known) for known in _FUNCTION_WORDS]
    best = fits.index(max(fits))
    return _FUNCTION_WORDS[best] if best == 0 or fits[best] > 1 else frozenset()


def _readable(words: Collection[str], count_tokens: Count) -> float:
    """Known words are one token; a word in two may be known in parts, one in three is not."""
    long = [word for word in words if len(word) >= 3 and not word.isdecimal()]
    known = {1: 1.0, 2: 0.5}
    return sum(known.get(count_tokens(word), 0.0) for word in long) / len(long) if long else 0.0


def stems_of(text: str) -> frozenset[str]:
    """The stems of all words of a text."""
    words = _words(text)
    return frozenset([word[:_STEM] for word in words] if text.isascii() else _stems(words))


def stems_in(text: str, stems: Set[str]) -> frozenset[str]:
    """Those of some stems that a text has, as `stems_of` would find them.

    The text is not split into words, because most texts have few of the stems. And no expression is
    compiled for a stem: that takes longer than the search for all of them.
    """
    bare = text.lower() if text.isascii() else _bare(text)
    return frozenset(stem for stem in stems if stem in bare and _has_stem(bare, stem))


def _has_stem(bare: str, stem: str) -> bool:
    """Whether a word of the text has this stem. A short stem is the whole word, and a single
    character that is read in pairs is the whole run of them."""
    if not _PAIRED.match(stem):
        belongs, must_end = _is_letter, len(stem) < _STEM
    elif len(stem) == 1:
        belongs, must_end = _is_paired, True
    else:
        return True
    at = bare.find(stem)
    while at >= 0:
        end = at + len(stem)
        before, after = bare[max(0, at - 1) : at], bare[end : end + 1]
        if not belongs(before) and not (must_end and belongs(after)):
            return True
        at = bare.find(stem, at + 1)
    return False


def _is_paired(character: str) -> bool:
    """Whether it is read in pairs."""
    return _PAIRED.match(character) is not None


def _is_letter(character: str) -> bool:
    """Whether it belongs to a word that is not read in pairs; an empty text does not."""
    return character.isalnum() and not _is_paired(character)


def _words(text: str) -> list[str]:
    if text.isascii():
        return _PLAIN.findall(text.lower())
    return _WORD.findall(_bare(text))


def _bare(text: str) -> str:
    """A text as its words are compared: in lower case, without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _COMBINING.sub("", plain))


def _stems(words: Collection[str]) -> list[str]:
    found: list[str] = []
    for word in words:
        rest = _PAIRED.sub(" ", word)
        for run in _PAIRED.findall(word):
            found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
        found += [part[:_STEM] for part in rest.split()]
    return found


_ASKING = frozenset(
    _stems(
        (
            *(
                "mention",
                "mentioned",
                "mentions",
                "write",
                "wrote",
                "written",
                "say",
                "says",
                "said",
            ),
            *("tell", "told", "note", "notes", "noted", "journal"),
            *(
                "erwähne",
                "erwähnt",
                "schreibe",
                "schrieb",
                "geschrieben",
                "notiz",
                "notizen",
                "sagt",
            ),
        )
    )
)
_FUNCTION_WORDS = [frozenset(_words(language)) for language in stop_words.ALL]
