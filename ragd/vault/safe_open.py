"""Opens files below a root one folder at a time, by descriptor, without following links.

So a folder that is replaced by a link between a check and a read cannot lead outside. It never
writes, never follows a link, and never opens anything but a regular file (a FIFO would hang, a
device would act). Windows has no directory descriptors: there a folder is its path, and each part
of it is checked first.
"""
# Descriptors and plain strings: pathlib has no functions for them.
# ruff: noqa: PTH116, PTH118

import errno
import os
import stat
import sys
import unicodedata

from msgspec import Struct

from ragd.notes.documents.kinds import MARKDOWN
from ragd.vault.disk_waits import disk_answered, waits_for_disk
from ragd.vault.leftover_files import PLACEHOLDER

LINK = "it is a symbolic link"
NOT_REGULAR = "it is not a regular file"
TOO_LARGE = "it is larger than 10 MiB"
DOCUMENT_TOO_LARGE = "it is larger than 100 MB"

READ_BYTES = 1024 * 1024  # in one call: a slow disk answers now and then, a hanging one never

OpenFolder = int | str  # an open folder: its descriptor or, where there are none, its path

HAS_DESCRIPTORS = (
    {os.open, os.stat} <= os.supports_dir_fd
    and os.scandir in os.supports_fd
    and hasattr(os, "O_NOFOLLOW")
)
HAS_CHANGE_TIME = os.name != "nt"
_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOSE_ON_EXEC
_FILE_FLAGS = (
    os.O_RDONLY
    | _NO_LINK
    | _CLOSE_ON_EXEC
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
# macOS and Windows mark files whose content is still in the cloud; reading would fetch it.
_SF_DATALESS = 0x40000000
_ATTRIBUTES_AWAY = 0x00001000 | 0x00040000 | 0x00400000
_REPARSE_POINT = 0x400
_HAS_MARKS = hasattr(os.stat_result, "st_flags") or hasattr(os.stat_result, "st_file_attributes")
# Regular files have no marks and a time of change: only their size can be a reason to skip them.
HAS_PLAIN_FILES = HAS_CHANGE_TIME and not _HAS_MARKS


class ChangedWhileRead(Exception):
    """The file changed while it was being read. It must be read again later."""


class SkipPath(Exception):
    """A file or folder is skipped on purpose; `reason` is a phrase from a closed list."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class FileStat(Struct, frozen=True, gc=False):
    """The size and times of a file at one moment."""

    size: int
    mtime_ns: int
    ctime_ns: int = 0  # see `change_time`


@waits_for_disk
def open_root(root: str) -> OpenFolder:
    """Open the root itself. It may be a link: that was the user's choice."""
    if HAS_DESCRIPTORS:
        return os.open(root, _FOLDER_FLAGS)
    path = os.path.realpath(root)
    if not stat.S_ISDIR(os.stat(path).st_mode):
        raise NotADirectoryError(path)
    return path


@waits_for_disk
def open_folder(root: OpenFolder, steps: list[str], *, exactly: bool = False) -> OpenFolder:
    """Open the folder that these names lead to; the caller closes it. SkipPath if one is a link.

    With `exactly`, a name in another spelling does not match.
    """
    folder = os.dup(root) if isinstance(root, int) else root
    for step in steps:
        try:
            if exactly and not has_exact_name(folder, step):
                raise FileNotFoundError(step)
            below = _open_step(folder, step)
            disk_answered()
        finally:
            close(folder)
        folder = below
    return folder


@waits_for_disk
def root_identity(place: OpenFolder) -> tuple[int, int]:
    """The device and inode of an open folder."""
    found = os.stat(place)
    return found.st_dev, found.st_ino


@waits_for_disk
def close(place: OpenFolder) -> None:
    if isinstance(place, int):
        os.close(place)


@waits_for_disk
def read_file(folder: OpenFolder, name: str, most_bytes: int) -> tuple[bytes, FileStat]:
    """The whole file as it was at one moment. Raises ChangedWhileRead if it changed meanwhile."""
    before = stat_entry(folder, name)
    if reason := why_skipped(before, most_bytes):
        raise SkipPath(reason)
    file = _open_file(folder, name)
    try:
        start = os.fstat(file)
        if reason := why_skipped(start, most_bytes):
            raise SkipPath(reason)
        parts: list[bytes] = []
        left = start.st_size
        while left > 0 and (part := os.read(file, min(left, READ_BYTES))):
            disk_answered()
            parts.append(part)
            left -= len(part)
        end = os.fstat(file)
    finally:
        os.close(file)
    if left or not _same(before, start) or not _same(start, end):
        raise ChangedWhileRead
    return b"".join(parts), file_stat(start)


@waits_for_disk
def read_part(folder: OpenFolder, name: str, first: int, most: int) -> bytes:
    """Some bytes of a file that may be growing. Fewer if the file ends before."""
    if reason := why_skipped(stat_entry(folder, name), sys.maxsize):
        raise SkipPath(reason)
    file = _open_file(folder, name)
    try:
        os.lseek(file, first, os.SEEK_SET)
        parts: list[bytes] = []
        while most > 0 and (part := os.read(file, min(most, READ_BYTES))):
            disk_answered()
            parts.append(part)
            most -= len(part)
    finally:
        os.close(file)
    return b"".join(parts)


def _open_file(folder: OpenFolder, name: str) -> int:
    if isinstance(folder, str):
        return os.open(os.path.join(folder, name), _FILE_FLAGS)
    return os.open(name, _FILE_FLAGS, dir_fd=folder)


def file_stat(found: os.stat_result) -> FileStat:
    return FileStat(found.st_size, found.st_mtime_ns, change_time(found))


def change_time(found: os.stat_result) -> int:
    """When the file last changed in any way. No program can set it back, unlike `st_mtime_ns`.

    0 on Windows, where `st_ctime_ns` is the time of creation.
    """
    return found.st_ctime_ns if HAS_CHANGE_TIME else 0


def why_skipped(found: os.stat_result, most_bytes: int) -> str | None:
    """Why such a file is skipped, if it is."""
    if found.st_mode & 0o170000 != stat.S_IFREG or (_HAS_MARKS and _is_link(found)):
        return LINK if _is_link(found) else NOT_REGULAR
    if found.st_size > most_bytes:
        return TOO_LARGE if most_bytes <= MARKDOWN.most_bytes else DOCUMENT_TOO_LARGE
    if _HAS_MARKS and (
        getattr(found, "st_flags", 0) & _SF_DATALESS
        or getattr(found, "st_file_attributes", 0) & _ATTRIBUTES_AWAY
    ):
        return PLACEHOLDER
    return None


def _open_step(folder: OpenFolder, name: str) -> OpenFolder:
    if isinstance(folder, int):
        try:
            return os.open(name, _FOLDER_FLAGS | _NO_LINK, dir_fd=folder)
        except OSError as failure:
            if failure.errno not in (errno.ELOOP, errno.ENOTDIR):
                raise
    # A link and a file give the same error: find out which it is.
    found = stat_entry(folder, name)
    if _is_link(found):
        raise SkipPath(LINK)
    if isinstance(folder, int) or not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(name)
    return os.path.join(folder, name)


@waits_for_disk
def stat_entry(folder: OpenFolder, name: str) -> os.stat_result:
    """The status of an entry, without opening it or following a link."""
    if isinstance(folder, str):
        return os.lstat(os.path.join(folder, name))
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


@waits_for_disk
def has_exact_name(folder: OpenFolder, name: str) -> bool:
    """Whether the entry has exactly this name, or there is no entry.

    Some file systems find `A.md` as `a.md`, or accept two spellings of an accent.
    """
    other = unicodedata.normalize("NFD", name.swapcase())
    try:
        if other == name or not os.path.samestat(
            stat_entry(folder, other), stat_entry(folder, name)
        ):
            return True
    except (OSError, UnicodeEncodeError):
        return True  # the other spelling finds nothing: this file system compares names exactly
    with os.scandir(folder) as entries:
        return any(entry.name == name for entry in entries)


@waits_for_disk
def is_empty(folder: OpenFolder) -> bool:
    """Whether an open folder is empty."""
    with os.scandir(folder) as entries:
        return next(entries, None) is None


def is_folder(found: os.stat_result) -> bool:
    return stat.S_ISDIR(found.st_mode) and not _is_link(found)


def _is_link(found: os.stat_result) -> bool:
    attributes: int = getattr(found, "st_file_attributes", 0)
    return stat.S_ISLNK(found.st_mode) or bool(attributes & _REPARSE_POINT)


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_dev, one.st_ino, file_stat(one)) == (
        other.st_dev,
        other.st_ino,
        file_stat(other),
    )
