"""Notes that vanished: which of them leave the index, and which stay until a person agrees.

When very many vanish within minutes it is more likely that something happened to the vault. They
are judged as a whole, however they are noticed, read or spread over time.
"""

from collections import deque
from collections.abc import Iterable

from ragd.batch.sync_plan import is_suspicious
from ragd.clock import Clock

LATELY_S = 600.0


class Deletions:
    """The batcher's memory of them, for one run."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._held: set[str] = set()
        self._applied: deque[tuple[float, int]] = deque()

    def is_held(self, path: str) -> bool:
        return path in self._held

    def would_hold(self, vanished: Iterable[str], known: int, *, holding: bool) -> bool:
        """Whether `judge` would hold these."""
        return is_suspicious(len(self._held | set(vanished)), known, self.lately, holding)

    def judge(self, vanished: Iterable[str], known: int, *, holding: bool) -> int:
        """Hold these, with those that are held already, if they are too many; how many are."""
        together = self._held | set(vanished)
        if is_suspicious(len(together), known, self.lately, holding):
            self._held = together
        return len(self._held)

    def applied(self, count: int) -> None:
        """So many leave the index now, and nobody had to agree."""
        if count:
            self._applied.append((self._clock.monotonic(), count))

    @property
    def lately(self) -> int:
        """How many left it in the last minutes."""
        while self._applied and self._clock.monotonic() - self._applied[0][0] > LATELY_S:
            self._applied.popleft()
        return sum(count for _, count in self._applied)

    def release(self, paths: Iterable[str]) -> None:
        """These are back."""
        self._held.difference_update(paths)

    def lifted(self) -> None:
        """Nothing is held any more."""
        self._held.clear()

    def agreed(self) -> None:
        """A person agreed to what is gone so far."""
        self._held.clear()
        self._applied.clear()
