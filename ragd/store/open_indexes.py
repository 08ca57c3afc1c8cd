"""The open indexes: opened and switched by the store writer, read by who answers questions."""

import asyncio
from collections.abc import Callable

from ragd.clock import Clock
from ragd.runtime.wait_for_event import set_within
from ragd.store.lance import ChunkIndex, FolderStamp


class OpenIndexes:
    """The index that serves, and the one that is built beside it; empty while there is none."""

    def __init__(self) -> None:
        self.index: ChunkIndex | None = None
        self.building: ChunkIndex | None = None
        self._listeners: list[Callable[[], None]] = []
        self._condemned: FolderStamp | None = None

    def condemn(self, index: ChunkIndex) -> None:
        """It was found damaged in a way that no probe sees: it is, until another folder is put in
        its place."""
        self._condemned = index.place()

    def is_condemned(self, place: FolderStamp) -> bool:
        """Whether the index that lies there is that one, open or not."""
        return self._condemned == place

    @property
    def digest(self) -> str | None:
        """Of the weights whose vectors are in the index that serves; None if nobody knows."""
        return (self.index.identity.space.digest or None) if self.index is not None else None

    def of(self, generation: str) -> ChunkIndex | None:
        """The open index of this generation; no name means the one that serves."""
        if not generation:
            return self.index
        known = (self.index, self.building)
        named = (index for index in known if index and index.identity.generation == generation)
        return next(named, None)

    def put(self, index: ChunkIndex | None, building: ChunkIndex | None) -> None:
        """From now on these are the open ones."""
        self.index, self.building = index, building
        for listener in self._listeners:
            listener()

    def listen(self, listener: Callable[[], None]) -> None:
        """Call this whenever another index is open."""
        self._listeners.append(listener)

    async def within(self, clock: Clock, seconds: float) -> ChunkIndex | None:
        """The index that serves; one that is being opened at this moment is waited for."""
        opened = asyncio.Event()
        end = clock.monotonic() + seconds
        self._listeners.append(opened.set)
        try:
            while self.index is None and (left := end - clock.monotonic()) > 0:
                opened.clear()
                await set_within(opened, clock, left)
        finally:
            self._listeners.remove(opened.set)
        return self.index

    def close(self) -> None:
        for index in (self.index, self.building):
            if index is not None:
                index.close()
        self.index = self.building = None
