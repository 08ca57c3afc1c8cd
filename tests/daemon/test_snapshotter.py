"""Snapshots that cannot be written: the daemon continues without them."""

import asyncio
import errno
from pathlib import Path

import pytest

from ragd.eventlog.snapshot import write_snapshot
from ragd.events import DeletionsHeld
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
