"""The words directly before a point of time that change its meaning: "since", "in", "the end of".
Pure.

It reads neither the point itself nor what follows.
"""

import re
from functools import partial

from ragd.notes.late_pattern import LatePattern
from ragd.search.dates import day_spans, time_names
from ragd.search.dates.time_points import Part

_WINDOW = 120  # characters before a point that are read: all that these words can have


def find_before(pattern: LatePattern, text: str, start: int) -> re.Match[str] | None:
    """A match that ends directly before this place. Only the nearest characters are read, so that
    the time does not grow with the text before."""
    return pattern.search(text, max(0, start - _WINDOW), start)


def _directly_before(text: str) -> LatePattern:
    """Matches these whole words directly before a point."""
    return LatePattern(rf"(?<![\w-])(?:{text})\s+(?:(?:the|den|der|dem|das)\s+)?$", re.I)


BETWEEN = LatePattern(
    r"(?:(?<![\w-])(?:between|from|zwischen|vom|von)\s+(?:(?:the|dem|der)\s+)?|从|在)$", re.I
)
THIRDS = tuple(partial(day_spans.third_of, third=third) for third in range(3))
PARTS: tuple[tuple[LatePattern, Part], ...] = (
    (_directly_before("early|(?:the )?(?:beginning|start) of|anfang"), THIRDS[0]),
    (_directly_before("mid|(?:the )?middle of|mitte"), THIRDS[1]),
    (_directly_before("late|(?:the )?end of|ende"), THIRDS[2]),
    *(
        (
            _directly_before(
                f"(?:the |der |die )?(?:{english} week (?:of|in)|{german}n? woche (?:im|des))"
            ),
            partial(day_spans.seven_days_of, number=number),
        )
        for number, english, german in (
            (0, "first", "erste"),
            (1, "second", "zweite"),
            (2, "third", "dritte"),
            (3, "fourth", "vierte"),
            (-1, "last", "letzte"),
        )
    ),
)
_ARTICLE = "(?:the |der |die |den |dem )?"
PARTS += (
    (
        _directly_before(f"{_ARTICLE}(?:first day (?:of|in)|erste[rn]? tag (?:im|des|von))"),
        day_spans.first_day_of,
    ),
    (
        _directly_before(f"{_ARTICLE}(?:last day (?:of|in)|letzte[rn]? tag (?:im|des|von))"),
        day_spans.last_day_of,
    ),
    (
        _directly_before(f"{_ARTICLE}(?:first (?:few )?days (?:of|in)|ersten tagen? (?:im|des))"),
        partial(day_spans.seven_days_of, number=0),
    ),
    (
        _directly_before(f"{_ARTICLE}(?:last (?:few )?days (?:of|in)|letzten tagen? (?:im|des))"),
        partial(day_spans.seven_days_of, number=-1),
    ),
)
LATIN_COUNT = "|".join(sorted(time_names.LATIN_NUMBERS, key=len, reverse=True))
OFFSET = LatePattern(
    rf"(?<![\w-])(?:(?:the|der|die|den|dem)\s+|(?P<count>\d{{1,3}}|{LATIN_COUNT})\s+|(?=tag\s))?"
    rf"(?P<unit>{'|'.join(sorted(time_names.LATIN_UNITS, key=len, reverse=True))})\s+"
    r"(?P<side>before|after|following|vor|nach)\s+(?:(?:the|dem|der)\s+)?$",
    re.I,
)
OPEN_ENDS = (
    (
        "since",
        _directly_before("(?:ever )?since|starting|seit|ab|自从?|从"),
        LatePattern("以来|至今|起"),
    ),
    ("until", _directly_before("until|till|up to|bis zum|bis zur|bis"), None),
    ("before", _directly_before("before|prior to|vor"), LatePattern("之前|以前|前")),
    ("after", _directly_before("after|nach"), LatePattern("之后|以后|后")),
)
OPENS = LatePattern(
    r"(?:(?<![\w-])(?:back\s+)?(?:in|on|at|over|during|throughout|around|im|am|an|zu|um|während)"
    r"\s+(?:(?:the|der|den|dem)\s+)?|[在于])$",
    re.I,
)
ON = LatePattern(r"(?<![\w-])(?:on|am)\s+$", re.I)
