"""A disk that skips some steps, as if the log had forgotten to ask for them.

It wraps another disk. The crash simulation gives it to the code that must not forget these steps.
"""

from collections.abc import Collection
from typing import Literal

from ragd.eventlog.disk import AppendFile, Disk

Change = Literal["write", "rewrite", "truncate"]
Step = Literal[
    "rewrite", "truncate", "sync after write", "sync after rewrite", "sync after truncate"
]


class CarelessFile:
    """An open file that skips the given steps."""

    def __init__(self, file: AppendFile, skipped: Collection[Step]) -> None:
        self._file = file
        self._skipped = skipped
        self._last: Change = "write"

    def write(self, data: bytes) -> None:
        self._last = "write"
        self._file.write(data)

    def rewrite(self, offset: int, data: bytes) -> None:
        self._last = "rewrite"
        if "rewrite" not in self._skipped:
            self._file.rewrite(offset, data)

    def truncate(self, size: int) -> None:
        self._last = "truncate"
        if "truncate" not in self._skipped:
            self._file.truncate(size)

    def sync(self) -> None:
        if f"sync after {self._last}" not in self._skipped:
            self._file.sync()

    def close(self) -> None:
        self._file.close()


class CarelessDisk:
    """A folder of such files."""

    def __init__(self, disk: Disk, *skipped: Step) -> None:
        self._disk = disk
        self._skipped = skipped

    def names(self) -> list[str]:
        return self._disk.names()

    def read(self, name: str, offset: int = 0, limit: int = -1) -> bytes:
        return self._disk.read(name, offset, limit)

    def create(self, name: str, data: bytes) -> None:
        self._disk.create(name, data)

    def append_to(self, name: str) -> AppendFile:
        return CarelessFile(self._disk.append_to(name), self._skipped)

    def rename(self, name: str, new: str) -> None:
        self._disk.rename(name, new)
