"""Compiles the expressions of a language: its names in place of MONTH, COUNT and so on. Pure.

The expressions match folded text: in lower case, without accents.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from msgspec import Struct

from ragd.search.dates.languages.language import (
    DAYS,
    MONTHS,
    ORDINALS,
    SEASONS,
    UNITS,
    Language,
    Rules,
)
from ragd.search.dates.time_points import YEAR

_KINDS = "SHORTDAY|DATE2|COUNT|DATE|DAY|MONTH|ORDINAL|PERIOD|SEASON|UNIT|YEAR"
_KIND = re.compile(_KINDS)
_SPACE = re.compile(r"\[[^\]]*\]| ")  # a space in brackets stays
_DAY_OF_MONTH = r"[0-3]?\d"
_KANJI_DAY = f"{_DAY_OF_MONTH}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九]"
_ORDINAL_MARK = "(?:er|ro|o|°)?"  # 1er, 1ro, 1º
_LARGE_NUMBERS = r"ciento|mil|mille|cent|cento|honderd|duizend|сто|двести|триста|тысяч\w*"
_WORD_END = r"(?:(?<=')\s*|\s+)"
_WHOLE_WORDS = r"(?<![\w-])(?:{})(?![\w-])"
_KANJI = "一二三四五六七八九十百千万数何"
_WHOLE_KANJI = rf"(?<![{_KANJI}\d])(?:{{}})"


class Rule(Struct, frozen=True):
    """A compiled expression, and its English with the kinds that stand for names."""

    pattern: re.Pattern[str]
    english: str
    names: Mapping[str, Mapping[str, str]]  # the English names, by kind and folded name
    language: Language

    def rewritten(self, match: re.Match[str]) -> str:
        """The English words for a match."""
        found = {group.partition("_")[0]: name for group, name in match.groupdict().items() if name}

        def name_of(kind: re.Match[str]) -> str:
            return self._english_name(kind[0].lower(), found)

        return _KIND.sub(name_of, self.english)

    def _english_name(self, kind: str, found: Mapping[str, str]) -> str:
        kind = "shortday" if kind == "day" and "day" not in found else kind
        name = " ".join(found[kind].split())
        known = self.names.get(kind, {})
        return known.get(name) or known.get(name.replace(" ", "-")) or name


class Expressions(Struct, frozen=True):
    """The compiled expressions of a language."""

    rules: tuple[Rule, ...]
    before: tuple[Rule, ...]
    after: tuple[Rule, ...]
    begins_range: re.Pattern[str]
    to: re.Pattern[str]
    and_: re.Pattern[str]
    of: re.Pattern[str]
    every: re.Pattern[str]
    number: re.Pattern[str]  # a number directly before a place


@cache
def expressions_of(language: Language) -> Expressions:
    """Compiled at the first question of the language."""
    names = _names_of(language)
    kinds = _expressions_of_kinds(language, names)
    spaced = language.group != "japanese"
    gap, end = (r",?\s+", _WORD_END) if spaced else ("", "")

    def rules(pairs: Rules, form: str) -> tuple[Rule, ...]:
        return tuple(
            Rule(re.compile(form.format(_expanded(source, kinds))), english, names, language)
            for source, english in pairs
        )

    def pattern(form: str, source: str) -> re.Pattern[str]:
        return re.compile(form.format(_expanded(source, kinds)))

    return Expressions(
        rules=rules(language.rules, _WHOLE_WORDS if spaced else _WHOLE_KANJI),
        before=rules(language.before, rf"(?<![\w-])(?:{{}}){_WORD_END}$"),
        after=rules(language.after, "(?:{})"),
        begins_range=pattern(rf"(?<![\w-])(?:{{}}){_WORD_END}$", language.begins_range),
        to=pattern(f"{gap}(?:{{}}){end}", language.to),
        and_=pattern(f"{gap}(?:{{}}){end}", language.and_),
        of=pattern(f"{gap}{{}}", language.of),
        every=pattern(r"(?<!\w)(?:{})\s*$", language.every),
        number=re.compile(
            rf"(?<!\w)(?:{kinds['count']}|{_LARGE_NUMBERS})[\s-]+(?:(?:y|e|et|en|и)\s+)?$"
        ),
    )


def _expressions_of_kinds(
    language: Language, names: Mapping[str, Mapping[str, str]]
) -> dict[str, str]:
    """The expression for each kind of name."""
    day = _KANJI_DAY if language.group == "japanese" else _DAY_OF_MONTH
    compounds = (f"{_spaced(fold(compound))}|" for compound in language.numbers.compounds)
    single = _any_of(map(fold, language.numbers.single))
    return {
        **{kind: _any_of(known) for kind, known in names.items()},
        "count": rf"\d{{1,3}}|{''.join(compounds)}{single}",
        "date": day,
        "date2": day,
        "year": YEAR,
    }


def _expanded(source: str, kinds: Mapping[str, str]) -> str:
    """The expression with the names of each kind, for folded text."""
    spaced = _spaced(fold_marks(source))
    number = iter(range(len(spaced)))

    def group(match: re.Match[str]) -> str:
        kind = match[0].lower()
        mark = _ORDINAL_MARK if kind.startswith("date") else ""
        return f"(?P<{kind}_{next(number)}>{kinds[kind]}){mark}"

    return _KIND.sub(group, spaced)


def _spaced(source: str) -> str:
    """The expression with any white space for its spaces."""
    return _SPACE.sub(lambda space: r"\s+" if space[0] == " " else space[0], source)


def _names_of(language: Language) -> dict[str, dict[str, str]]:
    units = _names(language.units, UNITS)
    numbers = {fold(name): number for name, number in language.numbers.values.items()}
    return {
        "month": _names(language.months, MONTHS),
        "day": _names(language.days, DAYS),
        "shortday": _names(language.short_days, DAYS),
        "season": _names(language.seasons, SEASONS),
        "unit": units,
        "period": {name: unit for name, unit in units.items() if unit != "day"},
        "ordinal": _names(language.ordinals, ORDINALS),
        "count": numbers,
        "date": numbers,
        "date2": numbers,
    }


def names_of(language: Language) -> Iterable[str]:
    """The folded words that name its months, days, seasons and units."""
    names = _names_of(language)
    return (name for kind in ("month", "day", "season", "unit") for name in names[kind])


def _names(text: str, english: Sequence[str]) -> dict[str, str]:
    groups = zip(fold(text).split("|"), english, strict=False)
    return {name: new for names, new in groups for name in names.split()}


def _any_of(names: Iterable[str]) -> str:
    longest = sorted(names, key=len, reverse=True)
    return "|".join("".join(map(_character, name)) for name in longest)


def _character(character: str) -> str:
    return {" ": r"\s+", "-": r"[-\s]"}.get(character, re.escape(character))


def fold(text: str) -> str:
    """The text in lower case, without accents, of the same length."""
    return text.lower() if text.isascii() else "".join(map(_folded_character, text))


def fold_marks(text: str) -> str:
    """The text without accents, of the same length."""
    return text if text.isascii() else "".join(map(_bare_character, text))


@lru_cache(4_096)
def _folded_character(character: str) -> str:
    lower = character.lower()
    return _bare_character(lower if len(lower) == 1 else character)


@lru_cache(4_096)
def _bare_character(character: str) -> str:
    if character in "’‘ʼ":
        return "'"
    bare = "".join(
        part
        for part in unicodedata.normalize("NFKD", character)
        if not "\u0300" <= part <= "\u036f"
    )
    return bare if len(bare) == 1 else character
