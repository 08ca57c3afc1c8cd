"""Times in the format of the log (UTC, microseconds, Z). Pure: it reads no clock."""

from datetime import datetime, timedelta
from functools import lru_cache
from math import inf

_EPOCH = datetime(1970, 1, 1)  # all times here are UTC
_MICROSECOND = timedelta(microseconds=1)
_FIRST_NS = -2_208_988_800_000_000_000  # 1900-01-01
_LAST_NS = 253_402_300_799_999_999_000  # the end of 9999: what ISO 8601 can write


def iso_of_ns(moment_ns: int) -> str:
    """Nanoseconds since 1970 as text; times outside the calendar become the nearest valid one."""
    return _iso_of_us(us_of_ns(moment_ns))


def us_of_ns(moment_ns: int) -> int:
    """The microseconds that `iso_of_ns` writes. They compare as the texts do."""
    if _FIRST_NS <= moment_ns <= _LAST_NS:
        return moment_ns // 1000
    return (_FIRST_NS if moment_ns < _FIRST_NS else _LAST_NS) // 1000


def _iso_of_us(moment_us: int) -> str:
    moment = _EPOCH + timedelta(microseconds=moment_us)
    return moment.isoformat(timespec="microseconds") + "Z"


@lru_cache(maxsize=16)
def us_of_iso(text: str) -> int | None:
    """The microseconds in a text of `iso_of_ns`; None if it did not make this text."""
    try:
        moment_us = (datetime.fromisoformat(text.removesuffix("Z")) - _EPOCH) // _MICROSECOND
    except (ValueError, TypeError):  # not a time, or one with an offset
        return None
    return moment_us if _iso_of_us(moment_us) == text else None


@lru_cache(maxsize=16)
def ns_range_of_iso(text: str) -> tuple[float, float] | None:
    """The first and the last nanosecond that `iso_of_ns` writes as this text; None if it did not
    make this text."""
    moment_us = us_of_iso(text)
    if moment_us is None:
        return None
    first, last = moment_us * 1000, moment_us * 1000 + 999
    if first < _FIRST_NS:
        return -inf, -inf  # before all that it writes
    return -inf if first == _FIRST_NS else first, inf if last > _LAST_NS else last


def ns_of_iso(moment: str) -> int:
    """The reverse of `iso_of_ns`, to the microsecond; 0 for a text that it did not make."""
    return (us_of_iso(moment) or 0) * 1000


def ms_between(start: str | None, end: str) -> int:
    """Milliseconds from one time to another; 0 if there is no start or the clock was set back."""
    if start is None:
        return 0
    passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return max(0, int(passed.total_seconds() * 1000))
