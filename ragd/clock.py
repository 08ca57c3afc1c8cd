"""The time, as a port: wall time for records, monotonic time for waiting. It never blocks."""

import asyncio
import secrets
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What the daemon knows of time; tests use one that jumps."""

    def now(self) -> str: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


def iso(moment: datetime) -> str:
    """An instant as the log writes it: UTC, microseconds, Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def seconds_between(start: str, end: str) -> float:
    """By two instants as the log writes them; negative where the clock was set back."""
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
    """A ULID: sortable by time, unique, 26 characters. Names runs and jobs."""
    value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    return "".join(_CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))
