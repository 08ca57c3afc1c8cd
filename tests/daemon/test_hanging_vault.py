"""A real daemon whose vault hangs: it answers, reports it, and continues when the vault does."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ragd.paths import Home
from tests.daemon.processes import Process, facts, start_modified
from tests.hanging_mount import hanging_mount

CODE = "VAULT_NOT_RESPONDING"
CALLS = 40  # more than the default pool and all lanes have threads
QUICK = ("lancedb", "vault_within=3", "probe_within=3", "finish_within=1")
MEMORY = "/v1/tools/obsidian_rag_memory_store"
SEARCH = "/v1/tools/obsidian_rag_search"


class Hanging:
    """A vault that can hang, and its daemon."""

    def __init__(self, folder: Path) -> None:
        self.notes = folder / "source"  # where they can be written
        self.vault = folder / "vault"
        self.home = Home(str(folder / "h"))
        self.hang: Callable[[], None]
        self.go_on: Callable[[], None]
        self.twists: tuple[str, ...] = QUICK

    def prepare(self) -> None:
        (self.notes / "Birds.md").write_text("# Birds\n\nA kingfisher is back at the weir.\n")
        Path(self.home.root).mkdir(mode=0o700)
        config: dict[str, Any] = {
            "vault_path": str(self.vault),
            "embedding": {"provider": "ollama", "base_url": "http://127.0.0.1:9"},  # no server
            "watch": {"debounce_s": 0.05, "collect_s": 0, "rescan_s": 1},
            "health": {"probe_s": 0.1},
        }
        Path(self.home.config).write_text(json.dumps(config))

    @asynccontextmanager
    async def daemon(self) -> AsyncIterator[Process]:
        process = start_modified(self.home, *self.twists)
        try:
            await process.wait_until_ready()
            yield process
        finally:
            self.go_on()
            process.kill()

    async def index(self, process: Process) -> None:
        await process.wait_for_reasons("INDEX_NOT_FOUND")
        assert await self.outcome(process) == "complete"
        assert (await process.status())["total_docs"] == 1

    async def outcome(self, process: Process) -> str:
        """How an indexing job ends."""
        job = (await process.ask("POST", "/v1/jobs", {"mode": "full"})).data["job_id"]
        while True:
            told = (await process.ask("GET", f"/v1/jobs/{job}")).data
            if told["phase"] in ("vectors", "finished"):  # no vectors are made here
                return str(told.get("outcome", "complete"))
            await asyncio.sleep(0.05)


def mounted(stack: ExitStack, folder: Path) -> Hanging:
    """The vault on a file system that really hangs."""
    mount = hanging_mount(stack, folder)
    hanging = Hanging(folder)
    hanging.hang, hanging.go_on = mount.hang, mount.go_on
    return hanging


def replaced(stack: ExitStack, folder: Path) -> Hanging:
    """Without mounts: the function that opens the vault waits."""
    hanging = Hanging(folder)
    hanging.notes = hanging.vault
    hanging.vault.mkdir()
    flag = folder / "hang"
    hanging.hang, hanging.go_on = flag.touch, lambda: flag.unlink(missing_ok=True)
    hanging.twists = (*QUICK, f"hang_vault_while={flag}")
    return hanging


@pytest.fixture(params=[mounted, replaced], ids=lambda how: str(how.__name__))
def hanging(request: pytest.FixtureRequest) -> Iterator[Hanging]:
    folder = Path(tempfile.mkdtemp(prefix="rh", dir="/tmp"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        found: Hanging = request.param(stack, folder)
        found.prepare()
        yield found


async def store(daemon: Process) -> str | None:
    body = {"key": "bird", "value": "A kingfisher", "source": "Birds.md"}
    return (await daemon.ask("POST", MEMORY, body)).code


async def show(daemon: Process) -> str | None:
    return (await daemon.ask("GET", "/v1/notes?path=Birds.md")).code


async def test_everything_else_answers_while_the_vault_hangs(hanging: Hanging) -> None:
    async with hanging.daemon() as daemon:
        await hanging.index(daemon)
        hanging.hang()
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(store(daemon)) for _ in range(CALLS // 2)]
            calls += [group.create_task(show(daemon)) for _ in range(CALLS // 2)]
        assert {call.result() for call in calls} == {CODE}
        [reason] = [r for r in (await daemon.status())["reasons"] if r["code"] == CODE]
        assert reason["state"] == "degraded"
        assert (await daemon.ask("POST", "/v1/reload")).status == 200
        assert b"daemon_started" in (await daemon.ask("GET", "/v1/events?after=0")).body
        found = await daemon.ask("POST", SEARCH, {"query": "kingfisher"})
        [result] = found.data["results"]
        assert (result["source_file"], result["unverified"]) == ("Birds.md", True)
        assert (await daemon.status())["vault"]["found"] is None
        hanging.go_on()
        await daemon.wait_for_reasons(CODE, absent=True)
        while await store(daemon) == CODE:  # until its threads are free again
            await asyncio.sleep(0.05)
        assert (await daemon.ask("GET", "/v1/notes?path=Birds.md")).data["total_lines"] == 3
        assert await daemon.stop() == 0
    lost = [r["event"] for r in facts(hanging.home) if r["event"]["type"] == "dependency_lost"]
    assert CODE in [event["code"] for event in lost]


async def test_a_note_written_while_the_vault_hangs_is_indexed_afterwards(hanging: Hanging) -> None:
    async with hanging.daemon() as daemon:
        await hanging.index(daemon)
        hanging.hang()
        await daemon.wait_for_reasons(CODE)
        (hanging.notes / "Later.md").write_text("A heron stood in the reeds.\n")
        hanging.go_on()
        while (await daemon.status())["total_docs"] != 2:
            await asyncio.sleep(0.05)
        await daemon.wait_for_reasons(CODE, absent=True)


async def test_a_job_in_a_vault_that_hangs_fails_and_does_not_wait_for_ever(
    hanging: Hanging,
) -> None:
    async with hanging.daemon() as daemon:
        await hanging.index(daemon)
        hanging.hang()
        assert await hanging.outcome(daemon) == "failed"
        assert CODE in await daemon.wait_for_reasons(CODE)
        assert (await daemon.status())["total_docs"] == 1


async def test_a_daemon_starts_though_its_vault_hangs(hanging: Hanging) -> None:
    hanging.hang()
    async with hanging.daemon() as daemon:
        reasons = await daemon.wait_for_reasons(CODE)
        assert "STARTING" not in reasons
        assert await store(daemon) == CODE
        hanging.go_on()
        await daemon.wait_for_reasons(CODE, absent=True)
        await hanging.index(daemon)


async def test_a_daemon_stops_though_its_vault_hangs(hanging: Hanging) -> None:
    async with hanging.daemon() as daemon:
        await hanging.index(daemon)
        hanging.hang()
        assert await store(daemon) == CODE
        assert await daemon.stop() == 0
    assert facts(hanging.home)[-1]["event"]["type"] == "daemon_stopped"
