"""The content words of a question, and the share of them that a text has. Pure.

Content words are all but function words. It has the function words of a few languages; in others,
every word counts. Only the function words of the question's own language are left out: "war" is one
in German, but not in English. Chinese, Japanese and Korean are read in pairs of characters.
"""

import unicodedata
from collections.abc import Callable, Collection, Iterable, Set
from functools import cache
from itertools import pairwise

from msgspec import Struct

from ragd.notes import stop_words
from ragd.notes.late_pattern import LatePattern
from ragd.notes.stems import stemmed, stems

MOST_WORDS = 64
_STEM = 5  # letters that two forms of one word usually share

_MOST_COMPOUNDS = 8
_SHORTEST_PART = 3  # letters
_RUSSIAN_VOWELS = "аеиоуыьэюя"
_MARKS = ".,;:!?()[]'\"…"

Count = Callable[[str], int]

_WORD = LatePattern(r"[^\W_]+")
_PLAIN = LatePattern("[a-z0-9]+")
_COMBINING = LatePattern("[\u0300-\u036f]+")
_COMBINING_BYTES = (b"\xcc", b"\xcd")  # each of them begins with one of these in UTF-8
_PAIRS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_PAIRED = LatePattern(f"[{_PAIRS}]+")


class QueryTerms(Struct, frozen=True):
    """The content words of a question as written, and their stems.

    `readable`: the share of them in BERT's vocabulary, from 0 to 1.
    """

    content_words: str
    stems: frozenset[str]
    readable: float
    language: str | None = None  # of the question, if it is clear

    def full_text_words(self, languages: Iterable[str]) -> str:
        """The words for the full-text index, without those that only ask: as stems of the
        question's language.

        If the language is not known, the words as written and their stems in each of `languages`.
        """
        telling = self._without_asking()
        words = " ".join([telling, *_compounds(telling)])
        if self.language is not None:
            return stemmed(words, self.language)
        return " ".join([words, *(stems(words, one) for one in languages)])

    @property
    def key_stems(self) -> frozenset[str]:
        """The stems without words that only ask: "Where do I mention Palermo?" is about Palermo."""
        return self.stems & frozenset(_stems(_words(self._without_asking()))) or self.stems

    @property
    def asks_what_happened(self) -> bool:
        """Whether it asks for everything of its time: no note of that time has to say "feel"."""
        return self.key_stems <= _happened()

    def _without_asking(self) -> str:
        """The content words without those that only ask. If all only ask, they stay."""
        pieces = self.content_words.split()
        telling = [piece for piece in pieces if not _only_asks(_words(piece))]
        return " ".join(telling) if any(map(_words, telling)) else self.content_words

    def share_in(self, *texts: str) -> float:
        """The share of the stems that these texts have, from 0 to 1."""
        return self.share_of(stems_in(" ".join(texts), self.stems))

    def share_of(self, present: frozenset[str]) -> float:
        """The same, from the stems of a text."""
        return len(self.stems & present) / len(self.stems) if self.stems else 0.0

    def split_words(self, present: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The content words that a text with these stems has, and those that it does not have."""
        matched: dict[str, None] = {}
        missing: dict[str, None] = {}
        for word in _words(self.content_words):
            if (own := frozenset(_stems([word]))) and own <= self.stems:
                (matched if own <= present else missing)[word] = None
        return tuple(matched), tuple(missing)

    @property
    def share_of_one_word(self) -> float:
        """The share of a single word."""
        return 1 / len(self.stems) if self.stems else 0.0


def query_terms(
    question: str, count_tokens: Count, whole: str = "", language: str | None = None
) -> QueryTerms:
    """The terms of a question in this language. If all are function words, they stay: "The Who" is
    a name.

    `whole`: the text that the question is a part of, which shows its function words better.
    """
    pieces = question.split()
    function_words = _function_words(_words(whole or question))
    content_words = [piece for piece in pieces if not function_words.issuperset(_words(piece))]
    words = _words(" ".join(content_words or pieces))
    kept = ([word for word in words if word not in function_words] or words)[:MOST_WORDS]
    readable = _readable_share(kept, count_tokens)
    return QueryTerms(
        " ".join(content_words or pieces), frozenset(_stems(kept)), readable, language
    )


def has_content_words(part: str, question: str) -> bool:
    """Whether a part of a question has more than the function words of the question's language."""
    return not _function_words(_words(question)).issuperset(_words(part))


def content_stems(part: str, question: str) -> frozenset[str]:
    """The stems of a part of a question, without the function words of the question's language. If
    the part has only those, they stay."""
    function_words, words = _function_words(_words(question)), _words(part)
    return frozenset(_stems([word for word in words if word not in function_words] or words))


def _compounds(words: str) -> list[str]:
    """Neighbouring words as one word: "mental health" also finds #mentalhealth."""
    pieces = [piece.strip(_MARKS) for piece in words.split()[: _MOST_COMPOUNDS + 1]]
    return [
        one + other
        for one, other in pairwise(pieces)
        if min(len(one), len(other)) >= _SHORTEST_PART and f"{one}{other}".isalpha()
    ]


def _function_words(words: Collection[str]) -> frozenset[str]:
    """The function words of the language that the words are in. A single one proves nothing."""
    different, known_words = set(words), _all_function_words()
    fits = [len(different & known) for known in known_words]
    best = fits.index(max(fits))
    return known_words[best] if best == 0 or fits[best] > 1 else frozenset()


def _readable_share(words: Collection[str], count_tokens: Count) -> float:
    """A word of one token is readable, a word of two tokens by half, a longer one is not."""
    long = [word for word in words if len(word) >= 3 and not word.isdecimal()]
    known = {1: 1.0, 2: 0.5}
    return sum(known.get(count_tokens(word), 0.0) for word in long) / len(long) if long else 0.0


def stems_of(text: str) -> frozenset[str]:
    """The stems of all words of a text."""
    words = _words(text)
    return frozenset(map(_stem, words) if text.isascii() else _stems(words))


def stems_in(text: str, stems: Set[str]) -> frozenset[str]:
    """Those of some stems that a text has, as `stems_of` would find them.

    The text is not split into words, because most texts have few of the stems. And no expression is
    compiled for a stem: that takes longer than the search for all of them.
    """
    if text.isascii():
        bare = text.lower()
        return frozenset([one for one in stems if _next_plain_place(bare, one, 0) >= 0])
    bare = without_accents(text)
    return frozenset([one for one in stems if one in bare and _next_place(bare, one, 0) >= 0])


def stem_places(text: str, stems: Set[str]) -> list[tuple[int, str]]:
    """Where a text has these stems, in order: the place of the first character, and the stem."""
    is_plain = text.isascii()
    bare = text.lower() if is_plain else without_accents(text)
    next_place = _next_plain_place if is_plain else _next_place
    found: list[tuple[int, str]] = []
    for stem in stems:
        at = next_place(bare, stem, 0)
        while at >= 0:
            found.append((at, stem))
            at = next_place(bare, stem, at + 1)
    return sorted(found)


def _next_plain_place(bare: str, stem: str, start: int) -> int:
    """The same as `_next_place` for a text in ASCII, where no character is read in pairs."""
    at = bare.find(stem, start)
    while at >= 0:
        if not at or not bare[at - 1].isalnum():
            end = at + len(stem)
            while end <= at + _STEM and bare[end : end + 1].isalnum():
                end += 1
            if _stem(bare[at:end]) == stem:
                return at
        at = bare.find(stem, at + 1)
    return -1


def _next_place(bare: str, stem: str, start: int) -> int:
    """Where the next word with this stem begins, from `start`; -1 without one. A single character
    that is read in pairs is the whole run of them."""
    if not _PAIRED.match(stem):
        belongs, is_whole = _is_letter, False
    elif len(stem) == 1:
        belongs, is_whole = _is_paired, True
    else:
        return bare.find(stem, start)
    at = bare.find(stem, start)
    while at >= 0:
        if not belongs(bare[max(0, at - 1) : at]):
            end = at + len(stem)
            while end <= at + _STEM and belongs(bare[end : end + 1]):
                end += 1
            if (end == at + len(stem)) if is_whole else _stem(bare[at:end]) == stem:
                return at
        at = bare.find(stem, at + 1)
    return -1


def _is_paired(character: str) -> bool:
    """Whether it is a letter that is read in pairs; a middle dot is none."""
    return character.isalnum() and _PAIRED.match(character) is not None


def _is_letter(character: str) -> bool:
    """Whether it belongs to a word that is not read in pairs; an empty text does not."""
    return character.isalnum() and not _is_paired(character)


def _words(text: str) -> list[str]:
    if text.isascii():
        return _PLAIN.findall(text.lower())
    return _WORD.findall(without_accents(text))


def without_accents(text: str) -> str:
    """The text in the form that is compared: in lower case, without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    if _may_have_accents(plain):
        plain = _COMBINING.sub("", plain)
    return unicodedata.normalize("NFC", plain)


def _may_have_accents(plain: str) -> bool:
    """False for most texts that are not ASCII only because of a dash or a quotation mark. To look
    for a byte takes a fifth of the time of the expression."""
    encoded = plain.encode("utf-8", "surrogatepass")
    return any(one in encoded for one in _COMBINING_BYTES)


def _stem(word: str) -> str:
    """The beginning of a word. A short plural has the stem of its singular: "gifts", "ideas". A
    Russian word has none of its last vowels, which change with the case: "Анна", "Анне"."""
    if "а" <= word[:1] <= "я":
        return word[:2] + word[2:_STEM].rstrip(_RUSSIAN_VOWELS)
    if 4 <= len(word) <= _STEM and word[-1] == "s" and word[-2] not in "sui" and word != "news":
        return word[:-1]
    return word[:_STEM]


def _stems(words: Collection[str]) -> list[str]:
    found: list[str] = []
    for word in words:
        rest = _PAIRED.sub(" ", word)
        for run in _PAIRED.findall(word):
            found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
        found += map(_stem, rest.split())
    return found


_ASKING = frozenset(  # whole words: "journal" only asks, "journey" does not
    _words(
        "mention mentions mentioned mentioning write writes wrote written writing say says said "
        "saying tell tells told note notes noted journal journals "
        "erwähne erwähnt erwähnen erwähnte schreibe schreibt schrieb schreiben geschrieben notiz "
        "notizen notiert sage sagt sagte sagen gesagt"
    )
)


@cache
def _happened() -> frozenset[str]:
    return stems_of(
        "feel felt feeling feelings mood happen happens happened happening go goes going went do "
        "does did done doing spend spent life day days "
        "fühle fühlte gefühlt geht ging gegangen mache machte gemacht lief gelaufen passiert "
        "passierte geschah erlebt los stimmung laune leben tage"
    )


def _only_asks(words: Collection[str]) -> bool:
    return bool(words) and _ASKING.issuperset(words)


@cache
def _all_function_words() -> list[frozenset[str]]:
    return [frozenset(_words(language)) for language in stop_words.ALL]
