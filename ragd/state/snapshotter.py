"""Takes a snapshot of the folds every so many records. It decides when; the ledger knows how."""

import structlog

from ragd.eventlog.snapshot import EVERY_RECORDS
from ragd.runtime.durable_files import is_disk_full
from ragd.state.ledger import Ledger

NAME = "snapshotter"
AGAIN_AFTER_RECORDS = 64  # after one that could not be written
log = structlog.get_logger(NAME)


class Snapshotter:
    """Follows the log only to see how far it has come."""

    def __init__(self, ledger: Ledger, every: int = EVERY_RECORDS) -> None:
        self._ledger = ledger
        self._every = every
        self._not_before = 0

    async def run(self) -> None:
        ledger = self._ledger
        async for _ in ledger.journal.follow(ledger.state.seq):
            seq = ledger.state.seq
            if seq - ledger.snapshot_seq >= self._every and seq >= self._not_before:
                await self._take()

    async def _take(self) -> None:
        """A snapshot only makes the next start faster: one that cannot be written ends nothing."""
        try:
            dropped = await self._ledger.snapshot()
        except OSError as why:
            reason = "disk full" if is_disk_full(why) else why.strerror or type(why).__name__
            log.warning("a snapshot cannot be written", reason=reason)
            self._not_before = self._ledger.state.seq + AGAIN_AFTER_RECORDS
            return
        log.info("snapshot", seq=self._ledger.snapshot_seq, segments_dropped=len(dropped))
