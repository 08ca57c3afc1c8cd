"""Times in the format of the log (UTC, microseconds, Z). Pure: it reads no clock."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_NS = -2_208_988_800_000_000_000  # 1900-01-01
_LAST_NS = 253_402_300_799_999_999_000  # the end of 9999: what ISO 8601 can write


def iso_of_ns(moment_ns: int) -> str:
    """Nanoseconds since 1970 as text; times outside the calendar become the nearest valid one."""
    kept = min(max(moment_ns, _FIRST_NS), _LAST_NS)
    moment = _EPOCH + timedelta(microseconds=kept // 1000)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def ns_of_iso(moment: str) -> int:
    """The reverse of `iso_of_ns`; 0 for a text that is not a time."""
    try:
        passed = datetime.fromisoformat(moment) - _EPOCH
    except (ValueError, TypeError):
        return 0
    return passed // timedelta(microseconds=1) * 1000


def ms_between(start: str | None, end: str) -> int:
    """Milliseconds from one time to another; 0 if there is no start or the clock was set back."""
    if start is None:
        return 0
    passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return max(0, int(passed.total_seconds() * 1000))
