"""The actor that writes sync-result.json whenever its fold changes.

It reads the file only to avoid writing the same bytes again.
"""

import asyncio
from pathlib import Path

import aiofiles
import msgspec
import structlog

from ragd.clock import Clock
from ragd.events import tag_of_type
from ragd.folds.sync_result import CHANGED_BY, SyncResult
from ragd.runtime.backoff import backoff_s
from ragd.runtime.durable_files import is_disk_full, replace_file
from ragd.state.ledger import Ledger

NAME = "sync_result_writer"
RETRY_FIRST_S = 1.0
RETRY_MAX_S = 30.0
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

    async def catch_up(self, *, once: bool = False) -> bytes:
        """Bring the file up to date, and return its content. `once`: raise the OSError instead of
        trying again."""
        return await self._write(await _read(self._path), once)

    async def _write(self, written: bytes, once: bool = False) -> bytes:
        """Write until the file equals the fold. The daemon does not need the file, so a failure is
        logged and tried again, with longer and longer pauses."""
        failures, failed = 0, ""
        while True:
            result = self._ledger.state.sync_result
            wanted = msgspec.json.format(msgspec.json.encode(result)) + b"\n"
            if wanted == written or (not written and result == SyncResult()):
                return written
            try:
                await asyncio.to_thread(replace_file, self._path, wanted)
            except OSError as why:
                if once:
                    raise
                reason = "disk full" if is_disk_full(why) else why.strerror or type(why).__name__
                if reason != failed:
                    log.warning("sync-result.json cannot be written", reason=reason)
                failed = reason
            else:
                if failed:
                    log.info("sync-result.json is written again")
                return wanted
            failures += 1
            await self._clock.sleep(backoff_s(failures, RETRY_FIRST_S, RETRY_MAX_S))


async def _read(path: Path) -> bytes:
    try:
        if not await asyncio.to_thread(path.is_file):
            return b""  # reading a named pipe would hang
        async with aiofiles.open(path, "rb") as file:
            return await file.read()
    except OSError:
        return b""
