"""Following a job: each step as it happens, and always a correct last line."""

import asyncio
import json
from typing import Any

import pytest

from ragd.events import (
    BatchStored,
    Fact,
    FilledFile,
    IndexActivated,
    IndexBuilding,
    IndexLost,
    JobCancelRequested,
    JobFinished,
    JobRequested,
    JobStarted,
    StoredFile,
    VectorsFilled,
)
from ragd.folds.jobs import FINISHED_KEPT
from tests.daemon.conftest import RunningGateway
from tests.daemon.wire import Wire, connected, head

WITHIN_S = 10.0


def finished(job: str, mode: Any = "reindex", outcome: Any = "complete") -> JobFinished:
    counts: dict[str, Any] = {
        "indexed_files": 1,
        "removed_files": 0,
        "total_chunks": 2,
        "duration_ms": 7,
    }
    return JobFinished(job_id=job, mode=mode, outcome=outcome, **counts)


def serves(generation: str) -> IndexActivated:
    return IndexActivated(generation=generation, provider="embedded", model="m", dimensions=3)


def filled(generation: str) -> VectorsFilled:
    files = [FilledFile("a.md", "s1", 2)]
    return VectorsFilled(job_id="", files=files, table_version=2, generation=generation)


REINDEXED: tuple[Fact, ...] = (
    serves("g1"),
    JobRequested(job_id="j1", mode="reindex"),
    JobStarted(job_id="j1", mode="reindex", files_planned=1, files_removed=0),
    IndexBuilding(generation="g2", job_id="j1", fingerprint="f", provider="embedded"),
    BatchStored(
        job_id="j1",
        files=[StoredFile("a.md", "s1", 1, 1, 2, 0)],
        removed=[],
        table_version=1,
        generation="g2",
    ),
    finished("j1"),
)


class Following:
    """A client that follows one job."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def line(self) -> dict[str, Any] | None:
        """The next line; None at the end of the stream."""
        async with asyncio.timeout(WITHIN_S):
            chunk = await self._wire.chunk()
        return json.loads(chunk) if chunk else None

    async def last(self) -> dict[str, Any]:
        """The last line of the stream."""
        last = None
        while line := await self.line():
            last = line
        assert last is not None
        return last


async def follow(wire: Wire, job: str = "j1") -> Following:
    await wire.send(head("GET", f"/v1/jobs/{job}?follow=1"))
    status, _ = await wire.head()
    assert status == 200
    return Following(wire)


async def saves(gateway: RunningGateway, number: int = FINISHED_KEPT + 5) -> None:
    """Save notes, each with a sync of its own."""
    for place in range(number):
        job = f"save-{place}"
        begun = JobStarted(job_id=job, mode="sync", files_planned=1, files_removed=0)
        await gateway.add(begun, finished(job, "sync"))


async def test_a_job_is_followed_to_its_end_however_many_syncs_come_after_it(
    gateway: RunningGateway,
) -> None:
    await gateway.add(*REINDEXED)
    async with connected(gateway.home.socket) as wire:
        following = await follow(wire)
        assert (await following.line() or {})["step"] == "vectors"
        await saves(gateway)
        assert (await gateway.ask("GET", "/v1/jobs/j1")).data["building"] is True
        await gateway.add(filled("g2"), serves("g2"))
        last = await following.last()
    assert (last["type"], last["outcome"], last["chunks_embedded"]) == ("complete", "complete", 2)
    assert last["duration_ms"] >= last["text_ms"] == 7


async def test_a_job_can_be_cancelled_however_many_syncs_came_after_it(
    gateway: RunningGateway,
) -> None:
    await gateway.add(*REINDEXED)
    await saves(gateway)
    reply = await gateway.ask("POST", "/v1/jobs/j1/cancel")
    assert reply.status == 200
    asked = [
        r.event
        async for r in gateway.ledger.journal.follow(0, ["job_cancel_requested"], wait=False)
    ]
    assert asked == [JobCancelRequested(job_id="j1")]


async def test_a_follower_of_a_forgotten_job_is_told_how_it_ended(
    gateway: RunningGateway,
) -> None:
    begun = JobStarted(job_id="j1", mode="sync", files_planned=1, files_removed=0)
    await gateway.add(begun)
    async with connected(gateway.home.socket) as wire:
        following = await follow(wire)
        assert (await following.line() or {})["step"] == "text"
        ends = [gateway.ledger.journal.append("test", finished("j1", "sync"))]
        for place in range(FINISHED_KEPT + 5):  # in one go: the follower sees only the end
            ends.append(gateway.ledger.journal.append("test", finished(f"save-{place}", "sync")))
        await asyncio.gather(*ends)
        assert gateway.ledger.state.jobs.find("j1") is None
        last = await following.last()
    assert (last["type"], last["outcome"]) == ("complete", "complete")


async def test_a_daemon_that_stops_says_so_to_who_follows_a_job(gateway: RunningGateway) -> None:
    await gateway.add(*REINDEXED)
    async with connected(gateway.home.socket) as wire:
        following = await follow(wire)
        assert (await following.line() or {})["step"] == "vectors"
        gateway.tool_gateway.streams.end()
        last = await following.last()
    assert (last["type"], last["outcome"]) == ("interrupted", "interrupted")
    assert "stopping" in last["message"] and last["suggestion"]


@pytest.mark.parametrize("generation", ["g2", ""])
async def test_a_job_whose_index_is_lost_has_failed(
    gateway: RunningGateway, generation: str
) -> None:
    await gateway.add(*REINDEXED)
    if not generation:
        await gateway.add(filled("g2"), serves("g2"))
        stored = BatchStored(
            job_id="j2",
            files=[StoredFile("b.md", "s1", 1, 1, 2, 0)],
            removed=[],
            table_version=3,
        )
        await gateway.add(JobRequested(job_id="j2", mode="sync"), stored, finished("j2", "sync"))
    job = "j1" if generation else "j2"
    async with connected(gateway.home.socket) as wire:
        following = await follow(wire, job)
        assert (await following.line() or {})["step"] == "vectors"
        await gateway.add(IndexLost(reason="missing", generation=generation))
        last = await following.last()
    assert (last["type"], last["outcome"], last["code"]) == ("failed", "failed", "INDEXER_FAILED")
    assert (await gateway.ask("GET", f"/v1/jobs/{job}")).data["outcome"] == "failed"


async def test_a_cancelled_job_does_not_end_as_complete(gateway: RunningGateway) -> None:
    await gateway.add(*REINDEXED, finished("j1", outcome="cancelled"))
    async with connected(gateway.home.socket) as wire:
        last = await (await follow(wire)).last()
    assert (last["type"], last["outcome"]) == ("failed", "cancelled")


async def test_a_client_who_joins_a_job_of_the_daemons_own_keeps_it(
    gateway: RunningGateway,
) -> None:
    await gateway.add(serves("g1"), JobRequested(job_id="j1", mode="sync", origin="retry"))
    reply = await gateway.ask("POST", "/v1/jobs", {"mode": "sync"})
    assert reply.data["job_id"] == "j1"
    await gateway.add(finished("j1", "sync"))
    await saves(gateway)
    assert (await gateway.ask("GET", "/v1/jobs/j1")).data["outcome"] == "complete"


async def test_a_sync_of_single_notes_is_not_what_a_client_asks_for(
    gateway: RunningGateway,
) -> None:
    begun = JobStarted(job_id="save", mode="sync", files_planned=1, files_removed=0)
    await gateway.add(serves("g1"), begun)
    reply = await gateway.ask("POST", "/v1/jobs", {"mode": "sync"})
    assert reply.data["job_id"] != "save"


async def test_a_reindex_for_another_model_replaces_the_one_that_runs(
    gateway: RunningGateway,
) -> None:
    await gateway.add(
        serves("g1"),
        JobRequested(job_id="j1", mode="reindex", origin="tool"),
        JobStarted(job_id="j1", mode="reindex", files_planned=1, files_removed=0),
        IndexBuilding(generation="g2", job_id="j1", fingerprint="", choice="of another model"),
    )
    reply = await gateway.ask("POST", "/v1/jobs", {"mode": "sync"})
    assert reply.data["job_id"] == "j1", "it reads all notes, too"
    reply = await gateway.ask("POST", "/v1/jobs", {"mode": "reindex"})
    assert reply.data["job_id"] != "j1"
    old = gateway.ledger.state.jobs.find("j1")
    assert old is not None
    assert old.cancel_requested
