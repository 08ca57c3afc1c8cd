"""Durations and times as people type them, in seconds. It reads no clock: `now` is passed in."""

import re
from datetime import datetime, timedelta

from ragctl.failure import UsageError

_UNITS = {"d": 86_400, "h": 3600, "min": 60, "m": 60, "s": 1}
_DURATION = re.compile(r"(?:\d{1,7} ?(?:d|h|min|m|s) ?)+")
_PART = re.compile(r"(\d+) ?(d|h|min|m|s)")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")


def parse_duration(typed: str) -> int:
    """The seconds of `30m`, `1h30m`, `2 h` or `1d`."""
    words = typed.strip().lower()
    total = sum(int(number) * _UNITS[unit] for number, unit in _PART.findall(words))
    if not _DURATION.fullmatch(words) or not total:
        raise UsageError(f"{typed!r} is not a duration.", "Write it like 30m, 2h, 1h30m or 1d.")
    return total


def seconds_until(typed: str, now: datetime) -> int:
    """The seconds until a local time: `18:00` (tomorrow if it has passed today), `2026-11-16` or
    `2026-11-16 18:00`."""
    try:
        at = _parse_time(typed.strip(), now.astimezone())
    except (ValueError, OverflowError):
        raise UsageError(
            f"{typed!r} is not a time.", "Write it like 18:00 or '2026-11-16 18:00'."
        ) from None
    if at <= now:
        raise UsageError(f"{typed} is in the past.", "Give a time in the future.")
    return max(1, round((at - now).total_seconds()))


def _parse_time(typed: str, now: datetime) -> datetime:
    """Raises ValueError if there is no such time or date."""
    clock = _CLOCK.fullmatch(typed)
    if clock is None:
        at = datetime.fromisoformat(typed)
        return at if at.tzinfo is not None else at.astimezone()
    today = now.replace(
        tzinfo=None, hour=int(clock[1]), minute=int(clock[2]), second=0, microsecond=0
    )
    at = today.astimezone()
    return at if at > now else (today + timedelta(days=1)).astimezone()
