"""Waits for an event with a time limit. It leaves no task running."""

import asyncio

from ragd.clock import Clock


async def wait_until_set(event: asyncio.Event, clock: Clock, seconds: float) -> bool:
    """Wait until the event is set, at most `seconds`. Returns whether it is set."""
    if event.is_set():
        return True
    happened = asyncio.create_task(event.wait())
    slept = asyncio.create_task(clock.sleep(seconds))
    try:
        await asyncio.wait({happened, slept}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        happened.cancel()
        slept.cancel()
    return event.is_set()
