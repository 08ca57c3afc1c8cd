"""How near a date is to the spans that a question names, from 0 to 1. Pure.

1 within a span of a few days; less within a month or a year, which are named less exactly. Outside
it falls to a part of that, and from there by half with every half-life: a week for a span of a few
days, more for longer ones. People write about a day on the days after it,
so the time before a span fades twice as fast.
"""

from collections.abc import Iterable
from datetime import date

from ragd.search.dates.day_spans import Span, add_days

EDGE = 0.4  # the day after a span
HALF_LIFE_DAYS = 7.0
MONTH, LONGER = 0.75, 0.55  # within a span of up to a month, and of more
OF_SPAN = 1 / 3  # of a long span's days
WEAK = 0.4  # what the file's time counts, of a note without a date of its own
NOTHING = 0.02  # less than this is 0


def closeness(day: date, spans: Iterable[Span]) -> float:
    """The nearest span counts."""
    return max((_closeness_to(day, span) for span in spans), default=0.0)


def reach(span: Span) -> Span:
    """The span with the days around it where the preference is still worth a look."""
    days = round(half_life(span))
    return Span(add_days(span.start, -(days // 2)), add_days(span.end, days))


def half_life(span: Span) -> float:
    """In days, after the span."""
    return max(HALF_LIFE_DAYS, min(span.days, 366) * OF_SPAN)


def _closeness_to(day: date, span: Span) -> float:
    if span.start <= day <= span.end:
        return _within(span)
    days = (day - span.end).days if day > span.end else 2 * (span.start - day).days
    near = _within(span) * EDGE * 0.5 ** (days / half_life(span))
    return near if near >= NOTHING else 0.0


def _within(span: Span) -> float:
    if span.days <= 7:
        return 1.0
    return MONTH if span.days <= 31 else LONGER
