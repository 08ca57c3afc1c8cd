"""The open indexes: the one that serves, and the one that is built next to it.

The store writer opens and replaces them; searches and the embedder read them. It opens no index
itself.
"""

import asyncio
from collections.abc import Callable

from ragd.clock import Clock
from ragd.runtime.wait_for_event import wait_until_set
from ragd.store.lance import ChunkIndex, FolderStamp


class OpenIndexes:
    """`serving` answers searches, `building` will replace it; None while there is none."""

    def __init__(self) -> None:
        self.serving: ChunkIndex | None = None
        self.building: ChunkIndex | None = None
        self._listeners: list[Callable[[], None]] = []
        self._damaged: FolderStamp | None = None

    def mark_damaged(self, index: ChunkIndex) -> None:
        """Compaction found damage that no probe finds. The mark ends if the folder is replaced."""
        self._damaged = index.folder_stamp()

    def is_marked_damaged(self, stamp: FolderStamp) -> bool:
        """Whether this folder was marked as damaged."""
        return self._damaged == stamp

    @property
    def serving_digest(self) -> str | None:
        """The digest of the weights whose vectors are in the serving index; None if unknown."""
        return (self.serving.identity.space.digest or None) if self.serving is not None else None

    @property
    def bytes_in_memory(self) -> int:
        """What the open indexes hold in memory of their rows."""
        return sum(index.bytes_in_memory for index in self.list_open())

    def list_open(self) -> list[ChunkIndex]:
        """The serving index and the one that is being built, if they exist."""
        return [index for index in (self.serving, self.building) if index is not None]

    def find(self, generation: str) -> ChunkIndex | None:
        """The open index of this generation; an empty name means the serving one."""
        if not generation:
            return self.serving
        return next((i for i in self.list_open() if i.identity.generation == generation), None)

    def replace(self, serving: ChunkIndex | None, building: ChunkIndex | None) -> None:
        """From now on these are the open indexes."""
        self.serving, self.building = serving, building
        for listener in self._listeners:
            listener()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each `replace`."""
        self._listeners.append(listener)

    async def wait_for_serving(self, clock: Clock, seconds: float) -> ChunkIndex | None:
        """The serving index. If there is none, wait at most `seconds` until one is opened."""
        opened = asyncio.Event()
        end = clock.monotonic() + seconds
        self._listeners.append(opened.set)
        try:
            while self.serving is None and (left := end - clock.monotonic()) > 0:
                opened.clear()
                await wait_until_set(opened, clock, left)
        finally:
            self._listeners.remove(opened.set)
        return self.serving

    def close(self) -> None:
        for index in self.list_open():
            index.close()
        self.serving = self.building = None
