"""Manual changes of config.json take effect soon, or are reported as refused."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ragd.config import config_reader
from ragd.events import ConfigReloaded
from tests.daemon.conftest import RunningGateway
from tests.daemon.processes import write_config
from tests.patience import wait_until


@pytest.fixture
async def watched(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[RunningGateway]:
    monkeypatch.setattr(config_reader, "CHECK_EVERY_S", 0.01)
    watching = asyncio.create_task(gateway.config_reader.run())
    yield gateway
    watching.cancel()


async def status(gateway: RunningGateway) -> dict[str, Any]:
    data: dict[str, Any] = (await gateway.ask("GET", "/v1/status")).data
    return data


async def until_refused(gateway: RunningGateway, refused: bool) -> Any:
    while ((why := (await status(gateway))["config_refused"]) is not None) is not refused:
        await asyncio.sleep(0.01)
    return why


async def reloads(gateway: RunningGateway) -> list[str]:
    found = gateway.ledger.journal.follow(0, ["config_reloaded"], wait=False)
    return [record.actor async for record in found]


async def test_a_change_by_hand_is_taken_over(watched: RunningGateway) -> None:
    write_config(watched.home, health={"probe_s": 7}, embedding={"provider": "ollama"})
    async for record in watched.ledger.journal.follow(0, ["config_reloaded"]):
        assert record.actor == "config_reader"
        break
    while watched.settings.current.health.probe_s != 7:
        await asyncio.sleep(0)
    assert (await status(watched))["needs_restart"] == ["embedding.provider"]


async def test_what_is_refused_changes_nothing_and_is_told_until_it_is_mended(
    watched: RunningGateway,
) -> None:
    before, kept = watched.settings.current, Path(watched.home.config).read_bytes()
    write_config(watched.home, helth={"probe_s": 7})
    why = await until_refused(watched, True)
    assert why is not None and "did you mean `health`" in why
    assert watched.settings.current is before
    Path(watched.home.config).write_bytes(kept)
    await until_refused(watched, False)
    assert watched.settings.current == before and await reloads(watched) == []


async def test_a_reload_that_was_asked_for_is_not_done_again(watched: RunningGateway) -> None:
    write_config(watched.home, health={"probe_s": 7})
    assert (await watched.ask("POST", "/v1/reload")).data["applied"] == ["health.probe_s"]
    write_config(watched.home, health={"probe_s": 8})
    await wait_until(lambda: watched.settings.current.health.probe_s == 8)
    assert await reloads(watched) == ["tool_gateway", "config_reader"]


async def test_the_folder_of_a_new_agent_is_a_new_collection_and_a_removed_one_goes(
    watched: RunningGateway,
) -> None:
    agents = Path(watched.home.root).parent / "agents"
    (agents / "main" / "sessions").mkdir(parents=True)
    write_config(watched.home, sessions={"enabled": True, "path": str(agents)})

    def names() -> list[str]:
        return list(watched.settings.current.collections)

    await wait_until(lambda: names() == ["sessions/main"])
    (agents / "new" / "sessions").mkdir(parents=True)
    await wait_until(lambda: names() == ["sessions/main", "sessions/new"])
    (agents / "main" / "sessions").rmdir()
    await wait_until(lambda: names() == ["sessions/new"])
    recorded = [
        record.event.collections
        async for record in watched.ledger.journal.follow(0, ["config_reloaded"], wait=False)
        if isinstance(record.event, ConfigReloaded)
    ]
    assert recorded[-1] == ["sessions/new"]
    write_config(watched.home)
    await wait_until(lambda: names() == [])
