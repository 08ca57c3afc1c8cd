"""Pauses: asked for on the socket, ended by the clock, in the status."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from ragd.events import SyncPaused, SyncResumed, tag_of_type
from ragd.health.health_monitor import HealthMonitor
from ragd.paths import Home
from tests.daemon.conftest import House, housed
from tests.daemon.virtual_clock import VirtualClock


@pytest.fixture
async def house(home: Home, clock: VirtualClock) -> AsyncIterator[House]:
    async with housed(home, clock) as house:
        yield house


@pytest.fixture
async def monitor(house: House, clock: VirtualClock) -> AsyncIterator[None]:
    task = asyncio.create_task(HealthMonitor(house.ledger, clock, house.settings, {}).run())
    yield
    task.cancel()
    await asyncio.wait({task})


async def ended(house: House) -> SyncResumed:
    async for record in house.ledger.journal.follow(0, {tag_of_type(SyncResumed)}):
        assert isinstance(record.event, SyncResumed)
        return record.event
    raise AssertionError


async def test_it_is_told_until_it_is_ended(house: House) -> None:
    assert (await house.ask("GET", "/v1/status")).data["paused"] is None
    told = {"since": "2026-11-15T14:30:00.000000Z", "until": "2026-11-15T15:00:00.000000Z"}
    reply = await house.ask("POST", "/v1/pause", {"seconds": 1800})
    assert (reply.status, reply.data) == (200, {"paused": told})
    assert (await house.ask("GET", "/v1/status")).data["paused"] == told
    assert (await house.ask("POST", "/v1/jobs", {"mode": "sync"})).data["paused"] == told
    reply = await house.ask("POST", "/v1/resume", {})
    assert reply.data == {"paused": None, "was_paused": True}
    seq = house.ledger.state.seq
    assert (await house.ask("POST", "/v1/resume")).data == {"paused": None, "was_paused": False}
    assert house.ledger.state.seq == seq
    assert await ended(house) == SyncResumed(reason="requested")


async def test_an_agent_s_job_has_the_answer_of_the_contract(house: House) -> None:
    await house.ask("POST", "/v1/pause", {"seconds": 60})
    data = (await house.ask("POST", "/v1/tools/obsidian_rag_index", {"mode": "sync"})).data
    assert set(data) == {"job_id", "status"}


@pytest.mark.parametrize(
    ("endpoint", "body"),
    [
        ("pause", {}),
        ("pause", {"seconds": 0}),
        ("pause", {"seconds": 2_592_001}),
        ("pause", {"seconds": "soon"}),
        ("pause", {"minutes": 3}),
        ("resume", {"now": True}),
    ],
)
async def test_what_is_not_understood_pauses_nothing(
    house: House, endpoint: str, body: dict[str, Any]
) -> None:
    reply = await house.ask("POST", f"/v1/{endpoint}", body)
    assert (reply.status, reply.code) == (400, "INVALID_REQUEST")
    assert house.ledger.state.pause.until is None


async def test_its_end_is_a_fact_of_the_health_monitor(
    house: House, monitor: None, clock: VirtualClock
) -> None:
    await house.ask("POST", "/v1/pause", {"seconds": 25})
    for _ in range(2):
        await clock.asleep()
        assert house.ledger.state.pause.holds
        clock.advance(10)
    await clock.asleep()
    assert clock.slept[-1] == 5
    clock.advance(5)
    assert await ended(house) == SyncResumed(reason="elapsed")
    assert not house.ledger.state.pause.holds


async def test_one_that_ran_out_while_nobody_was_there_ends_at_once(
    house: House, clock: VirtualClock
) -> None:
    await house.add(SyncPaused(until="2026-11-15T14:00:00.000000Z"))
    task = asyncio.create_task(HealthMonitor(house.ledger, clock, house.settings, {}).run())
    assert (await ended(house)).reason == "elapsed"
    task.cancel()
    await asyncio.wait({task})
