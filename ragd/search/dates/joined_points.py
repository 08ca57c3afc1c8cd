"""Joins points of time with what belongs to them: their year, and the part of them. Pure.

"March" and "last year" are one point in "March last year". "The last week of May" is a part of May,
and "last week" is no point of its own there.
"""

import re
from collections.abc import Sequence

from msgspec import structs

from ragd.notes.late_pattern import LatePattern
from ragd.search.dates import day_spans, time_names
from ragd.search.dates.day_spans import OfYear, Span
from ragd.search.dates.time_points import Part, Point
from ragd.search.dates.words_before import BETWEEN, OPEN_ENDS, OPENS, PARTS, THIRDS, find_before

_MOST_PARTS = 3  # "at the end of the first week of May" has two


def join_points(text: str, points: Sequence[Point]) -> list[Point]:
    """The points, joined with their years and parts. They do not overlap."""
    return _join_parts(text, _join_years(text, points))


def _join_years(text: str, points: Sequence[Point]) -> list[Point]:
    """The points. One that is followed by its year is joined with it, as in "March last year"."""
    joined: list[Point] = []
    for at, point in enumerate(points):
        inside = None
        if joined and _has_own_year(text, joined, point, is_last=at + 1 == len(points)):
            inside = _within_year(joined[-1], point)
        if inside is not None:
            joined[-1] = inside
        else:
            joined.append(point)
    return joined


def _has_own_year(text: str, before: Sequence[Point], year: Point, *, is_last: bool) -> bool:
    """Whether `year` is that of the point before it, and of no other, and that point is a time."""
    point = before[-1]
    between = text[point.end : year.start]
    if not _OF.fullmatch(between):
        return False
    if find_before(BETWEEN, text, point.start):
        return not is_last  # between March last year and May
    if len(before) > 1 and _LISTS.fullmatch(text[before[-2].end : point.start]):
        return find_before(BETWEEN, text, before[-2].start) is not None
    word = text[point.start : point.end].lower().rstrip(".")
    if word not in _OTHER_WORDS or "of" in between.lower().split():
        return True
    openers = (OPENS, *(pattern for pattern, _ in PARTS), *(one for _, one, _ in OPEN_ENDS))
    return any(find_before(pattern, text, point.start) for pattern in openers)


def _within_year(point: Point, year: Point) -> Point | None:
    """The point in this year. None if it is not a whole year, or has no such day."""
    if point.of_year is None or year.fixed is None:
        return None
    number = year.fixed.start.year
    span = point.of_year(number) if year.fixed == day_spans.year_span(number) else None
    if span is None:
        return None
    return structs.replace(point, end=year.end, fixed=span, of_year=None, is_sure=True)


def _join_parts(text: str, points: Sequence[Point]) -> list[Point]:
    """The points, each with the words for a part of it, as in "the last week of May". Points
    within these words, such as "last week", are left out."""
    joined: list[Point] = []
    for point in points:
        for _ in range(_MOST_PARTS):
            smaller = _part_of(text, point)
            if smaller is None:
                break
            point = smaller
            while joined and joined[-1].end > point.start:
                joined.pop()
        joined.append(point)
    return joined


def _part_of(text: str, point: Point) -> Point | None:
    """The part of the point that the words directly before or after it name."""
    for pattern, part in PARTS:
        if match := find_before(pattern, text, point.start):
            return _with_part(point, part, match.start(), point.end)
    if match := _PART_ZH.match(text, point.end):
        return _with_part(point, _PARTS_ZH[match[0]], point.start, match.end())
    return None


def _with_part(point: Point, part: Part, start: int, end: int) -> Point:
    return structs.replace(
        point,
        start=start,
        end=end,
        fixed=part(point.fixed) if point.fixed else None,
        of_year=_part_of_year(point.of_year, part) if point.of_year else None,
        is_sure=True,
        is_name=False,
        is_weekday=False,
    )


def _part_of_year(of_year: OfYear, part: Part) -> OfYear:
    def part_in(year: int) -> Span | None:
        span = of_year(year)
        return part(span) if span else None

    return part_in


_OF = LatePattern(r",?\s+(?:(?:of|in|im|des)\s+)?", re.I)
_LISTS = LatePattern(
    r"\s*(?:,|and|or|to|through|till|until|und|oder|bis|[–—-])\s*(?:(?:and|or|und|oder)\s+)?", re.I
)
# Times that are also other words: a time only after a word such as "in", or before "of".
_OTHER_WORDS = frozenset(
    ("april", "august", "fall", "march", "may", "spring", *time_names.SHORT_MONTHS)
)
_PARTS_ZH = {"初": THIRDS[0], "中旬": THIRDS[1], "底": THIRDS[2], "末": THIRDS[2]}
_PART_ZH = LatePattern("|".join(_PARTS_ZH))
