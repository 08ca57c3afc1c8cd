"""Where generations are: a folder, or a prefix in an object store (`object_place.py`).

A place knows how a generation comes to exist, and how it is removed. It never reads a table.
"""

import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from ragd.runtime.durable_files import private_directory, sync_directory
from ragd.store.lance.flush import sync_filesystem
from ragd.store.lance.schema import TABLE

_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,63}")
_TEMPORARY = ".tmp-"

FolderStamp = tuple[str, int | str, int]


class FileSizes(Protocol):
    """The sizes of a table's files in bytes, by their path in it; None: it does not exist."""

    def of_file(self, path: str) -> int | None: ...

    def of_folder(self, path: str) -> int | None: ...


class TablePlace(Protocol):
    """Where one table is. `uri` and `options` are what lance needs to open it."""

    @property
    def uri(self) -> str: ...

    @property
    def options(self) -> dict[str, str] | None: ...

    def exists(self) -> bool: ...

    def make_durable(self) -> None:
        """Return when all that was written is durable."""

    def sizes(self) -> FileSizes: ...


MakeTable = Callable[[TablePlace], None]


class IndexPlace(Protocol):
    """Where all generations are. `address`: the folder or the address of the prefix."""

    @property
    def address(self) -> str: ...

    def names(self) -> list[str]:
        """The names of all generations, oldest first."""

    def table(self, generation: str) -> TablePlace: ...

    def stamp(self, generation: str) -> FolderStamp:
        """Identifies the table. It changes when another one takes its place."""

    def create(self, generation: str, make: MakeTable) -> None:
        """Let `make` write the table; the generation exists once that is complete and durable."""

    def drop(self, generation: str) -> None: ...

    def remove_temporary_files(self) -> int:
        """Remove what a killed process left, and return how much that was."""

    def ensure_writable(self) -> int:
        """The fencing number of this writer; 0 where none is needed. Raises RagdError if another
        daemon may write."""

    def raise_fence(self, above: int) -> int:
        """A fencing number above this one, which a table has already seen."""

    def publish(self, generation: str) -> None:
        """Tell readers that this generation serves."""


class FolderTable:
    """A table in a folder. It has the sizes of its files itself."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.uri = str(path)
        self.options: dict[str, str] | None = None

    def exists(self) -> bool:
        return self.path.is_dir()

    def make_durable(self) -> None:
        sync_filesystem(self.path)

    def sizes(self) -> "FolderTable":
        return self

    def of_file(self, path: str) -> int | None:
        try:
            return (self.path / path).stat().st_size
        except FileNotFoundError:
            return None

    def of_folder(self, path: str) -> int | None:
        try:
            return sum(file.stat().st_size for file in (self.path / path).iterdir())
        except FileNotFoundError:
            return None


class LocalFolder:
    """A folder of generations, each a folder with one table. A generation is made under a temporary
    name, so it exists with all its indexes, or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = str(folder)

    def names(self) -> list[str]:
        if not self.folder.is_dir():
            return []
        names = [entry.name for entry in self.folder.iterdir() if entry.is_dir()]
        return [name for name in sorted(names) if _NAME.fullmatch(name)]

    def table(self, generation: str) -> FolderTable:
        return FolderTable(self._path(generation) / f"{TABLE}.lance")

    def stamp(self, generation: str) -> FolderStamp:
        try:
            found = self.table(generation).path.stat()
        except OSError:
            return generation, 0, 0
        return generation, found.st_ino, found.st_ctime_ns

    def create(self, generation: str, make: MakeTable) -> None:
        final = self._path(generation)
        if final.exists():
            raise FileExistsError(str(final))
        private_directory(self.folder)
        building = self.folder.absolute() / f"{_TEMPORARY}{generation}"
        shutil.rmtree(building, ignore_errors=True)
        private_directory(building)
        make(FolderTable(building / f"{TABLE}.lance"))
        sync_filesystem(building)
        building.rename(final)
        sync_directory(self.folder)

    def drop(self, generation: str) -> None:
        """It is renamed first, so that it is never half removed."""
        doomed = self.folder.absolute() / f"{_TEMPORARY}dropped-{generation}"
        shutil.rmtree(doomed, ignore_errors=True)
        try:
            self._path(generation).rename(doomed)
        except FileNotFoundError:
            return
        sync_directory(self.folder)
        shutil.rmtree(doomed, ignore_errors=True)

    def remove_temporary_files(self) -> int:
        """Call it only while holding the lock of the home."""
        removed = 0
        if not self.folder.is_dir():
            return removed
        for entry in self.folder.glob(f"{_TEMPORARY}*"):
            shutil.rmtree(entry, ignore_errors=True)
            removed += 1
        with suppress(FileNotFoundError):  # removed meanwhile; the next start tries again
            for pattern in (".tmp*", "*.manifest#*"):
                for entry in self.folder.glob(f"*/{TABLE}.lance/**/{pattern}"):
                    if entry.is_file():
                        entry.unlink(missing_ok=True)
                        removed += 1
        return removed

    def ensure_writable(self) -> int:
        """The lock of the home keeps other daemons out."""
        return 0

    def raise_fence(self, above: int) -> int:
        return 0

    def publish(self, generation: str) -> None:
        """A folder has no readers besides its writer."""

    def _path(self, generation: str) -> Path:
        return self.folder.absolute() / checked_name(generation)


def checked_name(generation: str) -> str:
    """The name. Raises ValueError if it is not that of a generation."""
    if not _NAME.fullmatch(generation):
        raise ValueError("not the name of a generation")
    return generation


def place_of(folder: Path | IndexPlace) -> IndexPlace:
    """A path is a folder on the disk."""
    return LocalFolder(folder) if isinstance(folder, Path) else folder


def table_at(table: Path | TablePlace) -> TablePlace:
    """A path is a table on the disk."""
    return FolderTable(table) if isinstance(table, Path) else table
