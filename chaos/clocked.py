"""The daemon with a clock that the harness sets.

`python -m chaos.clocked FILE SPEED --home HOME`
FILE holds the offset of its wall clock in seconds. SPEED is the factor by which its time passes
faster: at 60, a wait of a minute takes a second. Nothing else in it is replaced.
"""

import asyncio
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ragd import daemon
from ragd.clock import SystemClock, iso
from ragd.paths import Home


def set_clock(offset: Path, speed: float) -> None:
    """Replace the methods of SystemClock."""
    began, began_at = time.monotonic(), datetime.now(UTC)

    def passed() -> float:
        return (time.monotonic() - began) * speed

    def now(self: SystemClock) -> str:
        return iso(began_at + timedelta(seconds=passed() + float(offset.read_text())))

    def monotonic(self: SystemClock) -> float:
        return began + passed()

    async def sleep(self: SystemClock, seconds: float) -> None:
        await asyncio.sleep(seconds / speed)

    SystemClock.now = now  # type: ignore[method-assign]
    SystemClock.monotonic = monotonic  # type: ignore[method-assign]
    SystemClock.sleep = sleep  # type: ignore[method-assign]


if __name__ == "__main__":
    set_clock(Path(sys.argv[1]), float(sys.argv[2]))
    sys.exit(daemon.run(Home(sys.argv[-1])))
