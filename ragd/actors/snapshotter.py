"""Takes a snapshot of the folds every so many records. It decides when; the ledger knows how."""

import structlog

from ragd.durable import is_full
from ragd.eventlog.snapshot import EVERY_RECORDS
from ragd.ledger import Ledger

NAME = "snapshotter"
log = structlog.get_logger(NAME)


class Snapshotter:
    """Follows the log only to see how far it has come."""

    def __init__(self, ledger: Ledger, every: int = EVERY_RECORDS) -> None:
        self._ledger = ledger
        self._every = every

    async def run(self) -> None:
        ledger = self._ledger
        async for _ in ledger.journal.follow(ledger.state.seq):
            if ledger.state.seq - ledger.snapshot_seq >= self._every:
                await self._take()

    async def _take(self) -> None:
        try:
            dropped = await self._ledger.snapshot()
        except OSError as why:
            if not is_full(why):
                raise
            log.warning("no room for a snapshot")  # the next record is the next occasion
            return
        log.info("snapshot", seq=self._ledger.snapshot_seq, segments_dropped=len(dropped))
