"""Decides which deletions wait for a person's consent, and records it (`DeletionsHeld`).

When very many notes of a collection vanish within minutes, something has probably happened to it.
Then they stay in the index until a person agrees. It never removes a note, and never reads a file.

Nothing is held in an agent's collection: programs write and remove those files, often many at once,
and what was removed there is meant to be erased.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Protocol

from msgspec import structs

from ragd.batch.sync_plan import SyncPlan
from ragd.clock import Clock
from ragd.events import DeletionsHeld, HeldCollection
from ragd.state.ledger import Ledger
from ragd.vault.collection_paths import VAULT, collection_of, group_of

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


class ScannedRoots(Protocol):
    """Which collections a scan could not use, and on which device the others are."""

    @property
    def gone(self) -> Collection[str]: ...

    def device(self, collection: str) -> int: ...


class DeletionHold:
    """The watcher and the batcher share one, for one run. It is used on the event loop only.

    Each collection is judged by itself.
    """

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock
        self._held: set[str] = set()  # without those that only a scan has noticed
        self._removed: deque[tuple[float, str, int]] = (
            deque()
        )  # when, of which collection, how many

    @property
    def is_active(self) -> bool:
        """Whether deletions are held now, in any collection."""
        return self._ledger.state.health.deletions_held > 0

    def is_held(self, path: str) -> bool:
        return path in self._held

    # Deletions that a scan of everything found

    def apply_to(
        self,
        plan: SyncPlan,
        known: Collection[str],
        scanned: ScannedRoots,
        *,
        count_recent: bool = False,
        accepts: Callable[[str], bool] = lambda collection: False,
    ) -> SyncPlan:
        """The plan without the deletions that are held.

        `known`: the notes of the index. On another device than before, every deletion of a
        collection is held. What is held in a collection that is gone stays held. `count_recent`:
        notes that were removed in the last minutes count with these. `accepts`: whether a person
        agreed to the deletions in a collection.
        """
        health = self._ledger.state.health
        held = {name: n for name in scanned.gone if (n := health.held_in(name))}
        deleted = Counter(map(self._collection_of, plan.deletions))
        counts = self._counts(known) if deleted else {}
        for name, number in deleted.items():
            if accepts(name) or group_of(name):
                continue
            elsewhere = self._ledger.state.catalog.is_elsewhere(scanned.device(name), name)
            holding = health.held_in(name) > 0 or elsewhere
            recent = self._recently_removed(name) if count_recent else 0
            if is_suspicious(number, counts[name], recent, holding):
                held[name] = number
        allowed = [
            path
            for path in plan.removals
            if path not in plan.deletions or self._collection_of(path) not in held
        ]
        return structs.replace(plan, removals=allowed, held=held) if held else plan

    async def record(self, actor: str, held: Mapping[str, int]) -> None:
        """Record that these deletions are held now, by collection; none ends the hold."""
        held = {name: number for name, number in held.items() if number}
        if held != self._recorded():
            collections = [HeldCollection(name, held[name]) for name in sorted(held)]
            if held.keys() <= {VAULT}:
                collections = []
            fact = DeletionsHeld(count=sum(held.values()), collections=collections)
            await self._ledger.journal.append(actor, fact)

    def _recorded(self) -> dict[str, int]:
        health = self._ledger.state.health
        names = (VAULT, *health.held)
        return {name: number for name in names if (number := health.held_in(name))}

    # Deletions that were noticed one by one

    def would_hold(self, vanished: Iterable[str]) -> bool:
        """Whether `judge` would hold some of these notes."""
        return bool(self._suspicious(vanished))

    def _suspicious(self, vanished: Iterable[str]) -> set[str]:
        """The collections whose deletions would be held."""
        state = self._ledger.state
        vanished = set(vanished)
        together = Counter(map(self._collection_of, self._held | vanished))
        return {
            name
            for name in set(map(self._collection_of, vanished))
            if not group_of(name)
            and is_suspicious(
                together[name],
                state.catalog.count_stored(name),
                self._recently_removed(name),
                state.health.held_in(name) > 0,
            )
        }

    async def judge(self, actor: str, vanished: Collection[str]) -> None:
        """Hold these notes, with the ones that are held already, if they are too many.

        The others may be removed; they count as removed from now on.
        """
        before = self._recorded()
        suspicious = self._suspicious(vanished)
        self._held |= {path for path in vanished if self._collection_of(path) in suspicious}
        now = Counter(map(self._collection_of, self._held))
        more = {name: number for name, number in now.items() if number > before.get(name, 0)}
        if more:
            await self.record(actor, before | more)
        self.count_removed(path for path in vanished if path not in self._held)

    def count_removed(self, paths: Iterable[str]) -> None:
        """Count notes that are removed now without a person's consent."""
        for name, number in Counter(map(self._collection_of, paths)).items():
            self._removed.append((self._clock.monotonic(), name, number))

    def _recently_removed(self, collection: str) -> int:
        while self._removed and self._clock.monotonic() - self._removed[0][0] > RECENT_S:
            self._removed.popleft()
        return sum(count for _, name, count in self._removed if name == collection)

    def _collection_of(self, path: str) -> str:
        return collection_of(path, self._ledger.state.catalog.collections)

    def _counts(self, known: Collection[str]) -> "Mapping[str, int]":
        if not self._ledger.state.catalog.collections:
            return {VAULT: len(known)}
        return Counter(map(self._collection_of, known))

    def release(self, paths: Iterable[str]) -> None:
        """These notes exist again."""
        self._held.difference_update(paths)

    def forget_if_over(self) -> None:
        """Forget the held notes of every collection whose hold has ended."""
        if not self._held:
            return
        health = self._ledger.state.health
        over = {name for name in map(self._collection_of, self._held) if not health.held_in(name)}
        self._held = {path for path in self._held if self._collection_of(path) not in over}

    def accept(self, accepts: Callable[[str], bool] = lambda collection: True) -> None:
        """A person agreed to all deletions so far in these collections."""
        self._held = {path for path in self._held if not accepts(self._collection_of(path))}
        self._removed = deque(one for one in self._removed if not accepts(one[1]))
