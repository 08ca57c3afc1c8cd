"""A disk whose n-th write, sync or create fails with a given error.

It wraps another disk and records every call of each open file.
"""

import asyncio
import errno
import threading
from collections.abc import Callable

from ragd.eventlog.disk import AppendFile
from tests.eventlog.simulated_disk import SimulatedDisk
from tests.patience import PATIENCE_S

Call = tuple[str, int]  # what, and which handle


class FaultyFile:
    """An open file whose calls are counted and fail at the given count."""

    def __init__(self, disk: "FaultyDisk", file: AppendFile, number: int) -> None:
        self._disk = disk
        self._file = file
        self._number = number

    def write(self, data: bytes) -> None:
        try:
            self._disk.called("write", self._number)
        except OSError:
            self._file.write(data[: len(data) // 2])  # short, then the error
            raise
        self._file.write(data)

    def rewrite(self, offset: int, data: bytes) -> None:
        self._disk.called("rewrite", self._number)
        self._disk.rewrites.append((offset, data))
        self._file.rewrite(offset, data)

    def sync(self) -> None:
        self._disk.called("sync", self._number)
        self._file.sync()

    def truncate(self, size: int) -> None:
        self._disk.called("truncate", self._number)
        self._file.truncate(size)

    def close(self) -> None:
        self._file.close()


class FaultyDisk:
    """`faults` names, for a kind of call and its count from 1, the error to raise."""

    def __init__(self, disk: SimulatedDisk | None = None) -> None:
        self.under = disk or SimulatedDisk()
        self.faults: dict[tuple[str, int], int] = {}
        self.always: dict[str, int] = {}  # a kind of call that fails until it is taken out
        self.counts: dict[str, int] = {}
        self.calls: list[Call] = []
        self.rewrites: list[tuple[int, bytes]] = []  # the offset and the bytes of each
        self.before: Callable[[str], None] = lambda what: None
        self._handles = 0

    def full(self, number: int = errno.ENOSPC) -> None:
        """From now on the disk is full."""
        self.always = {"write": number, "create": number}

    def roomy(self) -> None:
        self.always = {}

    def called(self, what: str, handle: int) -> None:
        self.before(what)
        self.calls.append((what, handle))
        count = self.counts[what] = self.counts.get(what, 0) + 1
        number = self.faults.get((what, count)) or self.always.get(what)
        if number is not None:
            raise OSError(number, "told to fail")

    def names(self) -> list[str]:
        return self.under.names()

    def read(self, name: str, offset: int = 0, limit: int = -1) -> bytes:
        return self.under.read(name, offset, limit)

    def create(self, name: str, data: bytes) -> None:
        self.called("create", 0)
        self.under.create(name, data)

    def append_to(self, name: str) -> AppendFile:
        self.called("open", 0)
        self._handles += 1
        return FaultyFile(self, self.under.append_to(name), self._handles)

    def rename(self, name: str, new: str) -> None:
        self.called("rename", 0)
        self.under.rename(name, new)


class Gate:
    """Stops the writer's thread at its next call of a kind until the test opens it."""

    def __init__(self, disk: FaultyDisk, what: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._what = what
        self._open = threading.Event()
        self._reached = asyncio.Event()
        disk.before = self._pass

    def _pass(self, what: str) -> None:
        if what == self._what and not self._open.is_set():
            self._loop.call_soon_threadsafe(self._reached.set)
            assert self._open.wait(PATIENCE_S), "the gate was not opened"

    async def reached(self) -> None:
        await self._reached.wait()

    def open(self) -> None:
        self._open.set()
