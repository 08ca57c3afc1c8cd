"""Files that are either whole or absent: the small layer that the rest trusts with the disk.

It never leaves a half-written file under a final name, and never follows a link to write one.
"""

import contextlib
import os
from pathlib import Path

from ragd.crashpoints import crashpoint
from ragd.errors import PermissionRefused

_O_BINARY: int = getattr(os, "O_BINARY", 0)


def sync_directory(directory: Path) -> None:
    """Make names created, renamed or removed in `directory` durable."""
    if os.name == "nt":  # Windows has no directory handles to sync
        return
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    """Write every byte, or raise what the disk said."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def write_durably(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Create or overwrite `path` in place, fsynced. For names that nobody reads yet."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _O_BINARY, mode)
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


def private_directory(path: Path) -> None:
    """Make sure `path` is a folder of ours that nobody else can enter; tighten it if need be."""
    try:
        path.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        if not path.is_dir():
            raise PermissionRefused(
                f"{path} is in the way: it is not a folder.",
                "Move it away, or choose another home.",
            ) from None
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
