"""How a daemon ends, and what it leaves."""

import asyncio
import fcntl
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.paths import Home
from tests.daemon.processes import Process, facts, types
from tests.daemon.wire import connected, head, lines
from tests.patience import wait_until

Start = Callable[..., Process]


def lock_is_free(home: Home) -> bool:
    with open(home.lock) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def assert_a_clean_end(home: Home) -> None:
    assert types(home)[-1] == "daemon_stopped"
    assert not os.path.lexists(home.socket)
    assert lock_is_free(home)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_in_order(home: Home, start: Start, number: int) -> None:
    daemon = start("plain")
    await daemon.wait_until_ready()
    daemon.signal(number)
    assert await daemon.wait_for_exit() == 0
    assert daemon.output == ""
    assert_a_clean_end(home)


async def test_the_daemon_that_users_have_starts_answers_and_stops(
    home: Home, start: Start
) -> None:
    daemon = start()
    await daemon.wait_until_ready()
    await daemon.wait_for_reasons("INDEX_NOT_FOUND")
    stopped = await daemon.ask("POST", "/v1/stop")
    assert stopped.data == {"stopping": True}
    assert await daemon.wait_for_exit() == 0
    assert daemon.output == ""
    assert_a_clean_end(home)


async def test_a_request_whose_body_is_still_coming_is_finished_before_the_end(
    home: Home, start: Start
) -> None:
    daemon = start("plain")
    await daemon.wait_until_ready()
    request = head("POST", "/v1/tools/obsidian_rag_status", b'{"verbose": true}')
    async with connected(home.socket) as wire:
        await wire.send(request[:-4])
        await _until_it_is_read(daemon)
        daemon.signal(signal.SIGTERM)
        await _until_it_takes_no_more(home)
        await wire.send(request[-4:])
        assert (await wire.reply()).data["pid"] == daemon.pid
    assert await daemon.wait_for_exit() == 0
    assert_a_clean_end(home)


async def _until_it_is_read(daemon: Process) -> None:
    """Wait until everything sent before was read: connections are served in turn."""
    await daemon.status()


async def _until_it_takes_no_more(home: Home) -> None:
    await wait_until(lambda: not os.path.lexists(home.socket))


async def test_a_request_that_is_never_finished_does_not_hold_up_the_end(
    home: Home, start: Start
) -> None:
    daemon = start("finish_within=0.2")
    await daemon.wait_until_ready()
    async with connected(home.socket) as half_head, connected(home.socket) as half_body:
        await half_head.send(b"GET /v1/status HT")
        await half_body.send(head("POST", "/v1/tools/obsidian_rag_status", b"{ }")[:-1])
        await _until_it_is_read(daemon)
        assert await daemon.stop() == 0
        await half_head.wait_until_closed()
        await half_body.wait_until_closed()
    assert_a_clean_end(home)


async def test_followers_of_events_do_not_hold_up_the_end(home: Home, start: Start) -> None:
    daemon = start("plain")
    await daemon.wait_until_ready()
    async with connected(home.socket) as wire:
        await wire.send(head("GET", "/v1/events?follow=1"))
        await wire.head()
        following = lines(wire)
        assert (await anext(following))["event"]["type"] == "daemon_started"
        daemon.signal(signal.SIGTERM)
        rest = [line["event"]["type"] async for line in following]  # to its proper end
    assert "daemon_started" not in rest
    assert await daemon.wait_for_exit() == 0
    assert_a_clean_end(home)


async def test_a_second_signal_forces_it(home: Home, start: Start) -> None:
    daemon = start("plain")
    await daemon.wait_until_ready()
    async with connected(home.socket) as wire:
        await wire.send(head("POST", "/v1/tools/obsidian_rag_status", b"{ }")[:-1])
        await _until_it_is_read(daemon)
        daemon.signal(signal.SIGTERM)
        await _until_it_takes_no_more(home)
        daemon.signal(signal.SIGINT)
        assert await daemon.wait_for_exit() == 128 + signal.SIGINT
    assert types(home)[-1] != "daemon_stopped"
    assert lock_is_free(home)


async def test_one_signal_after_a_request_to_stop_is_not_a_second_one(
    home: Home, start: Start
) -> None:
    daemon = start("plain")
    await daemon.wait_until_ready()
    async with connected(home.socket) as wire, connected(home.socket) as asking:
        request = head("POST", "/v1/tools/obsidian_rag_status", b"{ }")
        await wire.send(request[:-1])
        await _until_it_is_read(daemon)
        await asking.send(head("POST", "/v1/stop"))
        await _until_it_takes_no_more(home)
        daemon.signal(signal.SIGTERM)
        await wire.send(request[-1:])
        assert await daemon.wait_for_exit() == 0
    assert_a_clean_end(home)


@pytest.mark.slow
async def test_ten_at_once_give_one_that_serves_and_nine_that_name_it(
    home: Home, start: Start
) -> None:
    daemons = [start("plain") for _ in range(10)]
    exits = [asyncio.ensure_future(d.wait_for_exit(60)) for d in daemons]
    for _, ended in zip(range(9), asyncio.as_completed(exits), strict=False):
        assert await ended == 73
    [winner] = [d for d in daemons if d.popen.poll() is None]
    assert (await winner.wait_until_ready()).data["pid"] == winner.pid
    for loser in daemons:
        if loser is not winner:
            assert f"(pid {winner.pid})" in loser.output
            assert loser.output.count("\n") == 1
    assert await winner.stop() == 0
    assert types(home).count("daemon_started") == 1


async def test_after_kill_9_the_next_one_starts_and_says_crash(home: Home, start: Start) -> None:
    first = start("plain")
    await first.wait_until_ready()
    first.signal(signal.SIGKILL)
    assert await first.wait_for_exit() == -signal.SIGKILL
    assert os.path.exists(home.socket)
    stale = os.stat(home.socket).st_ctime_ns
    second = start("plain")
    assert (await second.wait_until_ready()).data["pid"] == second.pid
    assert os.stat(home.socket).st_ctime_ns != stale
    assert json.loads(Path(home.lock).read_text())["pid"] == second.pid
    assert await second.stop() == 0
    third = start("plain")
    await third.wait_until_ready()
    assert await third.stop() == 0
    stops = [
        r["event"]["previous_stop"] for r in facts(home) if r["event"]["type"] == "daemon_started"
    ]
    assert stops == ["none", "crash", "clean"]


async def test_a_failing_fsync_ends_it_with_74(home: Home, start: Start, folder: Path) -> None:
    trouble = folder / "trouble"
    daemon = start(f"fsync_fails_when={trouble}")
    await daemon.wait_until_ready()
    async with connected(home.socket) as follower:
        await follower.send(head("GET", "/v1/events?follow=1"))
        await follower.head()
        trouble.touch()
        await daemon.ask("POST", "/v1/reload")
        assert await daemon.wait_for_exit() == 74
    assert daemon.output.startswith("ragd: The disk failed under the event log (EIO).")
    assert daemon.output.count("\n") == 1
    assert lock_is_free(home)
