"""Moments as the log writes them (UTC, microseconds, Z), computed. Pure: it asks no clock."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_NS = -2_208_988_800_000_000_000  # 1900-01-01
_LAST_NS = 253_402_300_799_999_999_000  # the end of 9999: what ISO 8601 can write


def iso_of_ns(moment_ns: int) -> str:
    """Nanoseconds since 1970; a file's time that no calendar has becomes the nearest one."""
    kept = min(max(moment_ns, _FIRST_NS), _LAST_NS)
    moment = _EPOCH + timedelta(microseconds=kept // 1000)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def ms_between(start: str | None, end: str) -> int:
    """Milliseconds from one moment to the other; 0 where the clock was set back, or none began."""
    if start is None:
        return 0
    passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return max(0, int(passed.total_seconds() * 1000))
