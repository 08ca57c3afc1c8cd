"""Lengths of time and moments as people type them, in seconds. It asks no clock: `now` is given."""

import re
from datetime import datetime, timedelta

from ragctl.failure import UsageError

_UNITS = {"d": 86_400, "h": 3600, "min": 60, "m": 60, "s": 1}
_LENGTH = re.compile(r"(?:\d{1,7} ?(?:d|h|min|m|s) ?)+")
_PART = re.compile(r"(\d+) ?(d|h|min|m|s)")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")


def seconds_in(typed: str) -> int:
    """`30m`, `1h30m`, `2 h`, `1d`."""
    words = typed.strip().lower()
    total = sum(int(number) * _UNITS[unit] for number, unit in _PART.findall(words))
    if not _LENGTH.fullmatch(words) or not total:
        raise UsageError(
            f"{typed!r} is not a length of time.", "Write it like 30m, 2h, 1h30m or 1d."
        )
    return total


def seconds_until(typed: str, now: datetime) -> int:
    """`18:00` (today, or tomorrow if that is over), `2026-11-16`, `2026-11-16 18:00`: here."""
    try:
        at = _moment(typed.strip(), now.astimezone())
    except (ValueError, OverflowError):
        raise UsageError(
            f"{typed!r} is not a time.", "Write it like 18:00 or '2026-11-16 18:00'."
        ) from None
    if at <= now:
        raise UsageError(f"{typed} is over already.", "Name a time that is to come.")
    return max(1, round((at - now).total_seconds()))


def _moment(typed: str, now: datetime) -> datetime:
    """Raises ValueError for what no clock or calendar shows."""
    clock = _CLOCK.fullmatch(typed)
    if clock is None:
        at = datetime.fromisoformat(typed)
        return at if at.tzinfo is not None else at.astimezone()
    today = now.replace(
        tzinfo=None, hour=int(clock[1]), minute=int(clock[2]), second=0, microsecond=0
    )
    at = today.astimezone()
    return at if at > now else (today + timedelta(days=1)).astimezone()
