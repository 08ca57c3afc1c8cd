"""An actor with a bug, in a real daemon."""

from collections.abc import Callable
from pathlib import Path

from ragd.paths import Home
from tests.daemon.processes import Process, facts, types
from tests.daemon.wire import connected, head, lines

Start = Callable[..., Process]


async def test_a_crash_is_a_fact_and_shows_in_status(
    home: Home, start: Start, folder: Path
) -> None:
    trigger = folder / "trigger"
    daemon = start(f"crash_when={trigger}")
    await daemon.wait_until_ready()
    async with connected(home.socket) as wire:
        await wire.send(head("GET", "/v1/events?follow=1&type=actor_crashed"))
        await wire.head()
        trigger.write_text("a secret message")
        fact = (await anext(lines(wire)))["event"]
    assert fact["name"] == "buggy"
    assert fact["exception"] == "LookupError"
    assert fact["location"].startswith("ragd/supervisor.py:")  # the deepest place of our own
    [actor] = [a for a in (await daemon.status())["actors"] if a["name"] == "buggy"]
    assert actor["crashes"] == 1
    assert actor["last_crash"]["exception"] == "LookupError"
    others = [a for a in (await daemon.status())["actors"] if a["name"] != "buggy"]
    assert {(a["state"], a["crashes"]) for a in others} == {("running", 0)}
    assert await daemon.stop() == 0
    assert "secret" not in str(facts(home))


async def test_five_crashes_end_it_with_1_though_somebody_follows_the_events(
    home: Home, start: Start, folder: Path
) -> None:
    trigger = folder / "trigger"
    daemon = start(f"crash_when={trigger}")
    await daemon.wait_until_ready()
    async with connected(home.socket) as wire, connected(home.socket) as stuck:
        await stuck.send(head("POST", "/v1/tools/obsidian_rag_status", b"{}")[:-1])
        await wire.send(head("GET", "/v1/events?follow=1&type=actor_crashed"))
        await wire.head()
        following = lines(wire)
        for _ in range(5):
            trigger.write_text("message")
            await anext(following)
        assert await daemon.wait_for_exit() == 1
    assert daemon.output.startswith("ragd: Actors crashed 5 times within a minute")
    assert "buggy (LookupError at ragd/supervisor.py:" in daemon.output
    assert "message" not in daemon.output
    assert daemon.output.count("\n") == 1
    assert types(home).count("actor_crashed") == 5
    assert types(home)[-1] != "daemon_stopped"
