"""How long a test waits for an event that must happen.

Only a failing test spends this time, so it is long: a busy machine must not make a test fail. No
test uses it to show that something does *not* happen.
"""

import asyncio
from collections.abc import Callable

PATIENCE_S = 240.0


async def wait_until(holds: Callable[[], object]) -> None:
    """Poll a condition that has no event to wait for, such as a file or another process."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.sleep(0.01)
