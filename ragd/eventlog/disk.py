"""The operations that the log needs from a disk, as a Protocol, and the real disk.

Every durable step of the log goes through here, so that tests can simulate a power cut at each of
them. It knows nothing about records.
"""

import errno
import os
from pathlib import Path
from typing import Protocol

from ragd.errors import LogFailed
from ragd.runtime.crash_points import crashpoint
from ragd.runtime.durable_files import make_directory, sync_directory, write_all, write_durably

TEMPORARY = ".tmp"


def log_failed(why: OSError) -> LogFailed:
    """The error that ends the daemon when the disk under the log fails."""
    reason = errno.errorcode.get(why.errno or 0, "unknown error")
    return LogFailed(
        f"The disk failed under the event log ({reason}).",
        "Check the disk, then start ragd again; nothing acknowledged is lost.",
    )


class AppendFile(Protocol):
    """An open segment. `write` may raise after a partial write, which `truncate` removes."""

    def write(self, data: bytes) -> None: ...

    def rewrite(self, offset: int, data: bytes) -> None:
        """Write the same bytes again at the same place."""
        ...

    def sync(self) -> None: ...

    def truncate(self, size: int) -> None: ...

    def close(self) -> None: ...


class Disk(Protocol):
    """A folder of files. A name with a slash is in a subfolder."""

    def names(self) -> list[str]: ...

    def read(self, name: str, offset: int = 0, limit: int = -1) -> bytes: ...

    def create(self, name: str, data: bytes) -> None:
        """Write the whole file durably, or nothing."""
        ...

    def append_to(self, name: str) -> AppendFile:
        """Open a file for appending, and make its name durable."""
        ...

    def rename(self, name: str, new: str) -> None:
        """Rename a file durably; an empty new name removes it."""
        ...


class AppendedFile:
    """A real segment, open for appending."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))

    def write(self, data: bytes) -> None:
        os.lseek(self._handle, 0, os.SEEK_END)
        write_all(self._handle, data)

    def rewrite(self, offset: int, data: bytes) -> None:
        os.lseek(self._handle, offset, os.SEEK_SET)
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
        make_directory(path.parent)
        temporary = path.with_name(path.name + TEMPORARY)
        crashpoint("segment.before_create")
        write_durably(temporary, data)
        crashpoint("segment.after_temporary")
        os.replace(temporary, path)
        crashpoint("segment.after_rename")
        sync_directory(path.parent)

    def append_to(self, name: str) -> AppendFile:
        # A kill may have come between the rename and the sync of its folder.
        sync_directory((self.folder / name).parent)
        return AppendedFile(self.folder / name)

    def rename(self, name: str, new: str) -> None:
        path = self.folder / name
        if not new:
            path.unlink()
        else:
            target = self.folder / new
            make_directory(target.parent)
            os.replace(path, target)
            sync_directory(target.parent)
        sync_directory(path.parent)
