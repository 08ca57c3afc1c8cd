"""The actor that writes a snapshot after every 10,000 records.

It only decides when: the ledger writes the snapshot.
"""

import structlog

from ragd.eventlog.snapshot import EVERY_RECORDS
from ragd.runtime.durable_files import is_disk_full
from ragd.state.ledger import Ledger

NAME = "snapshotter"
RETRY_AFTER_RECORDS = 64  # if a snapshot could not be written
log = structlog.get_logger(NAME)


class Snapshotter:
    """Follows the log and counts records."""

    def __init__(self, ledger: Ledger, every: int = EVERY_RECORDS) -> None:
        self._ledger = ledger
        self._every = every
        self._not_before = 0

    async def run(self) -> None:
        ledger = self._ledger
        async for _ in ledger.journal.follow(ledger.state.seq):
            seq = ledger.state.seq
            if seq - ledger.snapshot_seq >= self._every and seq >= self._not_before:
                await self._write_snapshot()

    async def _write_snapshot(self) -> None:
        """A snapshot only makes the next start faster, so a failure is logged and tried again."""
        try:
            dropped = await self._ledger.snapshot()
        except OSError as why:
            reason = "disk full" if is_disk_full(why) else why.strerror or type(why).__name__
            log.warning("a snapshot cannot be written", reason=reason)
            self._not_before = self._ledger.state.seq + RETRY_AFTER_RECORDS
            return
        log.info("snapshot", seq=self._ledger.snapshot_seq, segments_dropped=len(dropped))
