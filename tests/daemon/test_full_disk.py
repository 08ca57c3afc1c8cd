"""A full disk: reported at once, survived, and recorded when there is room again."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from ragd import daemon as daemon_story
from ragd.clock import SystemClock, new_id
from ragd.events import DaemonStarted
from ragd.paths import Home
from ragd.state.ledger import Ledger
from tests.daemon.processes import Process, facts, types, write_config
from tests.small_disks import small_disk

Start = Callable[..., Process]


@pytest.fixture
def full(folder: Path) -> Path:
    """While this file exists, the log's disk is full."""
    return folder / "full"


async def test_it_says_so_goes_on_answering_and_recovers_by_itself(
    home: Home, start: Start, full: Path
) -> None:
    daemon = start(f"full_while={full}")
    await daemon.wait_until_ready()
    await daemon.wait_for_reasons("INDEX_NOT_FOUND")
    full.touch()
    refused = await daemon.ask("POST", "/v1/reload")
    assert (refused.status, refused.code) == (503, "DISK_FULL")
    assert refused.data is None
    status = await daemon.ask("GET", "/v1/status")
    assert status.envelope["status"] == "unavailable"
    [reason] = [r for r in status.data["reasons"] if r["code"] == "DISK_FULL"]
    assert reason["state"] == "unavailable"  # as there is no index that could answer
    assert reason["since"] == status.data["log"]["full_since"]
    search = await daemon.ask("POST", "/v1/tools/obsidian_rag_search", {"query": "x"})
    assert search.code == "DISK_FULL"  # why there will be no index
    full.unlink()
    await daemon.wait_for_reasons("DISK_FULL", absent=True)  # without any request
    assert (await daemon.status())["log"]["full_since"] is None
    assert (await daemon.ask("POST", "/v1/reload")).status == 200
    assert await daemon.stop() == 0
    told = [r for r in facts(home) if r["event"].get("dependency") == "disk"]
    assert [r["event"]["type"] for r in told] == ["dependency_lost", "dependency_recovered"]
    assert told[0]["event"]["since"] == reason["since"] <= told[0]["ts"]
    assert told[1]["cause"] == told[0]["seq"]
    assert types(home).count("config_reloaded") == 1  # the refused one was withdrawn
    assert "actor_crashed" not in types(home)


async def test_a_reload_that_cannot_be_recorded_changes_nothing(
    home: Home, start: Start, full: Path
) -> None:
    daemon = start(f"full_while={full}")
    await daemon.wait_until_ready()
    full.touch()
    write_config(home, health={"probe_s": 0.06})
    assert (await daemon.ask("POST", "/v1/reload")).code == "DISK_FULL"
    assert "config_reloaded" not in types(home)
    full.unlink()
    await daemon.wait_for_reasons("DISK_FULL", absent=True)
    assert (await daemon.ask("POST", "/v1/reload")).status == 200
    assert (await daemon.ask("POST", "/v1/reload")).data["applied"] == []  # it is in force
    daemon.kill()


async def test_a_reload_does_not_wait_for_the_one_that_config_json_itself_led_to(
    home: Home, start: Start, full: Path
) -> None:
    daemon = start(f"full_while={full}")
    await daemon.wait_until_ready()
    full.touch()
    write_config(home, health={"probe_s": 0.06})
    for _ in range(6):  # the reader of the file has its turn in between
        assert (await daemon.ask("POST", "/v1/reload")).code == "DISK_FULL"
    full.unlink()
    await daemon.wait_for_reasons("DISK_FULL", absent=True)
    daemon.kill()


async def test_it_stops_in_order_on_a_full_disk(home: Home, start: Start, full: Path) -> None:
    daemon = start(f"full_while={full}", "finish_within=0.2")
    await daemon.wait_until_ready()
    await daemon.wait_for_reasons("INDEX_NOT_FOUND")
    assert (await daemon.ask("GET", "/v1/nothing")).status == 404  # waits to be recorded
    full.touch()
    assert await daemon.stop() == 0
    assert daemon.output == ""
    assert not os.path.lexists(home.socket)
    full.unlink()
    daemon = start("plain")
    await daemon.wait_until_ready()
    assert await daemon.stop() == 0
    starts = [r["event"] for r in facts(home) if r["event"]["type"] == "daemon_started"]
    assert starts[-1]["previous_stop"] == "crash"  # its end could not be recorded


async def test_a_start_on_a_full_disk_answers_and_is_recorded_when_there_is_room(
    home: Home, start: Start, full: Path
) -> None:
    full.touch()
    daemon = start(f"full_while={full}")
    first = await daemon.wait_until_ready()
    assert [r["code"] for r in first.data["reasons"]] == ["STARTING", "DISK_FULL"]
    assert first.envelope["status"] == "unavailable"
    full.unlink()
    await daemon.wait_for_reasons("INDEX_NOT_FOUND")
    assert await daemon.stop() == 0
    assert types(home)[0] == "daemon_started"
    assert types(home)[-1] == "daemon_stopped"


async def test_a_start_on_a_full_disk_can_be_stopped(home: Home, start: Start, full: Path) -> None:
    daemon = start("plain")
    await daemon.wait_until_ready()
    assert await daemon.stop() == 0
    known = facts(home)
    full.touch()
    daemon = start(f"full_while={full}", "finish_within=0.2")
    data = (await daemon.wait_until_ready()).data
    assert data["vault"]["found"] is None  # the last run knew, this one does not yet
    daemon.signal(signal.SIGTERM)
    assert await daemon.wait_for_exit() == 0
    assert facts(home) == known  # neither its start nor its end


async def test_an_end_is_recorded_only_of_a_run_whose_start_is(home: Home) -> None:
    """Room may come back between the two. An end alone would look like that of the last run."""
    os.mkdir(home.events, 0o700)
    for starts in (True, False):
        ledger = Ledger(Path(home.events), Path(home.snapshots), SystemClock(), new_id(), "test")
        writer = asyncio.create_task(ledger.journal.run())
        if starts:
            begun = DaemonStarted(version="1", config_hash="", previous_stop="none")
            await ledger.journal.append("daemon", begun)
        await daemon_story.record_stop(ledger, "requested", writer)
        await writer
    assert types(home) == ["daemon_started", "daemon_stopped"]


async def test_a_disk_that_is_really_full(folder: Path, mounts: ExitStack, start: Start) -> None:
    disk = small_disk(mounts, folder / "disk", "1m")
    home = Home(str(folder / "disk" / "h"))
    write_config(home, health={"probe_s": 0.05})
    daemon = start("plain", of=home)
    await daemon.wait_until_ready()
    await daemon.wait_for_reasons("INDEX_NOT_FOUND")
    disk.fill()
    code = None
    while code != "DISK_FULL":  # the last page of the log may have room for a few more
        code = (await daemon.ask("POST", "/v1/reload")).code
        assert code in ("DISK_FULL", "INDEX_NOT_FOUND")
    assert "DISK_FULL" in await daemon.wait_for_reasons("DISK_FULL")
    disk.free()
    await daemon.wait_for_reasons("DISK_FULL", absent=True)
    assert await daemon.stop() == 0
    assert daemon.output == ""
    told = [r["event"]["type"] for r in facts(home) if r["event"].get("dependency") == "disk"]
    assert told == ["dependency_lost", "dependency_recovered"]
    assert "actor_crashed" not in types(home)
