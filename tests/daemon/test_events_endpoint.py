"""GET /v1/events: every fact, in order, once; a slow reader delays nothing."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from ragd.events import DeletionsHeld, Fact, FileSkipped, IndexLost, WatchLost, WatchStarted
from ragd.gateway import open_streams
from tests.daemon.conftest import RunningGateway
from tests.daemon.wire import Wire, connected, head, lines
from tests.patience import PATIENCE_S, wait_until


def fact(n: int) -> Fact:
    return DeletionsHeld(count=n)


def ndjson(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in body.splitlines()]


async def fetch(gateway: RunningGateway, query: str = "") -> list[dict[str, Any]]:
    reply = await gateway.ask("GET", f"/v1/events{query}")
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/x-ndjson"
    return ndjson(reply.body)


async def follow(wire: Wire, query: str = "") -> AsyncIterator[dict[str, Any]]:
    await wire.send(head("GET", f"/v1/events?follow=1{query}"))
    status, _ = await wire.head()
    assert status == 200
    return lines(wire)


async def some(following: AsyncIterator[dict[str, Any]], number: int) -> list[int]:
    async with asyncio.timeout(PATIENCE_S):
        return [(await anext(following))["seq"] for _ in range(number)]


async def test_without_follow_it_ends_at_todays_end(gateway: RunningGateway) -> None:
    await gateway.add(*map(fact, range(10)))
    found = await fetch(gateway)
    assert [record["seq"] for record in found] == list(range(1, 12))
    assert list(found[0]) == ["seq", "d", "ts", "run", "actor", "cause", "event"]
    last = {"type": "deletions_held", "count": 9, "collections": []}
    assert found[-1]["event"] == last


async def test_after_leaves_out_what_one_has(gateway: RunningGateway) -> None:
    await gateway.add(*map(fact, range(10)))
    assert [r["seq"] for r in await fetch(gateway, "?after=8")] == [9, 10, 11]
    assert await fetch(gateway, "?after=11") == []
    assert await fetch(gateway, "?after=999999") == []


async def test_types_are_chosen_by_name_and_several_may_be(gateway: RunningGateway) -> None:
    await gateway.add(fact(1), WatchStarted(), IndexLost(reason="missing"), WatchLost(reason="x"))
    query = "?type=watch_started&type=watch_lost"
    assert [r["event"]["type"] for r in await fetch(gateway, query)] == [
        "watch_started",
        "watch_lost",
    ]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("?after=x", "`after`"),
        ("?after=-1", "`after`"),
        ("?after=", "`after`"),
        ("?after=1.5", "`after`"),
        ("?after=%D9%A1", "`after`"),  # an Arabic digit
        ("?after=1_000", "`after`"),
        ("?after=" + "9" * 19, "`after`"),
        ("?after=" + "9" * 5000, "`after`"),
        ("?follow=yes", "`follow`"),
        ("?type=watch_startd", "did you mean `watch_started`"),
        ("?type=", "`type` is not a type of fact"),
        ("?type=" + "x" * 3000, "`type` is not a type of fact"),
        ("?tpye=watch_started", "`tpye` is unknown; valid: `after`, `follow`, `type`"),
    ],
)
async def test_a_wrong_parameter_is_named(gateway: RunningGateway, query: str, named: str) -> None:
    reply = await gateway.ask("GET", f"/v1/events{query}")
    assert (reply.status, reply.code) == (400, "INVALID_REQUEST")
    assert named in reply.message


async def test_a_seq_past_retention_is_refused_with_the_oldest_there_is(
    gateway: RunningGateway,
) -> None:
    await gateway.add(*map(fact, range(10)))
    gateway.ledger.oldest_seq = 5
    reply = await gateway.ask("GET", "/v1/events?after=2")
    assert (reply.status, reply.code) == (400, "INVALID_REQUEST")
    assert "oldest record that is kept, 5" in reply.message
    assert reply.envelope["error"]["suggestion"] == "Use after=4 or later."
    assert [r["seq"] for r in await fetch(gateway, "?after=4")] == list(range(5, 12))
    assert [r["seq"] for r in await fetch(gateway)] == list(range(5, 12))  # from the beginning


async def test_followers_see_every_fact_in_order_without_gaps_or_doubles(
    gateway: RunningGateway,
) -> None:
    async with connected(gateway.home.socket) as one, connected(gateway.home.socket) as other:
        first, second = await follow(one), await follow(other, "&after=1")
        adding = [asyncio.create_task(gateway.add(*map(fact, range(50)))) for _ in range(6)]
        assert await some(first, 301) == list(range(1, 302))
        assert await some(second, 300) == list(range(2, 302))
        await asyncio.gather(*adding)


async def test_a_follower_resumes_where_it_was(gateway: RunningGateway) -> None:
    await gateway.add(*map(fact, range(5)))
    async with connected(gateway.home.socket) as wire:
        seen = await some(await follow(wire), 4)
    await gateway.add(*map(fact, range(5)))
    async with connected(gateway.home.socket) as wire:
        seen += await some(await follow(wire, f"&after={seen[-1]}"), 7)
    assert seen == list(range(1, 12))


async def test_a_filtered_follower_is_told_at_once_that_it_is_connected(
    gateway: RunningGateway,
) -> None:
    async with connected(gateway.home.socket) as wire:
        following = await follow(wire, "&type=watch_lost")  # the head comes before any fact does
        await gateway.add(fact(1), WatchLost(reason="x"))
        assert await some(following, 1) == [3]


async def test_http_1_0_gets_lines_until_the_connection_ends(gateway: RunningGateway) -> None:
    async with connected(gateway.home.socket) as wire:
        await wire.send(b"GET /v1/events?follow=1 HTTP/1.0\r\n\r\n")
        _, headers = await wire.head()
        assert "transfer-encoding" not in headers
        await gateway.add(fact(1))
        assert json.loads(await wire.reader.readline())["seq"] == 1
        assert json.loads(await wire.reader.readline())["seq"] == 2


async def test_a_client_that_goes_away_frees_its_place(gateway: RunningGateway) -> None:
    for _ in range(5):
        async with connected(gateway.home.socket) as wire:
            await some(await follow(wire), 1)
            assert len(gateway.tool_gateway.streams) == 1
        await wait_until(lambda: not gateway.tool_gateway.streams)


def heavy(n: int) -> Fact:
    return FileSkipped(path="x" * 40_000, reason=str(n))


async def test_a_stuck_follower_is_let_go_while_others_and_the_writer_go_on(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_streams, "CLIENT_READS_WITHIN_S", 0.5)
    async with connected(gateway.home.socket) as stuck, connected(gateway.home.socket) as well:
        await stuck.send(head("GET", "/v1/events?follow=1"))
        stuck.writer.transport.pause_reading()  # type: ignore[attr-defined]
        following = await follow(well)
        reading = asyncio.create_task(some(following, 61))
        last = await gateway.add(*map(heavy, range(60)))  # 2.4 MB: more than a pipe holds
        assert await reading == list(range(1, last + 1))
        await wait_until(lambda: len(gateway.tool_gateway.streams) <= 1)
        stuck.writer.transport.resume_reading()  # type: ignore[attr-defined]
        await stuck.wait_until_closed()
        await gateway.add(fact(1))
        assert await some(following, 1) == [last + 1]


async def test_a_stuck_follower_does_not_hold_up_the_end(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_streams, "CLIENT_READS_WITHIN_S", 2 * PATIENCE_S)
    async with connected(gateway.home.socket) as stuck, connected(gateway.home.socket) as well:
        await stuck.send(head("GET", "/v1/events?follow=1"))
        stuck.writer.transport.pause_reading()  # type: ignore[attr-defined]
        following = await follow(well)
        reading = asyncio.create_task(some(following, 61))
        last = await gateway.add(*map(heavy, range(60)))
        assert await reading == list(range(1, last + 1))
        gateway.stop.set()
        gateway.tool_gateway.streams.end()
        async with asyncio.timeout(PATIENCE_S):  # less than a stuck follower is given
            await gateway.server.stop(2 * PATIENCE_S)
        with pytest.raises(StopAsyncIteration):  # an orderly end
            await anext(following)


async def test_a_follower_that_comes_during_the_stop_gets_all_records_and_ends(
    gateway: RunningGateway,
) -> None:
    gateway.tool_gateway.streams.end()
    assert [r["seq"] for r in await fetch(gateway, "?follow=1")] == [1]


async def test_a_failure_in_the_middle_is_a_cut_connection_and_no_second_answer(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = gateway.ledger.journal.follow

    async def breaking(after: int, types: Any = (), *, wait: bool = True) -> AsyncIterator[Any]:
        async for record in real(after, types, wait=wait):
            yield record
            raise LookupError("kestrel-4711")

    monkeypatch.setattr(gateway.ledger.journal, "follow", breaking)
    async with connected(gateway.home.socket) as wire:
        await wire.send(head("GET", "/v1/events"))
        received = await wire.rest()
    assert received.count(b"HTTP/1.1") == 1
    assert not received.endswith(b"0\r\n\r\n")
    assert b"kestrel" not in received
    assert (await gateway.ask("GET", "/v1/status")).status == 200


async def test_head_is_not_taken_for_get(gateway: RunningGateway) -> None:
    async with connected(gateway.home.socket) as wire:
        await wire.send(head("HEAD", "/v1/events?follow=1", None, "Connection: close"))
        received = await wire.rest()
    assert received.startswith(b"HTTP/1.1 405 ")
    assert received.endswith(b"\r\n\r\n")
