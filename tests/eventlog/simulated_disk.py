"""A disk in memory that loses power, kills the process, becomes full or fails, as the test decides.

It promises only what a real one does: a sector of 512 bytes is written whole or not at all; each
unsynced sector may survive or not; a file's size may be ahead of its bytes or behind them; names
become durable in order, by a sync of their folder. After a failed sync the page cache shows the
bytes as written, though the platter does not have them.
"""

import errno
from random import Random

SECTOR = 512
TEMPORARY = ".tmp"


class Crash(BaseException):
    """The process or the power is gone. Only the test may catch this."""


class Inode:
    """One file: what a reader sees, what the platter holds, and what differs between the two."""

    def __init__(self) -> None:
        self.cache = bytearray()
        self.platter = bytearray()  # never shrinks: old bytes stay after the end
        self.size = 0  # durable
        self.dirty: set[int] = set()
        self.sizes = {0}  # all it has had since the last sync

    def put(self, offset: int, data: bytes) -> None:
        self.cache[offset : offset + len(data)] = data
        if data:
            self.dirty.update(range(offset // SECTOR, (offset + len(data) - 1) // SECTOR + 1))
        self.sizes.add(len(self.cache))

    def cut(self, size: int) -> None:
        del self.cache[size:]
        self.sizes.add(size)

    def write_back(self, sector: int) -> None:
        start = sector * SECTOR
        bytes_ = self.cache[start : start + SECTOR]
        if len(self.platter) < start:
            self.platter.extend(bytes(start - len(self.platter)))
        self.platter[start : start + len(bytes_)] = bytes_

    def sync(self) -> None:
        for sector in sorted(self.dirty):
            self.write_back(sector)
        self.dirty.clear()
        self.size = len(self.cache)
        self.sizes = {self.size}

    def fail_to_sync(self, rng: Random) -> None:
        """Some pages were written. The kernel marks all as clean and reports the error once."""
        for sector in sorted(self.dirty):
            if rng.random() < 0.5:
                self.write_back(sector)
        self.dirty.clear()

    def lose_power(self, rng: Random) -> None:
        if self.dirty or self.sizes != {self.size}:
            self._decide(rng)
        else:
            self.cache = self.platter[: self.size]
        self.platter = bytearray(self.cache)

    def _decide(self, rng: Random) -> None:
        sizes = sorted(self.sizes | {self.size})
        size = rng.choice([*sizes, rng.randint(sizes[0], sizes[-1])])
        survival = rng.choice((0.0, 0.2, 0.5, 0.8, 1.0))
        after = bytearray(size)
        for start in range(0, size, SECTOR):
            end = min(start + SECTOR, size)
            if start // SECTOR in self.dirty and rng.random() < survival:
                new = self.cache[start:end]
            else:
                known = end if rng.random() < 0.3 else min(self.size, end)  # else zeros after it
                new = self.platter[start:known]
            after[start : start + len(new)] = new
        self.cache = after
        self.size = size
        self.sizes = {size}
        self.dirty.clear()


class Handle:
    """An open file."""

    def __init__(self, disk: "SimulatedDisk", inode: Inode) -> None:
        self._disk = disk
        self._inode = inode

    def write(self, data: bytes) -> None:
        rng = self._disk.rng
        try:
            self._disk.step()
        except Crash:
            self._inode.put(len(self._inode.cache), data[: rng.randint(0, len(data))])
            raise
        if rng.random() < self._disk.full:
            self._inode.put(len(self._inode.cache), data[: rng.randint(0, len(data) - 1)])
            raise OSError(errno.ENOSPC, "simulated")
        self._inode.put(len(self._inode.cache), data)

    def rewrite(self, offset: int, data: bytes) -> None:
        self._disk.step()
        self._inode.put(offset, data)

    def sync(self) -> None:
        self._disk.step()
        if self._disk.rng.random() < self._disk.failing:
            self._inode.fail_to_sync(self._disk.rng)
            raise OSError(errno.EIO, "simulated")
        self._inode.sync()
        self._disk.syncs += 1

    def truncate(self, size: int) -> None:
        self._disk.step()
        self._inode.cut(size)

    def close(self) -> None:
        pass


Renaming = list[tuple[str, Inode | None]]


class SimulatedDisk:
    """A folder of such files. `crash_after(n)` ends the process at the n-th step from now."""

    def __init__(self, rng: Random | None = None) -> None:
        self.rng = rng or Random(0)
        self.files: dict[str, Inode] = {}
        self.durable_files: dict[str, Inode] = {}
        self.renamings: list[Renaming] = []  # not durable yet
        self.full = 0.0  # how likely a write finds no room
        self.failing = 0.0  # how likely a sync fails
        self.syncs = 0
        self._steps_left: int | None = None

    # What the test does

    def crash_after(self, steps: int | None) -> None:
        self._steps_left = steps

    def step(self) -> None:
        if self._steps_left is None:
            return
        self._steps_left -= 1
        if self._steps_left <= 0:
            raise Crash

    def restart(self) -> None:
        """The process was killed: the page cache is still there."""
        self._steps_left = None

    def lose_power(self) -> None:
        self._steps_left = None
        for renaming in self.renamings[: self.rng.randint(0, len(self.renamings))]:
            self._carry_out(self.durable_files, renaming)
        self.renamings.clear()
        self.files = dict(self.durable_files)
        for inode in self.files.values():
            inode.lose_power(self.rng)

    # What the log does: the port `Disk`

    def names(self) -> list[str]:
        return sorted(self.files)

    def read(self, name: str, offset: int = 0, limit: int = -1) -> bytes:
        if name not in self.files:
            raise FileNotFoundError(errno.ENOENT, "simulated", name)
        cache = self.files[name].cache
        return bytes(cache[offset:] if limit < 0 else cache[offset : offset + limit])

    def create(self, name: str, data: bytes) -> None:
        temporary, inode = name + TEMPORARY, Inode()
        self.step()
        self._rename([(temporary, inode)])
        inode.put(0, data[: self.rng.randint(0, len(data))])
        self.step()
        if self.rng.random() < self.full:
            raise OSError(errno.ENOSPC, "simulated")
        inode.put(0, data)
        inode.sync()
        self.step()
        self._rename([(temporary, None), (name, inode)])
        self.step()
        self._sync_names()

    def append_to(self, name: str) -> Handle:
        self.step()
        self._sync_names()
        return Handle(self, self.files[name])

    def rename(self, name: str, new: str) -> None:
        self.step()
        if name not in self.files:
            raise FileNotFoundError(errno.ENOENT, "simulated", name)
        moved = self.files[name]
        self._rename([(name, None), (new, moved)] if new else [(name, None)])
        self.step()
        self._sync_names()

    def _rename(self, renaming: Renaming) -> None:
        self._carry_out(self.files, renaming)
        self.renamings.append(renaming)

    def _carry_out(self, files: dict[str, Inode], renaming: Renaming) -> None:
        for name, inode in renaming:
            if inode is None:
                files.pop(name, None)
            else:
                files[name] = inode

    def _sync_names(self) -> None:
        self.durable_files = dict(self.files)
        self.renamings.clear()

    # What a test puts there, or looks at

    def put(self, name: str, data: bytes) -> None:
        inode = Inode()
        inode.put(0, data)
        inode.sync()
        self.files[name] = self.durable_files[name] = inode

    def remove(self, name: str) -> None:
        del self.files[name], self.durable_files[name]
