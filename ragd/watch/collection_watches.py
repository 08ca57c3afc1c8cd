"""The watches of all collections: one opens or closes when the configuration adds or removes it.

Each has its own state and its own task, so one that fails leaves the others alone. It records
nothing itself.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator

from ragd.watch.watch_loop import WatchLoop
from ragd.watch.watch_state import WatchStates


class CollectionWatch:
    """The watch of one collection."""

    def __init__(self, states: WatchStates, loop: WatchLoop) -> None:
        self.states = states
        self.loop = loop


class CollectionWatches:
    """The watches by name. Every scan says which collections there are."""

    def __init__(self, make: Callable[[str, WatchStates], WatchLoop]) -> None:
        self._make = make
        self._watches: dict[str, CollectionWatch] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._changed = asyncio.Event()

    def get(self, name: str) -> CollectionWatch | None:
        return self._watches.get(name)

    def __iter__(self) -> Iterator[CollectionWatch]:
        return iter(self._watches.values())

    def gone(self) -> list[str]:
        """The collections that the last scan did not find."""
        return [name for name, one in self._watches.items() if not one.states.is_vault_present]

    def set_names(self, names: Collection[str]) -> None:
        """Watch exactly these collections."""
        if names == self._watches.keys():
            return
        for name in names:
            if name not in self._watches:
                states = WatchStates()
                self._watches[name] = CollectionWatch(states, self._make(name, states))
        self._watches = {name: self._watches[name] for name in names}
        self._changed.set()

    async def run(self) -> None:
        """Run the watches. It never returns."""
        async with asyncio.TaskGroup() as group:
            while True:
                self._changed.clear()
                await self._end_removed()
                for name, watch in self._watches.items():
                    if name not in self._tasks:
                        self._tasks[name] = group.create_task(
                            watch.loop.run(), name=f"watch-{name}"
                        )
                await self._changed.wait()

    async def _end_removed(self) -> None:
        removed = [name for name in self._tasks if name not in self._watches]
        tasks = [self._tasks.pop(name) for name in removed]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
