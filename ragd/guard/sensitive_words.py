"""Finds the words of the built-in lists, and amounts of money and of medicine, in a text.

It compares whole words, with or without their accents. Its time is linear in the length of the
text. It does not check sections and tags: `sensitive` does.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from ragd.guard.word_lists import WordList
from ragd.guard.word_lists.chinese import CHINESE
from ragd.guard.word_lists.english import ENGLISH
from ragd.guard.word_lists.french import FRENCH
from ragd.guard.word_lists.german import GERMAN
from ragd.guard.word_lists.spanish import SPANISH
from ragd.guard.word_matching import normalised, words

LISTS: tuple[WordList, ...] = (ENGLISH, GERMAN, CHINESE, FRENCH, SPANISH)
CACHED_WORDS = 50_000
SHORTEST_BARE = 5  # letters; in a shorter word, an accent makes a different word
HEALTH = "health"
MONEY = "financial_debt"
_END = ""
_UNIT_KEY = "<unit>"  # the key of every unit of money or medicine

_CODE_NAMES = (
    "eur usd gbp chf cny rmb inr jpy aud cad nzd sek nok dkk pln czk huf brl mxn krw hkd sgd twd rs"
)
_UNIT_NAMES = """
euro euros dollar dollars bucks quid cents pence rupee rupees rupien rupias yuan yen franc francs
franken rappen kronor kroner kronen zloty zlotys złotych rouble roubles ruble rubles rubel peso
pesos dólares
"""
_NUMBER_NAMES = """
two three four five six seven eight nine ten twelve fifteen twenty thirty forty fifty sixty seventy
eighty ninety hundred thousand million k mio mrd tsd zwei drei vier fünf sechs sieben acht neun zehn
zwölf zwanzig dreißig dreissig vierzig fünfzig hundert tausend deux trois quatre cinq dix vingt
trente cinquante cent mille dos tres cuatro cinco diez veinte treinta cincuenta cien cientos mil
"""
_CODES = frozenset(_CODE_NAMES.split())
_UNITS = _CODES.union(_UNIT_NAMES.split())
_NUMBERS = frozenset(_NUMBER_NAMES.split())
_SIGNS = frozenset("$€£¥₹₽₩₺₪₫₴")  # `words` returns one only next to a number
_MEASURES = frozenset(("mg", "µg", "μg", "mcg", "milligram", "milligrams", "milligramm"))
_JOINED = re.compile(r"\d+(?:k|mio|tsd)?([^\W\d_]+)")  # 300eur, 20mg
# Chinese and Japanese amounts; `元` after a single digit is also a mathematical term.
_AMOUNT_SIGNS = re.compile("[元块塊円镑鎊币幣]")
_AMOUNT = re.compile(
    r"[\d十百千万萬亿億] ?(?:元|块钱|塊錢|美元|欧元|歐元|日元|英镑|英鎊|人民币|人民幣|円)"
    r"|[一二两三四五六七八九几] ?(?:块钱|塊錢|美元|欧元|歐元|英镑|英鎊)"
    r"|[\d十百千万] ?[块塊](?!\w)|[一二两三四五六七八九] ?元(?!\w)"
)
# `$10^4$` is not an amount. Neither a word nor another currency may be in it, nor a word end at its
# signs: so amounts around `=` stay amounts.
_FORMULA = re.compile(
    r"(?<![\w$])\$(?=\S)(?=[^$\n]{0,200}[\^\\={}])"
    r"(?:(?!(?<![\\a-z])[^\W\d_]{3,}(?![^\W_]))[^$\n€£¥₹]){1,200}(?<=\S)"
    r"(?<!\bus)(?<!\bnz)(?<!\bau)(?<!\bhk)(?<!\bca)\$(?!\w)"
)


class SensitiveWords:
    """The words of some kinds, indexed once, then found in any text."""

    __slots__ = ("_amounts", "_doses", "_heads", "_keys", "_lengths", "_tails", "_tree", "_whole")

    def __init__(self, kinds: Iterable[str]) -> None:
        self._tree: dict[str, dict[str, object]] = {}
        self._whole: set[str] = set()
        self._heads: set[str] = set()
        self._tails: set[str] = set()
        self._keys: dict[str, tuple[str, ...]] = {}
        kinds = tuple(kinds)
        self._amounts = MONEY in kinds
        self._doses = HEALTH in kinds
        for kind in kinds:
            for words_of in LISTS:
                for entry in phrases_in(getattr(words_of, kind)):
                    self._add(entry, kind)
        self._lengths = (
            sorted({len(head) for head in self._heads}),
            sorted({len(tail) for tail in self._tails}),
        )

    def kinds_in(self, text: str, cut: list[str] | None = None) -> set[str]:
        """The kinds whose words or amounts are in a normalised text. `cut`: its words, if they are
        known."""
        found: set[str] = set()
        cut = words(text) if cut is None else cut
        known = self._keys
        keys = [known[word] if word in known else self._keys_of(word) for word in cut]
        for start, first in enumerate(keys):
            if first:
                self._add_kinds_at(keys, start, found)
                if first[0] == _UNIT_KEY:
                    found |= self._kinds_of_amount(cut, start)
        if self._amounts and _AMOUNT_SIGNS.search(text) and _AMOUNT.search(text):
            found.add(MONEY)
        return found

    def _kinds_of_amount(self, cut: list[str], at: int) -> set[str]:
        """The kind of an amount, if the unit at this place is next to a number."""
        unit, joined = _unit_of(cut[at])
        before = cut[at - 1] if at else ""
        after = cut[at + 1] if at + 1 < len(cut) else ""
        has_number = joined or unit in _SIGNS or before[-1:].isdecimal()
        if unit in _MEASURES:
            return {HEALTH} if has_number and self._doses else set()
        has_number = has_number or before in _NUMBERS or (unit in _CODES and after[:1].isdecimal())
        return {MONEY} if has_number and self._amounts else set()

    def _add_kinds_at(self, keys: list[tuple[str, ...]], start: int, found: set[str]) -> None:
        """Add the kinds of all entries that begin at the word at `start`."""
        nodes: list[dict[str, object]] = [self._tree]  # type: ignore[list-item]
        for at in range(start, len(keys)):
            below = [node[key] for node in nodes for key in keys[at] if key in node]
            if not below:
                return
            nodes = below  # type: ignore[assignment]
            for node in nodes:
                found.update(node.get(_END, ()))  # type: ignore[arg-type]

    def _keys_of(self, word: str) -> tuple[str, ...]:
        """The words in list entries that this word matches."""
        known = self._keys.get(word)
        if known is None:
            spellings = {word, without_accents(word)} if len(word) >= SHORTEST_BARE else {word}
            known = tuple(key for spelling in spellings for key in self._matching_entries(spelling))
            if _unit_of(word)[0]:
                known = (_UNIT_KEY, *known)
            if len(self._keys) >= CACHED_WORDS:
                self._keys.clear()
            self._keys[word] = known
        return known

    def _matching_entries(self, word: str) -> Iterable[str]:
        if word in self._whole:
            yield word
        for length in self._lengths[0]:
            if word[:length] in self._heads:
                yield f"{word[:length]}*"
        for length in self._lengths[1]:
            if len(word) > length and word[-length:] in self._tails:
                yield f"*{word[-length:]}"

    def _add(self, entry: str, kind: str) -> None:
        for spelling in {entry, without_accents(entry)}:
            node: dict[str, object] = self._tree  # type: ignore[assignment]
            for word in _words_of(spelling):
                if word.endswith("*"):
                    self._heads.add(word[:-1])
                elif word.startswith("*"):
                    self._tails.add(word[1:])
                else:
                    self._whole.add(word)
                node = node.setdefault(word, {})  # type: ignore[assignment]
            node.setdefault(_END, set()).add(kind)  # type: ignore[attr-defined]


def phrases_in(listed: str) -> list[str]:
    """The entries of a list, normalised."""
    found = (" ".join(normalised(entry).split()) for entry in listed.split(","))
    return [entry for entry in found if entry]


def _words_of(entry: str) -> list[str]:
    """The words of an entry, with their `*`."""
    found: list[str] = []
    for part in entry.split():
        cut = words(part)
        if part.startswith("*"):
            cut[0] = f"*{cut[0]}"
        if part.endswith("*"):
            cut[-1] += "*"
        found += cut
    return found


def without_accents(text: str) -> str:
    """`text` without the accents of its Latin letters."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", re.sub("[\u0300-\u036f]", "", apart))


def _unit_of(word: str) -> tuple[str, bool]:
    """The unit that a word is or ends with, and whether the word begins with a number."""
    if word in _UNITS or word in _SIGNS or word in _MEASURES:
        return word, False
    if match := _JOINED.fullmatch(word):
        unit = match.group(1)
        if unit in _UNITS or unit in _MEASURES:
            return unit, True
    return "", False


def without_harmless_uses(text: str) -> str:
    """A normalised text without harmless uses of sensitive words, and without formulas."""
    text = _FORMULA.sub(" , ", text) if "$" in text else text
    for trigger, use in _harmless():
        if trigger in text:
            text = use.sub(" , ", text)
    return text


@cache
def _harmless() -> list[tuple[str, re.Pattern[str]]]:
    """The patterns of harmless uses, each with letters that every match has. Texts without these
    letters are not searched."""
    return [
        (trigger, re.compile("|".join(uses)))
        for words_of in LISTS
        for trigger, uses in words_of.harmless.items()
    ]
