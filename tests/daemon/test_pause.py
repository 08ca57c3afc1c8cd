"""Pauses: requested on the socket, ended by the clock, shown in the status."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from ragd.events import SyncPaused, SyncResumed, tag_of_type
from ragd.health.health_monitor import HealthMonitor
from ragd.paths import Home
from tests.daemon.conftest import RunningGateway, run_gateway
from tests.daemon.virtual_clock import VirtualClock


@pytest.fixture
async def gateway(home: Home, clock: VirtualClock) -> AsyncIterator[RunningGateway]:
    async with run_gateway(home, clock) as gateway:
        yield gateway


@pytest.fixture
async def monitor(gateway: RunningGateway, clock: VirtualClock) -> AsyncIterator[None]:
    task = asyncio.create_task(HealthMonitor(gateway.ledger, clock, gateway.settings, {}).run())
    yield
    task.cancel()
    await asyncio.wait({task})


async def ended(gateway: RunningGateway) -> SyncResumed:
    async for record in gateway.ledger.journal.follow(0, {tag_of_type(SyncResumed)}):
        assert isinstance(record.event, SyncResumed)
        return record.event
    raise AssertionError


async def test_it_is_told_until_it_is_ended(gateway: RunningGateway) -> None:
    assert (await gateway.ask("GET", "/v1/status")).data["paused"] is None
    told = {"since": "2026-11-15T14:30:00.000000Z", "until": "2026-11-15T15:00:00.000000Z"}
    reply = await gateway.ask("POST", "/v1/pause", {"seconds": 1800})
    assert (reply.status, reply.data) == (200, {"paused": told})
    assert (await gateway.ask("GET", "/v1/status")).data["paused"] == told
    assert (await gateway.ask("POST", "/v1/jobs", {"mode": "sync"})).data["paused"] == told
    reply = await gateway.ask("POST", "/v1/resume", {})
    assert reply.data == {"paused": None, "was_paused": True}
    seq = gateway.ledger.state.seq
    assert (await gateway.ask("POST", "/v1/resume")).data == {"paused": None, "was_paused": False}
    assert gateway.ledger.state.seq == seq
    assert await ended(gateway) == SyncResumed(reason="requested")


async def test_an_agent_s_job_has_the_answer_of_the_contract(gateway: RunningGateway) -> None:
    await gateway.ask("POST", "/v1/pause", {"seconds": 60})
    data = (await gateway.ask("POST", "/v1/tools/obsidian_rag_index", {"mode": "sync"})).data
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
    gateway: RunningGateway, endpoint: str, body: dict[str, Any]
) -> None:
    reply = await gateway.ask("POST", f"/v1/{endpoint}", body)
    assert (reply.status, reply.code) == (400, "INVALID_REQUEST")
    assert gateway.ledger.state.pause.until is None


async def test_its_end_is_a_fact_of_the_health_monitor(
    gateway: RunningGateway, monitor: None, clock: VirtualClock
) -> None:
    await gateway.ask("POST", "/v1/pause", {"seconds": 25})
    for _ in range(2):
        await clock.wait_for_sleepers()
        assert gateway.ledger.state.pause.holds
        clock.advance(10)
    await clock.wait_for_sleepers()
    assert clock.slept[-1] == 5
    clock.advance(5)
    assert await ended(gateway) == SyncResumed(reason="elapsed")
    assert not gateway.ledger.state.pause.holds


async def test_one_that_ran_out_while_nobody_was_there_ends_at_once(
    gateway: RunningGateway, clock: VirtualClock
) -> None:
    await gateway.add(SyncPaused(until="2026-11-15T14:00:00.000000Z"))
    task = asyncio.create_task(HealthMonitor(gateway.ledger, clock, gateway.settings, {}).run())
    assert (await ended(gateway)).reason == "elapsed"
    task.cancel()
    await asyncio.wait({task})
