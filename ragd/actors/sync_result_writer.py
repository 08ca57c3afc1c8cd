"""Keeps sync-result.json equal to its fold. It never reads the file back to learn anything."""

import asyncio
from pathlib import Path

import aiofiles
import msgspec
import structlog

from ragd.clock import Clock
from ragd.durable import is_full, replace_file
from ragd.events import tag_of_type
from ragd.folds.sync_result import CHANGED_BY, SyncResult
from ragd.ledger import Ledger

NAME = "sync_result_writer"
RETRY_FULL_S = 1.0
_TYPES = {tag_of_type(t) for t in CHANGED_BY}

log = structlog.get_logger(NAME)


class SyncResultWriter:
    """Writes the file whenever the fold differs from what was written last."""

    def __init__(self, ledger: Ledger, clock: Clock, path: Path) -> None:
        self._ledger = ledger
        self._clock = clock
        self._path = path

    async def run(self) -> None:
        position = self._ledger.state.seq
        written = await self.catch_up()
        async for _ in self._ledger.journal.follow(position, _TYPES):
            written = await self._write(written)

    async def catch_up(self) -> bytes:
        """Bring the file up to date, once; what it says then."""
        return await self._write(await _read(self._path))

    async def _write(self, written: bytes) -> bytes:
        while True:
            result = self._ledger.state.sync_result
            wanted = msgspec.json.format(msgspec.json.encode(result)) + b"\n"
            if wanted == written or (not written and result == SyncResult()):
                return written
            try:
                await asyncio.to_thread(replace_file, self._path, wanted)
                return wanted
            except OSError as why:
                if not is_full(why):
                    raise
                log.warning("no room for sync-result.json")
            await self._clock.sleep(RETRY_FULL_S)


async def _read(path: Path) -> bytes:
    try:
        async with aiofiles.open(path, "rb") as file:
            return await file.read()
    except OSError:
        return b""
