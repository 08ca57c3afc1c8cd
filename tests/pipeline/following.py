"""Waits for facts and for states of the folds."""

from collections.abc import Callable
from typing import Any

from ragd.events import Fact, tag_of_type
from ragd.state.ledger import Ledger


class Following:
    """Waits on an open ledger."""

    ledger: Ledger

    async def until(self, kind: type[Fact], after: int = 0, **fields: Any) -> Any:
        """Wait for the next fact of this type after `after` with these fields."""
        async for record in self.ledger.journal.follow(after, {tag_of_type(kind)}):
            if all(getattr(record.event, name) == value for name, value in fields.items()):
                return record
        raise AssertionError("the log was closed")

    async def until_state(self, holds: Callable[[Any], bool]) -> None:
        """Wait until `holds` is true of the state."""
        seq = self.ledger.state.seq
        if holds(self.ledger.state):
            return
        async for _ in self.ledger.journal.follow(seq):
            if holds(self.ledger.state):
                return
