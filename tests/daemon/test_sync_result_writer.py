"""sync-result.json: equal to its fold, always complete, written from the first sync on."""

import asyncio
import errno
import json
import os
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest

from ragd.events import (
    BatchStored,
    Fact,
    FileError,
    FilledFile,
    IndexActivated,
    IndexBuilding,
    IndexLost,
    JobFinished,
    RecountedFile,
    StoredFile,
    VaultScanned,
    VectorsFilled,
    VectorsRecounted,
)
from ragd.folds.sync_result import CHANGED_BY, SyncResult
from ragd.paths import Home
from ragd.runtime.durable_files import replace_file
from ragd.state import sync_result_writer
from ragd.state.sync_result_writer import RETRY_MAX_S, SyncResultWriter
from tests.daemon.conftest import RunningGateway, run_gateway
from tests.daemon.processes import Process
from tests.daemon.virtual_clock import VirtualClock
from tests.daemon.wire import ask
from tests.patience import PATIENCE_S, wait_until


def finished(n: int = 0, outcome: str = "complete") -> JobFinished:
    return JobFinished(
        job_id=f"j{n}",
        mode="sync",
        outcome=outcome,  # type: ignore[arg-type]
        indexed_files=n,
        removed_files=0,
        total_chunks=n,
        duration_ms=n,
        errors=[FileError(file=f"{n}.md", message="unreadable")] * (n % 50),
    )


def stored(path: str, generation: str = "") -> BatchStored:
    file = StoredFile(path=path, sha256="0", mtime_ns=1, size=1, chunks=2)
    return BatchStored(job_id="j", files=[file], removed=[], table_version=1, generation=generation)


async def until_written(gateway: RunningGateway) -> SyncResult:
    """Wait until the file equals the fold."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            found = read(gateway.home)
            if found is not None and found == gateway.ledger.state.sync_result:
                return found
            await asyncio.sleep(0.005)


def read(home: Home) -> SyncResult | None:
    try:
        return msgspec.json.decode(Path(home.sync_result).read_bytes(), type=SyncResult)
    except FileNotFoundError:
        return None


@pytest.fixture
async def writing(
    gateway: RunningGateway, clock: VirtualClock
) -> AsyncIterator["asyncio.Task[None]"]:
    task = begin(gateway, clock)
    yield task
    task.cancel()
    await asyncio.wait({task})


def begin(gateway: RunningGateway, clock: VirtualClock) -> "asyncio.Task[None]":
    writer = SyncResultWriter(gateway.ledger, clock, Path(gateway.home.sync_result))
    return asyncio.create_task(writer.run())


@pytest.mark.usefixtures("writing")
async def test_every_fact_that_changes_the_fold_changes_the_file(gateway: RunningGateway) -> None:
    filled = FilledFile(path="a.md", sha256="0", chunks=2)
    recounted = RecountedFile(path="a.md", sha256="0", embedded=1)
    activated = IndexActivated(generation="g2", provider="ollama", model="m", dimensions=3)
    building = IndexBuilding(generation="g2", job_id="j", fingerprint="f")
    steps: list[list[Fact]] = [
        [stored("a.md"), finished(1)],
        [VectorsFilled(job_id="j", files=[filled], table_version=2)],
        [VaultScanned(files=1, changed=0, removed=0, newest_mtime="2026-01-01T00:00:00Z")],
        [VectorsRecounted(files=[recounted], counted=2, found=1, table_version=2)],
        [building, stored("b.md", "g2"), stored("c.md", "g2"), activated],
        [IndexLost(reason="missing")],
    ]
    seen: list[SyncResult] = []
    for step in steps:
        before = gateway.ledger.state.sync_result.seq
        await gateway.add(*step)
        assert gateway.ledger.state.sync_result.seq > before, "a step that changes the fold"
        seen.append(await until_written(gateway))
    kinds = {type(fact) for step in steps for fact in step}
    assert set(CHANGED_BY) <= kinds, "each kind of fact that can change it was tried"
    assert [result.total_docs for result in seen] == [1, 1, 1, 1, 2, 0]


@pytest.mark.usefixtures("writing")
async def test_it_has_the_fields_of_the_design_and_is_private(gateway: RunningGateway) -> None:
    await gateway.add(finished(3))
    await until_written(gateway)
    path = Path(gateway.home.sync_result)
    assert list(json.loads(path.read_bytes())) == [
        "schema",
        "mode",
        "outcome",
        "last_sync",
        "last_sync_mtime",
        "indexed_files",
        "removed_files",
        "failed_files",
        "total_docs",
        "total_chunks",
        "chunks_embedded",
        "chunks_pending",
        "text_ms",
        "duration_ms",
        "errors",
        "errors_total",
        "seq",
        "job_id",
    ]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes().endswith(b"}\n")


async def test_only_what_changed_is_written(
    gateway: RunningGateway, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int | None] = []
    replace = replace_file

    def spy(path: Path, data: bytes) -> None:
        written.append(json.loads(data)["seq"])
        replace(path, data)

    monkeypatch.setattr(sync_result_writer, "replace_file", spy)
    task = begin(gateway, clock)
    await gateway.add(VaultScanned(files=1, changed=1, removed=0))  # before the first sync: nothing
    first = await gateway.add(finished(1))
    await until_written(gateway)
    await gateway.add(VaultScanned(files=1, changed=1, removed=0))
    last = await gateway.add(finished(2))
    await until_written(gateway)
    task.cancel()
    await asyncio.wait({task})
    assert written == [first, last]


async def test_what_the_last_run_could_not_write_is_written_at_the_start(
    gateway: RunningGateway, clock: VirtualClock
) -> None:
    await gateway.add(finished(1))
    assert read(gateway.home) is None
    task = begin(gateway, clock)
    await until_written(gateway)
    task.cancel()
    await asyncio.wait({task})
    Path(gateway.home.sync_result).write_text("somebody was here")
    task = begin(gateway, clock)
    await wait_until(lambda: Path(gateway.home.sync_result).read_text() != "somebody was here")
    assert read(gateway.home) == gateway.ledger.state.sync_result
    task.cancel()
    await asyncio.wait({task})


async def test_a_reader_in_a_loop_never_sees_half_a_file_nor_none(
    gateway: RunningGateway, clock: VirtualClock
) -> None:
    await gateway.add(finished(1))
    task = begin(gateway, clock)
    await until_written(gateway)
    over = threading.Event()
    seen: set[int] = set()
    wrong: list[str] = []

    def watch() -> None:
        while not over.is_set():
            try:
                found = msgspec.json.decode(
                    Path(gateway.home.sync_result).read_bytes(), type=SyncResult, strict=True
                )
            except (OSError, msgspec.DecodeError) as why:
                wrong.append(repr(why))
                return
            if len(found.errors) != found.indexed_files % 50:
                wrong.append(f"a mixture: {found}")
            seen.add(found.seq)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for n in range(1, 300):
        await gateway.add(finished(n))
    await until_written(gateway)
    over.set()
    await asyncio.to_thread(watcher.join)
    assert wrong == []
    assert len(seen) > 1
    task.cancel()
    await asyncio.wait({task})


async def test_a_full_disk_is_waited_out_and_is_no_crash(
    home: Home, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = threading.Event()
    full.set()
    write = os.write

    def failing(handle: int, data: bytes) -> int:
        if full.is_set() and os.readlink(f"/proc/self/fd/{handle}").endswith(".json.tmp"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, data)

    monkeypatch.setattr(os, "write", failing)
    async with run_gateway(home) as gateway:
        task = begin(gateway, clock)
        await gateway.add(finished(1))
        for _ in range(7):  # five crashes would be the end of the daemon
            await clock.wait_for_sleepers()
            assert read(home) is None
            assert not list(Path(home.root).glob("*.tmp")) + list(Path(home.root).glob(".*.tmp"))
            clock.advance(RETRY_MAX_S)
        await clock.wait_for_sleepers()
        await gateway.add(finished(2))
        full.clear()
        clock.advance(RETRY_MAX_S)
        assert (await until_written(gateway)).indexed_files == 2
        task.cancel()
        await asyncio.wait({task})


async def test_a_file_that_cannot_be_written_is_tried_again_and_is_no_crash(
    gateway: RunningGateway, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    works = replace_file

    def failing(path: Path, data: bytes) -> None:
        raise OSError(errno.EIO, "I/O error")

    monkeypatch.setattr(sync_result_writer, "replace_file", failing)
    task = begin(gateway, clock)
    await gateway.add(finished(1))
    for _ in range(7):  # five crashes would be the end of the daemon
        await clock.wait_for_sleepers()
        assert not task.done()
        clock.advance(RETRY_MAX_S)
    await clock.wait_for_sleepers()
    monkeypatch.setattr(sync_result_writer, "replace_file", works)
    clock.advance(RETRY_MAX_S)
    assert (await until_written(gateway)).indexed_files == 1
    assert max(clock.slept) == RETRY_MAX_S
    task.cancel()
    await asyncio.wait({task})


async def test_a_daemon_lives_on_where_something_is_in_the_files_place(
    home: Home, start: Callable[..., Process]
) -> None:
    """A folder that is not empty cannot be replaced by a file."""
    place = Path(home.sync_result)
    place.mkdir()
    (place / "mine.txt").write_text("not ragd's")
    process = start("plain")
    await process.wait_until_ready()
    reply = await ask(home.socket, "POST", "/v1/jobs", {"mode": "sync"})
    await wait_until(lambda: b"cannot be written" in Path(home.log_file).read_bytes())
    actors = (await ask(home.socket, "GET", "/v1/status")).data["actors"]
    [writer] = [actor for actor in actors if actor["name"] == "sync_result_writer"]
    assert (writer["state"], writer["crashes"]) == ("running", 0)
    (place / "mine.txt").unlink()
    place.rmdir()
    await wait_until(place.is_file)
    assert json.loads(place.read_bytes())["job_id"] == reply.data["job_id"]
