"""The day on which a file says it was made, if that can be."""

import re
from datetime import UTC, date, datetime, timedelta

_DATE = re.compile(r"\s*(?:D:)?(\d{4})-?(\d{2})-?(\d{2})")
_FIRST = date(1985, 1, 1)


def plausible_day(written: str) -> str | None:
    """The ISO day at the beginning of a text; None if it cannot be the day of a file."""
    match = _DATE.match(written)
    if match is None:
        return None
    try:
        day = date(*map(int, match.groups()))
    except ValueError:
        return None
    latest = datetime.now(UTC).date() + timedelta(days=1)
    return day.isoformat() if _FIRST <= day <= latest else None
