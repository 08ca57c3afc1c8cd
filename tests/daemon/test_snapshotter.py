"""When snapshots are written, and that the daemon continues if one cannot be written."""

import asyncio
import errno
from pathlib import Path

import pytest

from ragd.eventlog.snapshot import write_snapshot
from ragd.events import DeletionsHeld, FileChange, FilesChanged
from ragd.state import ledger
from ragd.state.snapshotter import RETRY_AFTER_RECORDS, Snapshotter
from tests.daemon.conftest import RunningGateway
from tests.patience import PATIENCE_S


async def test_a_snapshot_that_cannot_be_written_is_tried_again_later(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    works, tries = write_snapshot, asyncio.Event()

    def failing(*arguments: object) -> None:
        loop.call_soon_threadsafe(tries.set)
        raise OSError(errno.EIO, "I/O error")

    loop = asyncio.get_running_loop()
    monkeypatch.setattr(ledger, "write_snapshot", failing)
    task = asyncio.create_task(Snapshotter(gateway.ledger, every=1).run())
    await asyncio.sleep(0)
    await gateway.add(DeletionsHeld(count=1))
    async with asyncio.timeout(PATIENCE_S):
        await tries.wait()
    monkeypatch.setattr(ledger, "write_snapshot", works)
    for count in range(2, 2 * RETRY_AFTER_RECORDS):
        await gateway.add(DeletionsHeld(count=count))
    async with asyncio.timeout(PATIENCE_S):
        while not list(Path(gateway.home.snapshots).glob("*")):
            assert not task.done()
            await asyncio.sleep(0.005)
    task.cancel()
    await asyncio.wait({task})


async def test_few_large_records_are_enough_for_a_snapshot(gateway: RunningGateway) -> None:
    first = len(list(Path(gateway.home.snapshots).glob("*")))
    room = 100_000
    snapshotter = Snapshotter(gateway.ledger, every=10_000, every_bytes=room)
    task = asyncio.create_task(snapshotter.run())
    await asyncio.sleep(0)
    changes = [FileChange(f"Folder/{number} {'x' * 100}.md", "added") for number in range(200)]
    async with asyncio.timeout(PATIENCE_S):
        while gateway.ledger.snapshot_seq == 0:
            assert not task.done()
            assert gateway.ledger.bytes_since_snapshot < 4 * room
            await gateway.add(FilesChanged(changes=changes))
    assert len(list(Path(gateway.home.snapshots).glob("*"))) == first + 1
    assert gateway.ledger.state.seq < 20
    assert gateway.ledger.snapshot_bytes > 0
    task.cancel()
    await asyncio.wait({task})
