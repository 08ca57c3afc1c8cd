"""How near a date is to the spans that a question names, from 0 to 1. Pure.

It is 1 within a span of a few days, and less within a month or a year, which are less exact. Just
outside the span it drops, and then halves with every half-life: a week for a span of a few days,
more for longer ones. People write about a day on the days after it, so before a span the closeness
falls twice as fast.
"""

from collections.abc import Iterable
from datetime import date

from ragd.search.dates.day_spans import Span, add_days

EDGE = 0.4  # factor just outside a span
HALF_LIFE_DAYS = 7.0
WITHIN_MONTH, WITHIN_LONGER = 0.75, 0.55  # within a span of up to a month, and of more
HALF_LIFE_SHARE = 1 / 3  # the half-life of a long span, as a share of its days
WEAK = 0.4  # factor for the file's time of a note without a date of its own
LEAST = 0.02  # a smaller closeness is 0


def closeness(day: date, spans: Iterable[Span]) -> float:
    """How close a day is to the nearest of these spans."""
    return max((_closeness_to(day, span) for span in spans), default=0.0)


def widen(span: Span) -> Span:
    """The span with the days around it that are still close: a half-life."""
    days = round(half_life(span))
    return Span(add_days(span.start, -(days // 2)), add_days(span.end, days))


def half_life(span: Span) -> float:
    """The days after the span in which closeness halves."""
    return max(HALF_LIFE_DAYS, min(span.days, 366) * HALF_LIFE_SHARE)


def _closeness_to(day: date, span: Span) -> float:
    if span.start <= day <= span.end:
        return _within(span)
    days = (day - span.end).days if day > span.end else 2 * (span.start - day).days
    near = _within(span) * EDGE * 0.5 ** (days / half_life(span))
    return near if near >= LEAST else 0.0


def _within(span: Span) -> float:
    if span.days <= 7:
        return 1.0
    return WITHIN_MONTH if span.days <= 31 else WITHIN_LONGER
