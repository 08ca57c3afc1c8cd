"""Keeps sync-result.json equal to its fold. It never reads the file back to learn anything."""

import asyncio
from pathlib import Path

import msgspec

from ragd.durable import replace_file
from ragd.events import IndexLost, JobFinished, VaultScanned, VectorsFilled, tag_of_type
from ragd.folds.sync_result import SyncResult
from ragd.ledger import Ledger

NAME = "sync_result_writer"
_TYPES = {tag_of_type(t) for t in (JobFinished, VaultScanned, VectorsFilled, IndexLost)}


class SyncResultWriter:
    """Writes the file whenever the fold differs from what was written last."""

    def __init__(self, ledger: Ledger, path: Path) -> None:
        self._ledger = ledger
        self._path = path

    async def run(self) -> None:
        position = self._ledger.state.seq
        written = await asyncio.to_thread(_read, self._path)
        written = await self._write(written)
        async for _ in self._ledger.journal.follow(position, _TYPES):
            written = await self._write(written)

    async def _write(self, written: bytes) -> bytes:
        result = self._ledger.state.sync_result
        wanted = msgspec.json.format(msgspec.json.encode(result)) + b"\n"
        if wanted == written or (not written and result == SyncResult()):
            return written
        await asyncio.to_thread(replace_file, self._path, wanted)
        return wanted


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
