"""Waiting for the first of several events."""

import asyncio

from ragd.runtime.wait_for_event import wait_until_set
from tests.daemon.virtual_clock import VirtualClock


async def test_what_is_set_already_is_not_waited_for() -> None:
    event, clock = asyncio.Event(), VirtualClock()
    event.set()
    assert await wait_until_set(event, clock, 60.0)
    assert clock.slept == []


async def test_time_may_run_out() -> None:
    event, clock = asyncio.Event(), VirtualClock()
    waiting = asyncio.create_task(wait_until_set(event, clock, 60.0))
    await clock.wait_for_sleepers()
    clock.advance(60.0)
    assert not await waiting


async def test_what_is_set_in_time_ends_the_wait_and_leaves_no_task() -> None:
    event, clock = asyncio.Event(), VirtualClock()
    waiting = asyncio.create_task(wait_until_set(event, clock, 60.0))
    await clock.wait_for_sleepers()
    event.set()
    assert await waiting
    await asyncio.sleep(0)  # the cancelled ones end at their next turn
    assert asyncio.all_tasks() == {asyncio.current_task()}
