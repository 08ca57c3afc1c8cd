"""The threads that windows are run on: all cores of an idle machine, one of a busy one.

If the threads get much less computing time than they could use, other programs need the cores. It
runs no model itself.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ragd.embed.worker.loading import usable_threads

BUSY_SHARE = 0.7  # of the computing time that the threads could use; less: the machine is busy
ALONE_S = 15.0  # for how long one thread is used then
LEAST_ITEMS = 4  # for each thread; fewer say little about the machine

T = TypeVar("T")
R = TypeVar("R")


class WindowThreads:
    """Runs a function on many items, on one thread or on all."""

    def __init__(
        self,
        threads: int | None = None,
        wall: Callable[[], float] = time.monotonic,
        computed: Callable[[], float] = time.process_time,
    ) -> None:
        self.threads = usable_threads() if threads is None else threads
        self._pool = ThreadPoolExecutor(self.threads, "embed")
        self._wall = wall
        self._computed = computed
        self._alone_until = float("-inf")

    @property
    def is_alone(self) -> bool:
        """Whether one thread is used, because the machine is busy."""
        return self.threads == 1 or self._wall() < self._alone_until

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """The results, in order."""
        if len(items) == 1 or self.is_alone:
            return map(work, items)
        return iter(self._map_in_pool(work, items))

    def _map_in_pool(self, work: Callable[[T], R], items: Sequence[T]) -> list[R]:
        began, computed = self._wall(), self._computed()
        results = list(self._pool.map(work, items))
        took, computed = self._wall() - began, self._computed() - computed
        is_telling = len(items) >= LEAST_ITEMS * self.threads
        if is_telling and computed < BUSY_SHARE * self.threads * took:
            self._alone_until = self._wall() + ALONE_S
        return results
