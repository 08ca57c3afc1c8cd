"""The few things the log asks of a disk, as a port, and the real one.

Everything durable the log does goes through here, so that a simulated disk can lose power at any
step of it. It knows nothing of records.
"""

import os
from pathlib import Path
from typing import Protocol

from ragd.crashpoints import crashpoint
from ragd.durable import sync_directory, write_all, write_durably

TEMPORARY = ".tmp"


class AppendFile(Protocol):
    """An open segment. `write` may raise after a part was written; `truncate` takes that back."""

    def write(self, data: bytes) -> None: ...

    def sync(self) -> None: ...

    def truncate(self, size: int) -> None: ...

    def close(self) -> None: ...


class Disk(Protocol):
    """A folder of files. Names with a slash lie in a subfolder."""

    def names(self) -> list[str]: ...

    def read(self, name: str, offset: int = 0, limit: int = -1) -> bytes: ...

    def create(self, name: str, data: bytes) -> None:
        """The whole file, durably, under its final name, or nothing."""
        ...

    def append_to(self, name: str) -> AppendFile: ...

    def rename(self, name: str, new: str) -> None:
        """Durably give a file another name; an empty one removes it."""
        ...


class _Appending:
    """A real segment, open for appending."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0) | os.O_APPEND)

    def write(self, data: bytes) -> None:
        write_all(self._handle, data)

    def sync(self) -> None:
        getattr(os, "fdatasync", os.fsync)(self._handle)

    def truncate(self, size: int) -> None:
        os.ftruncate(self._handle, size)

    def close(self) -> None:
        os.close(self._handle)


class RealDisk:
    """A folder on the real disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        if not self.folder.is_dir():
            return []
        own = [p.name for p in self.folder.iterdir() if p.is_file()]
        aside = self.folder / "aside"
        if aside.is_dir():
            own += [f"aside/{p.name}" for p in aside.iterdir()]
        return sorted(own)

    def read(self, name: str, offset: int = 0, limit: int = -1) -> bytes:
        with (self.folder / name).open("rb") as file:
            file.seek(offset)
            return file.read(limit)

    def create(self, name: str, data: bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        temporary = path.with_name(path.name + TEMPORARY)
        crashpoint("segment.before_create")
        write_durably(temporary, data)
        crashpoint("segment.after_temporary")
        os.replace(temporary, path)
        crashpoint("segment.after_rename")
        sync_directory(path.parent)

    def append_to(self, name: str) -> AppendFile:
        return _Appending(self.folder / name)

    def rename(self, name: str, new: str) -> None:
        path = self.folder / name
        if not new:
            path.unlink()
        else:
            target = self.folder / new
            target.parent.mkdir(mode=0o700, exist_ok=True)
            os.replace(path, target)
            sync_directory(target.parent)
        sync_directory(path.parent)
