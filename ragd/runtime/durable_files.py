"""Writes files that are either complete or absent. All durable writes go through it.

It never leaves a half-written file under its final name, and never writes through a link.
"""

import contextlib
import errno
import os
import stat
from pathlib import Path

from ragd.errors import PermissionRefused
from ragd.runtime.crash_points import crashpoint

_O_BINARY: int = getattr(os, "O_BINARY", 0)
_O_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)


def is_disk_full(why: OSError) -> bool:
    """Whether the disk or the user's quota is full, so that a later attempt may succeed."""
    return why.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def sync_directory(directory: Path) -> None:
    """Make names created, renamed or removed in `directory` durable."""
    if os.name == "nt":  # Windows has no directory handles to sync
        return
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_directory(path: Path) -> None:
    """Create the private folder `path` if it does not exist, and make its name durable."""
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        return
    sync_directory(path.parent)


def write_all(handle: int, data: bytes) -> None:
    """Write every byte, or raise OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def write_durably(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Create or overwrite `path` in place, fsynced. For a file that is not in use yet."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _O_BINARY | _O_NOFOLLOW, mode)
    try:
        if hasattr(os, "fchmod"):
            os.fchmod(handle, mode)
        write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replace `path` in one step: a reader sees the old bytes or the new, never a mixture."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        write_durably(temporary, data, mode)
        crashpoint("durable.after_temporary")
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    crashpoint("durable.after_rename")
    sync_directory(path.parent)


def replace_target(path: Path, data: bytes) -> None:
    """Replace the file that `path` is or links to, in one step, and keep the file's mode."""
    real = Path(os.path.realpath(path))
    replace_file(real, data, stat.S_IMODE(real.stat().st_mode))


def private_directory(path: Path, *, links: bool = True) -> None:
    """Create the folder `path` if needed. Make it private to this user.

    `links` is False where other users can write to its parent: a link there cannot be trusted.
    """
    for missing in reversed([folder for folder in path.parents if not folder.exists()]):
        make_directory(missing)
    make_directory(path)
    if not path.is_dir() or (path.is_symlink() and not links):
        raise PermissionRefused(
            f"{path} is in the way: it is not a folder.",
            "Move it away, or choose another home.",
        )
    if os.name == "nt":  # the profile folder's own access list protects it
        return
    facts = path.stat()
    if facts.st_uid != os.getuid():
        raise PermissionRefused(
            f"{path} belongs to another user (uid {facts.st_uid}).",
            "Choose another home with --home, or OBSIDIAN_RAG_HOME.",
        )
    if facts.st_mode & 0o077:
        path.chmod(0o700)
