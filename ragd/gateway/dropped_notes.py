"""Waits until the index has dropped a note. It changes nothing."""

from ragd.events import BatchStored, tag_of_type
from ragd.state.ledger import Ledger

_STORED = {tag_of_type(BatchStored)}


async def until_dropped(ledger: Ledger, path: str) -> None:
    """Return when neither the index that serves nor one that is built has the note."""
    catalog, seq = ledger.state.catalog, ledger.state.seq
    if not catalog.is_stored(path):
        return
    async for _ in ledger.journal.follow(seq, _STORED):
        if not catalog.is_stored(path):
            return
