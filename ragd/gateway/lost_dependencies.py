"""Records a dependency as lost when a request, not a probe, finds that it is.

It never decides what the loss means for health: that is the health fold.
"""

import contextlib

from ragd.errors import RagdError
from ragd.events import DependencyLost
from ragd.gateway.fact_recorder import FactRecorder
from ragd.state.ledger import Ledger
from ragd.store.index_damage import DAMAGE_CODES, IndexDamage
from ragd.vault.threads import CODE as VAULT_NOT_RESPONDING


class LossRecorder:
    """Records losses of the index and the vault that requests find."""

    def __init__(self, ledger: Ledger, facts: FactRecorder) -> None:
        self._ledger = ledger
        self._facts = facts
        self._index_damage = IndexDamage(ledger, facts.record)

    async def record(self, why: RagdError) -> None:
        """Record the loss that this error shows, unless it is already recorded."""
        state = self._ledger.state
        with contextlib.suppress(RagdError):
            if why.code in DAMAGE_CODES and state.catalog.index is not None:
                await self._index_damage.record_failed_call(why.code)
            if why.code == VAULT_NOT_RESPONDING and "vault" not in state.health.lost:
                await self._facts.record(DependencyLost(dependency="vault", code=why.code))
