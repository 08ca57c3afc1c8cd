"""Finds the times of a question in another language, and their English. Pure.

All expressions are matched with the question as it is written; the longest match is chosen, so that
each character is read once. `time_phrases` decides what the English means.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from ragd.notes.late_pattern import LatePattern
from ragd.search.dates.languages.expressions import Expressions, Rule, expressions_of
from ragd.search.dates.languages.question_languages import NAME_MONTHS
from ragd.search.dates.time_points import STREETS

_MOST_WORDS = 3  # before a time: "since the end of" are two
_WINDOW = 60  # characters before a time that are read


class Piece(Struct, frozen=True):
    """A part of the question and its English."""

    start: int
    end: int
    english: str
    rule: Rule
    is_name: bool = False  # no time: these words are not read
    before: str = ""  # English words before it: "since"

    @property
    def whole(self) -> str:
        """The English with the words before it, which replace its own "on" or "in"."""
        if self.before in ("", "in"):
            own = _OPENER.match(self.english)
            return self.english if own else f"{self.before} {self.english}".strip()
        return f"{self.before} {self.bare}"

    @property
    def bare(self) -> str:
        """The English without its own "on" or "in"."""
        return _OPENER.sub("", self.english)


def find_pieces(text: str, folded: str, languages: Sequence[Expressions]) -> list[Piece]:
    """The times of a text with their English, in order, without overlaps."""
    found = [
        Piece(*match.span(), rule.rewritten(match), rule, _is_name(text, folded, match, rule))
        for language in languages
        for rule in language.rules
        for match in rule.pattern.finditer(folded)
        if not _is_unknown(folded, match, rule)
    ]
    pieces = _without_overlaps(found, len(text))
    pieces = _join_years(folded, pieces, languages)
    pieces = _with_words_before(folded, pieces, languages)
    pieces = _join_ranges(folded, pieces, languages)
    return [piece for piece in _with_words_after(folded, pieces) if not _is_bare(piece)]


def _is_bare(piece: Piece) -> bool:
    """Whether it is a name that is a time only after certain words, or before a year."""
    return piece.rule.english in _BARE and " " not in piece.whole and not piece.is_name


def _is_unknown(folded: str, match: re.Match[str], rule: Rule) -> bool:
    """Whether the words before a match make it another time: "every Monday", a longer number."""
    before = folded[max(0, match.start() - _WINDOW) : match.start()]
    expressions = expressions_of(rule.language)
    if rule.english in ("on DAY", "DAY"):
        return expressions.every.search(before) is not None
    is_counted = any(match.start(group) == match.start() for group in match.groupdict())
    return is_counted and "COUNT" in rule.english and bool(expressions.number.search(before))


def _is_name(text: str, folded: str, match: re.Match[str], rule: Rule) -> bool:
    """Whether a match is part of a name: "calle 25 de mayo", "25 de Mayo", "Bruno Mars 2024"."""
    start, end = match.span()
    if rule.english in ("DATE MONTH", "YEAR"):
        before = folded[max(0, start - _WINDOW) : start]
        has_day = rule.english == "DATE MONTH" and _has_capital(text, match, "month")
        is_named = (
            has_day and not _YEAR_AFTER.match(folded, end) and not _BEFORE_A_DAY.search(before)
        )
        return text[start].isdecimal() and (is_named or _STREET.search(before) is not None)
    if rule.english == "MONTH":
        before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
        is_beside_name = _CAPITAL_BEFORE.search(before) or _CAPITAL_AFTER.match(after)
        is_name = match.group().lower() in NAME_MONTHS and is_beside_name is not None
        return is_name and _has_capital(text, match, "month")
    if rule.english in _WEEKDAYS and _NAME_DAYS.search(match.group()):
        return start > 0 and _has_capital(text, match, "day")
    is_word = rule.language.group != "japanese" and match.group().isalpha()
    return is_word and start > 0 and text[start].isupper() and not text.isupper()


def _has_capital(text: str, match: re.Match[str], kind: str) -> bool:
    places = (match.start(group) for group in match.groupdict() if group.startswith(kind))
    return any(at >= 0 and text[at].isupper() and not text[at + 1].isupper() for at in places)


def _without_overlaps(found: Iterable[Piece], length: int) -> list[Piece]:
    """The longest pieces; of equal ones, that of the first rule."""
    taken = bytearray(length)
    chosen = []
    for piece in sorted(found, key=lambda piece: piece.start - piece.end):
        if not any(taken[piece.start : piece.end]):
            taken[piece.start : piece.end] = b"\1" * (piece.end - piece.start)
            chosen.append(piece)
    return sorted(chosen, key=lambda piece: piece.start)


def _join_years(
    folded: str, pieces: Iterable[Piece], languages: Sequence[Expressions]
) -> list[Piece]:
    """The pieces. A month or season is joined with its year: "verano" and "año pasado"."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if (
            last is not None
            and not last.is_name
            and _TAKES_YEAR.fullmatch(last.rule.english)
            and _IS_YEAR.fullmatch(piece.english)
            and any(one.of.fullmatch(folded, last.end, piece.start) for one in languages)
        ):
            both = f"{last.english} of {piece.english}"
            joined[-1] = structs.replace(last, end=piece.end, english=both)
        else:
            joined.append(piece)
    return joined


def _with_words_before(
    folded: str, pieces: Iterable[Piece], languages: Sequence[Expressions]
) -> list[Piece]:
    """The pieces with the words directly before them."""
    opened, at = [], 0
    for piece in pieces:
        for _ in range(0 if piece.is_name else _MOST_WORDS):
            words = _find_words_before(folded, piece, at, languages)
            if words is None:
                break
            start, english = words
            before = english if piece.before in ("", "in") else f"{english} {piece.before}"
            if english == "in" and piece.before:
                before = piece.before
            piece = structs.replace(piece, start=start, before=before)
        opened.append(piece)
        at = piece.end
    return opened


def _find_words_before(
    folded: str, piece: Piece, at: int, languages: Sequence[Expressions]
) -> tuple[int, str] | None:
    """The longest of the words that may stand before a piece: their place and English."""
    first = max(at, piece.start - _WINDOW)
    matches = (
        (match.start(), rule.rewritten(match))
        for language in languages
        for rule in language.before
        if (match := rule.pattern.search(folded, first, piece.start))
    )
    return min(matches, default=None)


def _with_words_after(folded: str, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with the words directly after them."""
    closed = []
    for piece, after in zip(pieces, [*pieces[1:], None], strict=False):
        limit = after.start if after else len(folded)
        for _ in range(_MOST_WORDS):
            words = _find_words_after(folded, piece, limit)
            if words is None:
                break
            end, english = words
            if english != "in":
                before = f"{english} {piece.before}" if piece.before != "in" else english
                piece = structs.replace(piece, before=before.strip())
            piece = structs.replace(piece, end=end)
        closed.append(piece)
    return closed


def _find_words_after(folded: str, piece: Piece, limit: int) -> tuple[int, str] | None:
    if piece.is_name or " ago" in piece.english:
        return None
    for rule in expressions_of(piece.rule.language).after:
        if (match := rule.pattern.match(folded, piece.end, limit)) and match.group():
            return match.end(), rule.english
    return None


def _join_ranges(
    folded: str, pieces: Sequence[Piece], languages: Sequence[Expressions]
) -> list[Piece]:
    """The pieces. Two that are the ends of a range are one: "entre marzo y mayo"."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        ranges = (_range_of(folded, last, piece, one) for one in languages if last)
        both = next(filter(None, ranges), None)
        if both is not None:
            joined[-1] = both
        else:
            joined.append(piece)
    return joined


def _range_of(folded: str, first: Piece, last: Piece, expressions: Expressions) -> Piece | None:
    """The range from one piece to the other, if it is one. Two weekdays are no range of days."""
    start, end = first.end, last.start + _length_of_words(last, folded)
    if first.is_name or last.is_name or " to " in first.whole:
        return None
    if first.before == "between" and expressions.and_.fullmatch(folded, start, end):
        return structs.replace(
            first, end=last.end, english=f"between {first.bare} and {last.bare}", before=""
        )
    if not expressions.to.fullmatch(folded, start, end):
        return None
    begins = first.start
    if first.before != "since":
        window = max(0, first.start - _WINDOW)
        opens = expressions.begins_range.search(folded, window, first.start)
        if opens is None and first.rule.language.group != "japanese":
            return None
        begins = opens.start() if opens else begins
    is_name = first.rule.english in _WEEKDAYS and last.rule.english in _WEEKDAYS
    english = f"from {first.bare} to {last.bare}"
    return structs.replace(
        first, start=begins, end=last.end, english=english, before="", is_name=is_name
    )


def _length_of_words(piece: Piece, folded: str) -> int:
    """The length of the words before a piece, which may also be those of a range: "hasta"."""
    if not piece.before:
        return 0
    match = piece.rule.pattern.search(folded, piece.start, piece.end)
    return match.start() - piece.start if match else 0


_OPENER = LatePattern(r"(?:on|in(?: the)?) ")
_TAKES_YEAR = LatePattern(
    r"(?:in the )?SEASON|MONTH|(?:DATE|1) MONTH|DATE MONTH to DATE2 MONTH|the middle of MONTH"
    r"|the ORDINAL week of MONTH"
)
_IS_YEAR = LatePattern(r"\d{4}|(?:last|this|next) year|.* years? ago")
_WEEKDAYS = ("on DAY", "DAY")
_BARE = ("MONTH", "SEASON", "DAY")
_NAME_DAYS = LatePattern("domingo|domenica|sabato", re.I)
_STREET = LatePattern(
    rf"(?<!\w)(?:{STREETS}|place|av|bd|r|ул|barrio|estacion|puente|estadio|club|parque|hospital"
    r"|escuela|ponte|улиц[аеуы]|площад[ьи]|проспекте?|переул(?:ок|ке)|станци[яию]"
    r"|набережн(?:ая|ои)|парке?)\.?(?:\s+(?:del?|d[aeo]|du|des|dei|della?|имени|им\.))*\s+$"
)
_YEAR_AFTER = LatePattern(r",?\s+(?:de[l ]?\s*)?(?:19|20)\d\d")
_BEFORE_A_DAY = LatePattern(
    r"(?<!\w)(?:el|le|il|em|en|op|dia|dal|al|du|au|desde|hasta|ate|depuis|sinds|tot|до|с|после)\s+$"
)
_CAPITAL_BEFORE = LatePattern(r"(?:^|\W)[A-ZÀ-Þ]\w+\s+$")
_CAPITAL_AFTER = LatePattern(r"\s+[A-ZÀ-Þ]")
