"""Records that an index is damaged, missing or another vault's. Nothing else records it.

A call that fails proves as much as a probe, so searches, writes, compaction and probes all report
here. It never repairs or opens an index.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from ragd.events import DependencyLost, Fact, IndexLost
from ragd.state.ledger import Ledger

DAMAGE_CODES = ("INDEX_CORRUPTED", "INDEX_NOT_FOUND")
ANOTHER_VAULT = "INDEX_OF_ANOTHER_VAULT"

AppendFact = Callable[[Fact], Awaitable[Any]]


class IndexDamage:
    """`append` records a fact for the actor that found the damage."""

    def __init__(self, ledger: Ledger, append: AppendFact) -> None:
        self._ledger = ledger
        self._append = append

    @property
    def is_recorded(self) -> bool:
        """Whether it is recorded that the serving index cannot be used."""
        return "index" in self._ledger.state.health.lost

    async def record_failed_call(self, code: str) -> None:
        """A call found the serving index damaged or missing. Recorded once, until it recovers."""
        if not self.is_recorded:
            await self.record_probe(code)

    async def record_probe(self, code: str) -> None:
        """Record a probe's result that differs from the last one."""
        await self._append(DependencyLost(dependency="index", code=code))

    async def record_another_vault(self) -> None:
        """The index is another vault's. Recorded once, in place of any other damage."""
        lost = self._ledger.state.health.lost.get("index")
        if lost is None or lost.code != ANOTHER_VAULT:
            await self.record_probe(ANOTHER_VAULT)

    async def record_lost_table(
        self, reason: Literal["missing", "vault_changed", "behind"], generation: str = ""
    ) -> None:
        """The catalog no longer describes a table. `generation`: that of an index being built."""
        await self._append(IndexLost(reason=reason, generation=generation))
