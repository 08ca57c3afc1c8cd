"""The facts of the log as lines of JSON, for `GET /v1/events`. It reads and never appends."""

from collections.abc import AsyncIterator, Collection

from ragd.errors import RagdError
from ragd.eventlog.frame import record_json
from ragd.state.ledger import Ledger


def event_lines(
    ledger: Ledger, after: int, types: Collection[str], *, follow: bool
) -> AsyncIterator[bytes]:
    """The records after `after`, of these types if any are named. Raises RagdError at once if
    retention has dropped some of them; 0 means from the oldest record."""
    if after and after + 1 < ledger.oldest_seq:
        raise _too_old(ledger.oldest_seq)
    after = max(after, ledger.oldest_seq - 1)
    records = ledger.journal.follow(after, types, wait=follow)
    return (record_json(record) async for record in records)


def _too_old(oldest: int) -> RagdError:
    return RagdError(
        "INVALID_REQUEST",
        f"The parameter `after` is before the oldest record that is kept, {oldest}.",
        f"Use after={oldest - 1} or later.",
    )
