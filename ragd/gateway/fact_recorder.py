"""Records a fact for a client that waits for its answer. It never waits longer than the client."""

import asyncio

from ragd.errors import RagdError
from ragd.eventlog.journal import Journal
from ragd.events import Fact

NAME = "tool_gateway"
APPEND_WITHIN_S = 8.0  # on a busy disk; less than a client waits for its answer
FULL_WITHIN_S = 1.0  # on a full disk


class FactRecorder:
    """Appends facts for the gateway. A full disk is reported early; a slow disk gets more time."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def record(self, fact: Fact) -> None:
        """Returns when the fact is durable. Raises RagdError: DISK_FULL or TIMEOUT."""
        journal = self._journal
        appending = asyncio.ensure_future(journal.append(NAME, fact))
        try:
            await asyncio.wait({appending}, timeout=min(FULL_WITHIN_S, APPEND_WITHIN_S))
            if journal.full_since is None:
                rest = max(0.0, APPEND_WITHIN_S - FULL_WITHIN_S)
                await asyncio.wait({appending}, timeout=rest)
            if not appending.done():
                raise RagdError("TIMEOUT" if journal.full_since is None else "DISK_FULL")
            await appending
        finally:
            appending.cancel()
