"""Notes that are saved while vectors are being made: a real daemon, and a provider that waits."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from ragd.paths import Home
from ragd.store.lance import LanceStore
from tests.daemon.processes import REPOSITORY, Process, environment, facts, start_ragd, write_config
from tests.embed.fake_ollama import DIMENSIONS, MODEL, FakeOllama, running
from tests.patience import wait_until

WITHIN_S = 90.0
NOTES = 120


class Gate:
    """Holds the provider's second request for many texts until it is opened."""

    def __init__(self, server: FakeOllama) -> None:
        self.server = server
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()
        self._bulk = 0
        server.always = self

    async def __call__(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        if len(body["input"]) > 1:
            self._bulk += 1
            if self._bulk == 2:
                self.reached.set()
                await self.opened.wait()
        return self.server.answer(body)


class Daemon:
    """A daemon over 120 notes of three passages each."""

    def __init__(self, home: Home, server: FakeOllama) -> None:
        self.home = home
        self.vault = Path(home.root).parent / "vault"
        embedding = {"provider": "ollama", "base_url": server.base_url, "dimensions": DIMENSIONS}
        watch = {"debounce_s": 0.05, "collect_s": 0.05, "rescan_s": 3600}
        write_config(home, embedding=embedding, watch=watch)
        (self.vault / "note.md").unlink()
        for number in range(NOTES):
            note = self.vault / f"n{number:03}.md"
            parts = (f"# Part {part}\n\nwords of {number} and {part}\n\n" for part in range(3))
            note.write_text("".join(parts))
            os.utime(note, (1_700_000_000 + number,) * 2)
        self.newest = self.vault / f"n{NOTES - 1:03}.md"
        self.process: Process = start_ragd(home)

    async def request(self, mode: str) -> str:
        reply = await self.process.ask("POST", "/v1/jobs", {"mode": mode})
        return str(reply.data["job_id"])

    async def append_a_line(self) -> None:
        """Append to the newest note, and wait until that is stored."""
        before = len(self._stored())
        with self.newest.open("a") as note:
            note.write("One line more.\n")
        await wait_until(lambda: len(self._stored()) != before)

    def _stored(self) -> list[Any]:
        events = [record["event"] for record in facts(self.home)]
        return [
            event
            for event in events
            if event["type"] == "batch_stored"
            and not event.get("generation")
            and [file["path"] for file in event["files"]] == [self.newest.name]
        ]

    async def until(self, what: str, holds: Any) -> dict[str, Any]:
        status: dict[str, Any] = {}
        try:
            async with asyncio.timeout(WITHIN_S):
                while True:
                    status = await self.process.status()
                    if holds(status):
                        return status
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"{what}: {status}") from None

    async def ragctl_sync(self) -> int:
        command = [sys.executable, "-m", "ragctl", "--home", self.home.root, "sync", "--json"]
        done = await asyncio.to_thread(
            subprocess.run,
            command,
            env=environment(),
            cwd=REPOSITORY,
            capture_output=True,
            timeout=WITHIN_S,
        )
        return done.returncode

    async def vectors_in_the_table(self) -> tuple[int, int]:
        """Rows with vectors and all rows, read from the files of a daemon that has stopped."""
        generation = (await self.process.status())["index"]["generation"]
        assert await self.process.stop() == 0
        store = LanceStore(Path(self.home.vectors))
        index = await store.open(generation)
        try:
            return await index.count("vector IS NOT NULL"), await index.count()
        finally:
            index.close()
            store.close()


@pytest.fixture
async def server() -> AsyncIterator[FakeOllama]:
    async with running() as server:
        yield server


@pytest.fixture
async def daemon(home: Home, server: FakeOllama) -> AsyncIterator[Daemon]:
    daemon = Daemon(home, server)
    try:
        await daemon.process.wait_until_ready()
        yield daemon
    finally:
        daemon.process.kill()


def is_done(status: dict[str, Any]) -> bool:
    return bool(
        status["total_chunks"] >= 3 * NOTES
        and not status["chunks_pending"]
        and status["building"] is None
        and status["active_job"] is None
    )


async def test_a_save_during_the_first_index_strands_no_vectors(
    daemon: Daemon, server: FakeOllama
) -> None:
    gate = Gate(server)
    await daemon.request("full")
    async with asyncio.timeout(WITHIN_S):
        await gate.reached.wait()
    await daemon.append_a_line()
    gate.opened.set()
    status = await daemon.until("every passage gets its vector", is_done)
    assert status["chunks_embedded"] == status["total_chunks"] == 3 * NOTES
    assert await daemon.ragctl_sync() == 0
    filled = [f["event"]["files"] for f in facts(daemon.home) if _is(f, "vectors_filled")]
    assert len(filled[0]) == NOTES - 1, "all notes but the one that was saved"
    assert await daemon.vectors_in_the_table() == (3 * NOTES, 3 * NOTES)


async def test_a_save_during_a_reindex_does_not_keep_the_new_index_from_serving(
    daemon: Daemon, server: FakeOllama
) -> None:
    await daemon.request("full")
    before = await daemon.until("the first index is whole", is_done)
    server.models[f"{MODEL}:latest"] = "1" * 64  # so no vector comes from the cache
    gate = Gate(server)
    await daemon.request("reindex")
    async with asyncio.timeout(WITHIN_S):
        await gate.reached.wait()
    await daemon.append_a_line()
    gate.opened.set()

    def is_switched(status: dict[str, Any]) -> bool:
        return is_done(status) and status["index"]["generation"] != before["index"]["generation"]

    status = await daemon.until("the new index serves", is_switched)
    assert status["chunks_embedded"] == status["total_chunks"] == 3 * NOTES
    assert await daemon.vectors_in_the_table() == (3 * NOTES, 3 * NOTES)


def _is(record: dict[str, Any], kind: str) -> bool:
    return bool(record["event"]["type"] == kind)
