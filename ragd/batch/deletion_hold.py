"""Decides which deletions wait for a person's consent, and records it (`DeletionsHeld`).

When very many notes vanish within minutes, something has probably happened to the vault. Then they
stay in the index until a person agrees. It never removes a note, and never reads the vault.
"""

from collections import deque
from collections.abc import Collection, Iterable

from msgspec import structs

from ragd.batch.sync_plan import SyncPlan
from ragd.clock import Clock
from ragd.events import DeletionsHeld
from ragd.state.ledger import Ledger

HELD_SHARE = 0.30
HELD_COUNT = 50
RECENT_S = 600.0


def is_suspicious(deleted: int, known: int, recent: int = 0, holding: bool = False) -> bool:
    """Whether this many deletions are held: more than 30 % and more than 50 with the `recent` ones,
    or all notes, or any number while some are held already."""
    if not deleted or holding:
        return bool(deleted)
    in_all, before = deleted + recent, known + recent
    return deleted == known or (in_all > HELD_COUNT and in_all > before * HELD_SHARE)


class DeletionHold:
    """The watcher and the batcher share one, for one run. It is used on the event loop only."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock
        self._held: set[str] = set()  # without those that only a scan has noticed
        self._removed: deque[tuple[float, int]] = deque()  # when, and how many

    @property
    def is_active(self) -> bool:
        """Whether deletions are held now."""
        return self._ledger.state.health.deletions_held > 0

    def is_held(self, path: str) -> bool:
        return path in self._held

    # Deletions that a scan of the whole vault found

    def apply_to(
        self, plan: SyncPlan, known: int, device: int, *, count_recent: bool = False
    ) -> SyncPlan:
        """The plan without the deletions that are held.

        `known`: how many notes the index has. `device`: where the vault is; on another device than
        before, every deletion is held. `count_recent`: notes that were removed in the last minutes
        count with these.
        """
        state = self._ledger.state
        holding = self.is_active or state.catalog.is_elsewhere(device)
        recent = self._recently_removed() if count_recent else 0
        if not is_suspicious(len(plan.deletions), known, recent, holding):
            return plan
        allowed = [path for path in plan.removals if path not in plan.deletions]
        return structs.replace(plan, removals=allowed, held=len(plan.deletions))

    async def record(self, actor: str, held: int) -> None:
        """Record that this many deletions are held now; 0 ends the hold."""
        if held != self._ledger.state.health.deletions_held:
            await self._ledger.journal.append(actor, DeletionsHeld(count=held))

    # Deletions that were noticed one by one

    def would_hold(self, vanished: Iterable[str]) -> bool:
        """Whether `judge` would hold these notes."""
        together = self._held | set(vanished)
        known = self._ledger.state.catalog.documents_stored
        return is_suspicious(len(together), known, self._recently_removed(), self.is_active)

    async def judge(self, actor: str, vanished: Collection[str]) -> None:
        """Hold these notes, with the ones that are held already, if they are too many.

        The others may be removed; they count as removed from now on.
        """
        before = self._ledger.state.health.deletions_held
        if self.would_hold(vanished):
            self._held |= set(vanished)
        if len(self._held) > before:
            await self.record(actor, len(self._held))
        self.count_removed(sum(path not in self._held for path in vanished))

    def count_removed(self, count: int) -> None:
        """Count notes that are removed now without a person's consent."""
        if count:
            self._removed.append((self._clock.monotonic(), count))

    def _recently_removed(self) -> int:
        while self._removed and self._clock.monotonic() - self._removed[0][0] > RECENT_S:
            self._removed.popleft()
        return sum(count for _, count in self._removed)

    def release(self, paths: Iterable[str]) -> None:
        """These notes exist again."""
        self._held.difference_update(paths)

    def forget_if_over(self) -> None:
        """Forget the held notes if the hold has ended."""
        if not self.is_active:
            self._held.clear()

    def accept(self) -> None:
        """A person agreed to all deletions so far."""
        self._held.clear()
        self._removed.clear()
