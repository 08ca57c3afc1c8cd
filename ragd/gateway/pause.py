"""Pauses syncing for a while, and resumes it.

It records `SyncPaused` and `SyncResumed`, and the pause fold keeps the state.
"""

from datetime import datetime, timedelta
from typing import Any

from ragd.clock import Clock, iso
from ragd.events import SyncPaused, SyncResumed
from ragd.gateway.fact_recorder import FactRecorder
from ragd.gateway.status import pause_data
from ragd.state.ledger import Ledger


class PauseControl:
    """Begins and ends pauses for clients."""

    def __init__(self, ledger: Ledger, clock: Clock, facts: FactRecorder) -> None:
        self._ledger = ledger
        self._clock = clock
        self._facts = facts

    async def begin(self, seconds: int) -> dict[str, Any]:
        """Index nothing for this many seconds from now."""
        until = datetime.fromisoformat(self._clock.now()) + timedelta(seconds=seconds)
        await self._facts.record(SyncPaused(until=iso(until)))
        return {"paused": pause_data(self._ledger.state)}

    async def end(self) -> dict[str, Any]:
        """Resume now."""
        was_paused = self._ledger.state.pause.holds
        if was_paused:
            await self._facts.record(SyncResumed(reason="requested"))
        return {"paused": pause_data(self._ledger.state), "was_paused": was_paused}
