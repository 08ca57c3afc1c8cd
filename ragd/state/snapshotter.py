"""The actor that writes a snapshot after every 10,000 records, or after so many bytes of records
that a start would take noticeably longer.

It only decides when: the ledger writes the snapshot.
"""

import structlog

from ragd.eventlog.snapshot import EVERY_BYTES, EVERY_RECORDS
from ragd.runtime.durable_files import is_disk_full
from ragd.state.ledger import Ledger

NAME = "snapshotter"
RETRY_AFTER_RECORDS = 64  # if a snapshot could not be written
log = structlog.get_logger(NAME)


class Snapshotter:
    """Follows the log, and counts its records and bytes."""

    def __init__(
        self, ledger: Ledger, every: int = EVERY_RECORDS, every_bytes: int = EVERY_BYTES
    ) -> None:
        self._ledger = ledger
        self._every = every
        self._every_bytes = every_bytes
        self._not_before = 0

    async def run(self) -> None:
        ledger = self._ledger
        async for _ in ledger.journal.follow(ledger.state.seq):
            if self._is_due() and ledger.state.seq >= self._not_before:
                await self._write_snapshot()

    def _is_due(self) -> bool:
        """By records; or by bytes, of which a large snapshot needs more: what is written stays in
        proportion to the log."""
        ledger = self._ledger
        if ledger.state.seq - ledger.snapshot_seq >= self._every:
            return True
        enough = max(self._every_bytes, ledger.snapshot_bytes // 2)
        return ledger.bytes_since_snapshot >= enough

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
