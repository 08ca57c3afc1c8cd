"""Waiting for one thing or the other. It leaves no task behind."""

import asyncio

from ragd.clock import Clock


async def wait_until_set(event: asyncio.Event, clock: Clock, seconds: float) -> bool:
    """Until the event is set, or so many seconds have passed; says whether it is set."""
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
