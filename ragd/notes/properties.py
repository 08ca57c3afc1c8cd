"""Frontmatter properties as the index keeps them, and comparisons with them. Pure.

A property is kept as `name=value`, and a list as one such entry for each value, in the form that is
compared: composed, case-folded, with single spaces. The type of a value (number, day, yes or no,
text) is decided when it is compared. Nested properties are left out.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from operator import ge, gt, le, lt
from typing import Any

MOST_PROPERTIES = 100  # of one note; each value of a list counts as one
LONGEST_NAME = 80
LONGEST_VALUE = 200

_SPACES = re.compile(r"\s+")
_NUMBER = re.compile(r"[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:e[+-]?\d{1,2})?", re.I)
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[t ]\d{2}:\d{2}.*)?", re.I)
_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")
_ORDERS: dict[str, Any] = {"<": lt, "<=": le, ">": gt, ">=": ge}

OPERATORS = ("=", "!=", *_ORDERS)


def encode_properties(values: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The properties of a note as the index keeps them, from names with their values."""
    found: dict[str, None] = {}
    for name, texts in values.items():
        key = comparable_name(name)
        if not key or "=" in key or len(key) > LONGEST_NAME:
            continue
        for text in texts:
            value = _day_of(comparable_name(text)[:LONGEST_VALUE])
            if value:
                found[f"{key}={value}"] = None
            if len(found) == MOST_PROPERTIES:
                return tuple(found)
    return tuple(found)


def matching_values(name: str, operator: str, value: str, known: Iterable[str]) -> tuple[str, ...]:
    """Those of the known properties that match; without an operator, all with this name.

    For `!=` these are the equal ones: a note matches if it has the name and none of them. Numbers
    are compared as numbers and days as days; texts can only be equal or not.
    """
    start = f"{comparable_name(name)}="
    own = [one for one in known if one.startswith(start)]
    if not operator:
        return tuple(sorted(own))
    wanted = comparable_name(value)
    return tuple(sorted(one for one in own if _fits(one[len(start) :], operator, wanted)))


def has_order(value: str) -> bool:
    """Whether values can be smaller or greater than this one: it is a number or a day."""
    typed = _typed(comparable_name(value))
    return not isinstance(typed, str | bool)


def comparable_name(text: str) -> str:
    """A name or a value in the form that is compared."""
    normalised = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return _SPACES.sub(" ", normalised).strip()


def _fits(value: str, operator: str, wanted: str) -> bool:
    left, right = _typed(value), _typed(wanted)
    if type(left) is not type(right):
        return False
    if operator in ("=", "!="):
        return left == right
    if isinstance(left, str | bool):
        return False
    return bool(_ORDERS[operator](left, right))


def _typed(value: str) -> float | date | bool | str:
    """A value with its type."""
    if value in _YES or value in _NO:
        return value in _YES
    if _NUMBER.fullmatch(value):
        return float(value)
    if day := _DAY.fullmatch(value):
        try:
            return date(int(day[1]), int(day[2]), int(day[3]))
        except ValueError:
            return value
    return value


def _day_of(value: str) -> str:
    """The day of a timestamp, so that there are few different values; others stay as they are."""
    found = _DAY.fullmatch(value)
    return value[:10] if found and isinstance(_typed(value), date) else value
