"""The clock: wall time for records, monotonic time for waiting. It never blocks a thread."""

import asyncio
import secrets
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The time. Tests use a clock that jumps."""

    def now(self) -> str: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


def iso(moment: datetime) -> str:
    """A time as the log writes it: UTC, microseconds, Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def seconds_between(start: str, end: str) -> float:
    """Seconds from one time to another, as the log writes them; negative if the clock was set
    back."""
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


class SystemClock:
    """The machine's clock."""

    def now(self) -> str:
        return iso(datetime.now(UTC))

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_id() -> str:
    """A ULID for a run or a job: unique, sortable by time, 26 characters."""
    value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    return "".join(_CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))
